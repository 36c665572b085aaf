"""Files of latencies: of the lines that fit a rank and a site the last one holds, and others are refused by number."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.replay.virtualtime.latency import Latency
from crawler.replay.virtualtime.latency_file import ANY, LatencyFileError, read_latencies

RANKS = 3
SITES = frozenset({"a.example", "b.example:8080", "c.example"})
LINES = st.tuples(
    st.sampled_from([ANY, *map(str, range(RANKS))]), st.sampled_from([ANY, *sorted(SITES)]), st.integers(0, 99)
)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@given(lines=st.lists(LINES, max_size=12))
def test_the_last_line_that_fits_holds(
    lines: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = written(
        tmp_path_factory.mktemp("latencies") / "latencies", "".join(f"{rank}\t{site}  {s}\n" for rank, site, s in lines)
    )
    latencies = read_latencies(path, RANKS, SITES, has_times=True)
    for rank in range(RANKS):
        for site in SITES:
            fitting = [s for its, at, s in lines if its in (ANY, str(rank)) and at in (ANY, site)]
            expected = 1000.0 * fitting[-1] if fitting else 12.5
            assert latencies[rank].milliseconds(site, 12.5, 4000) == expected


def test_a_model_may_have_a_rate_and_lines_may_have_comments(tmp_path: Path) -> None:
    path = written(tmp_path / "file", "# all others\n* * 0.04+1.25e6/s  # far\n\n 1 a.example 0.002+1.25e7/s\n")
    near, far = Latency(0.002, 1.25e7), Latency(0.04, 1.25e6)
    latencies = read_latencies(path, 2, SITES, has_times=False)
    assert [its.by_site.get("a.example", its.elsewhere) for its in latencies] == [far, near]
    assert latencies[1].milliseconds("a.example", 0.0, 12500) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("* * 1\n3 * 1\n", "line 2: '3' is no rank: they are 0 to 2, or * for any"),
        ("-1 * 1\n", "line 1: '-1' is no rank"),
        ("all * 1\n", "line 1: 'all' is no rank"),
        ("* d.example 1\n", "line 1: 'd.example' is no site that was recorded"),
        ("* *\n", "line 1: '* *' is not RANK SITE SECONDS[+BYTES/s]"),
        ("* * 1 2\n", "line 1: '* * 1 2' is not RANK SITE"),
        ("\n* * recorded\n", "line 2: 'recorded' is neither recorded nor a model"),
        ("* * 1+0/s\n", "line 1: '1+0/s' is neither"),
        ("0 * 1\n* a.example 1\n", "no line fits rank 1 and b.example:8080, and the session has no times"),
    ],
)
def test_what_means_nothing_is_refused_by_line(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path / "file", text)
    with pytest.raises(LatencyFileError) as refused:
        read_latencies(path, RANKS, SITES, has_times=False)
    assert str(refused.value).startswith(f"{path}: {told}")
    assert len(str(refused.value).splitlines()) == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LatencyFileError, match="none: No such file or directory"):
        read_latencies(tmp_path / "none", RANKS, SITES, has_times=True)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(LatencyFileError, match="bytes: not a text in UTF-8"):
        read_latencies(tmp_path / "bytes", RANKS, SITES, has_times=True)
