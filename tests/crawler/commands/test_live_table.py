"""The table of a crawl that goes on."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from crawler.commands.live_table import RankStanding, heading, live_table
from crawler.monitoring.live_file import Live, LiveRank

RUN = "20260101T000000-abcdef"
FIRST = Live(RUN, 3, 1, 10.0, (LiveRank(100, 50, 4, 1, 1_000_000, 2), LiveRank(40, 7, 0, 0, 500_000, 0)))
SECOND = Live(RUN, 5, 1, 12.0, (LiveRank(1300, 45, 4, 1, 9_000_000, 2), LiveRank(45, 2, 0, 0, 600_000, 1)))


def printed(standing: RankStanding) -> list[list[str]]:
    """The rows of the table, cell by cell; no text in a cell has two spaces in a row."""
    out = io.StringIO()
    console = Console(file=out, width=200)
    console.print(live_table(standing, console))
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in out.getvalue().splitlines()]


def test_each_rank_has_a_row_and_all_together_have_one() -> None:
    assert printed(RankStanding(RUN, SECOND, FIRST, 1, 3.0, 0.0)) == [
        ["rank", "pages", "pages/s", "received", "queued", "in flight", "waiting", "errors"],
        ["0", "1,300", "600", "9 MB", "45", "4", "1", "2"],
        ["1", "45", "2.5", "600 kB", "2", "0", "0", "1"],
        ["all", "1,345", "602", "9.6 MB", "47", "4", "1", "3"],
    ]


@pytest.mark.parametrize("before", [None, SECOND])
def test_one_reading_makes_no_rate(before: Live | None) -> None:
    rows = printed(RankStanding(RUN, SECOND, before, 0, None, 0.0))
    assert [row[2] for row in rows] == ["pages/s", "-", "-", "-"]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=4), st.integers(1, 50))
def test_rates_are_pages_by_the_crawls_own_clock(pages: list[tuple[int, int]], seconds: int) -> None:
    ranks = [LiveRank(before, 0, 0, 0, 0, 0) for before, _ in pages]
    after = [LiveRank(before + more, 0, 0, 0, 0, 0) for before, more in pages]
    first, second = Live(RUN, 1, 0, 5.0, tuple(ranks)), Live(RUN, 2, 0, 5.0 + seconds, tuple(after))
    rows = printed(RankStanding(RUN, second, first, 0, None, 0.0))[1:]
    expected = [more / seconds for _, more in pages]
    for row, rate in zip(rows, [*expected, sum(expected)], strict=True):
        assert float(row[2].replace(",", "")) == pytest.approx(rate, rel=0.01, abs=0.51 if rate >= 100 else 0.01)


def test_without_a_reading_there_are_no_rows() -> None:
    assert len(printed(RankStanding(RUN, None, None, 0, None, 0.0))) == 1


@pytest.mark.parametrize(
    ("standing", "text"),
    [
        (RankStanding(RUN, SECOND, FIRST, 3, 75.4, 0.0), "superstep 5, 0:00:12; epoch 3 committed 0:01:15 ago"),
        (RankStanding(RUN, FIRST, None, 0, None, 0.0), "superstep 3, 0:00:10; nothing committed yet"),
        (RankStanding(RUN, SECOND, FIRST, 3, 75.4, 0.0, True), "superstep 5, 0:00:12; epoch 3 was the last"),
        (RankStanding(RUN, None, None, 0, None, 9.0), "nothing to see yet, for 0:00:09; nothing committed yet"),
        (RankStanding(RUN, None, None, 2, 5.0, 9.0), "nothing to see yet, for 0:00:09; epoch 2 committed 0:00:05 ago"),
    ],
)
def test_the_heading_is_about_the_run(standing: RankStanding, text: str) -> None:
    assert heading(standing) == f"run {RUN}: {text}"
