"""`cutweb partition` on several ranks: what it writes and prints, and that one line tells what is wrong."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from partition.assignment.url_prefixes import url_key
from partition.map.manifest import Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from sessions.url import url_hashes
from tests.mpi.conftest import Run, environment
from tests.partition.quality.support.definitions import check_map, imbalance_by_definition
from tests.partition.quality.support.webs import ring

WEB = ring()
COMMAND = ("-P", "-m", "cutweb", "partition")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WEB.session(tmp_path_factory.mktemp("webs") / "ring")


def cut(run_ranks: Run, ranks: int, session: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    options = ["--parts", "3", "--out", str(out), "--tolerance", "0.2", "--one-rank-limit", "12", *more]
    return run_ranks(ranks, *COMMAND, str(session), *options)


def the_problem(stderr: str) -> str:
    """The one line that tells what is wrong; where the machine is slow, there may be lines of progress before."""
    (problem,) = (line for line in stderr.splitlines() if line.startswith("cutweb partition: "))
    return problem.removeprefix("cutweb partition: ")


@pytest.mark.parametrize(("ranks", "objective"), [(3, "sent"), (2, "links")])
def test_the_map_and_what_is_said_of_it(
    run_ranks: Run, session: Path, tmp_path: Path, ranks: int, objective: str
) -> None:
    done = cut(run_ranks, ranks, session, tmp_path / "map", "--objective", objective)
    assert done.returncode == 0, done.stderr
    table = PartitionMap.open(tmp_path / "map")
    origin = table.manifest.origin
    own = check_map(table, WEB)
    for name, weights in (("bytes", WEB.sizes), ("requests", dict.fromkeys(WEB.sizes, 1))):
        assert origin.imbalances[name] == pytest.approx(imbalance_by_definition(weights, own, (1.0, 1.0, 1.0)))
        assert origin.imbalances[name] <= 0.2 + 1e-9
    assert (origin.settings["ranks"], origin.settings["one_rank_limit"]) == (ranks, 12)
    lines = done.stdout.splitlines()
    assert lines[1].startswith(f"{tmp_path / 'map'}: 40 pages in 3 parts by page; imbalance ")
    sent, cut_bytes = origin.volumes["sent_bytes"], origin.volumes["cut_bytes"]
    assert f"{sent:,} bytes of URLs if each is sent once, {cut_bytes:,} for every link" in lines[2]
    assert lines[3].startswith(f"next: cutweb crawl --ranks 3 --partition {tmp_path / 'map'} ")
    assert cut(run_ranks, ranks, session, tmp_path / "again", "--objective", objective).returncode == 0
    again = PartitionMap.open(tmp_path / "again")
    assert again.parts_of(url_hashes(list(WEB.sizes)), list(WEB.sizes)).tolist() == list(own.values()), (
        "another time, other parts"
    )


@pytest.mark.parametrize(("ranks", "model"), [(1, "prefix"), (2, "prefix"), (4, "site")])
def test_models_of_groups(run_ranks: Run, session: Path, tmp_path: Path, ranks: int, model: str) -> None:
    """What belongs together stays together, also what nobody has seen yet; the same at every attempt."""
    maps = []
    for attempt in ("map", "again"):
        done = cut(run_ranks, ranks, session, tmp_path / attempt, "--parts", "2", "--model", model)
        assert done.returncode == 0, done.stderr
        maps.append(PartitionMap.open(tmp_path / attempt))
    table, again = maps
    own = check_map(table, WEB)
    assert table.manifest.origin.model == model
    assert all(imbalance <= 0.2 + 1e-9 for imbalance in table.manifest.origin.imbalances.values())
    assert again.parts_of(url_hashes(list(WEB.sizes)), list(WEB.sizes)).tolist() == list(own.values())
    rows = {row["key"]: row["part"] for row in pq.read_table(tmp_path / "map" / "parts.parquet").to_pylist()}
    assert {key.partition("/")[0] for key in rows} == {f"site{number}.example" for number in range(4)}
    assert (len(rows) == 4) == (model == "site")
    for url, part in own.items():
        assert part == rows[max((key for key in rows if url_key(url).startswith(key)), key=len)]
    assert f" in 2 parts by {model}; " in done.stdout


@pytest.mark.parametrize(("model", "ranks"), [("page", 2), ("site", 2)])
def test_parts_keep_the_names_of_an_earlier_map(
    run_ranks: Run, session: Path, tmp_path: Path, ranks: int, model: str
) -> None:
    """The same cut under other names gets these, whatever rank has which pages; new pages have not moved."""
    options = ["--parts", "2", "--model", model]
    assert cut(run_ranks, ranks, session, tmp_path / "map", *options).returncode == 0
    table = PartitionMap.open(tmp_path / "map")
    own = check_map(table, WEB)
    urls = sorted(own)[:-5]
    parts = [1 - own[url] for url in urls]
    parts[0] = own[urls[0]]  # one page lay elsewhere
    hashes, origin = url_hashes(urls), Origin("page", session="earlier")
    write_map(tmp_path / "old", origin, k=2, urls=urls, hashes=hashes, parts=parts, prefixes=[], prefix_parts=[])
    done = cut(run_ranks, ranks, session, tmp_path / "next", *options, "--previous-map", str(tmp_path / "old"))
    assert done.returncode == 0, done.stderr
    found = PartitionMap.open(tmp_path / "next")
    assert check_map(found, WEB) == {url: 1 - part for url, part in own.items()}
    settings = found.manifest.origin.settings
    assert (settings["previous_pages"], settings["moved_pages"]) == (len(urls), 1)
    assert settings["moved_bytes"] == WEB.sizes[urls[0]]


def test_it_starts_its_ranks(session: Path, tmp_path: Path) -> None:
    words = [*COMMAND, str(session), "--parts", "2", "--ranks", "2", "--effort", "low", "--out", str(tmp_path / "map")]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=100, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert PartitionMap.open(tmp_path / "map").manifest.origin.settings["ranks"] == 2


def test_one_line_tells_what_is_wrong(run_ranks: Run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "map"
    for options, problem in (
        (["--model", "url-range"], "--ranks: the model url-range is cut by one process; leave --ranks out, or take"),
        (["--model", "site", "--parts", "5"], f"{session}: 5 parts of 4 sites: some would be empty; take 4 at most"),
        (
            ["--previous-map", "x", "--migration-cost", "1"],
            "--ranks: a cut with --migration-cost is made by one process; leave one of the two",
        ),
        (["--previous-map", "x"], "x/partition.json: no such file; is x a partition map?"),
        (["--html", "x"], "--ranks: the page of --html is made by one process; leave one of the two out"),
        (["--balance", "links"], "--ranks: links in --balance is balanced by one process; leave one of the two out"),
        (["--ranks", "3"], "--ranks says 3 ranks, but this MPI run has 2; "),
        (["--parts", "41"], f"{session}: 41 parts of 40 pages: some would be empty; take 40 at most"),
        (["--parts", "none"], "Invalid value for '--parts'"),
    ):
        done = cut(run_ranks, 2, session, out, *options)
        assert done.returncode == 2
        assert the_problem(done.stderr).startswith(problem)
        assert os.listdir(tmp_path) == []


def test_a_file_that_one_rank_cannot_read_ends_all(run_ranks: Run, session: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(session, damaged)
    record = json.loads((damaged / "epochs" / "000001.json").read_text())
    files = [entry["tables"]["links"]["file"] for entry in record["ranks"] if "links" in entry["tables"]]
    (damaged / files[-1]).write_bytes(b"no table")
    done = cut(run_ranks, 2, damaged, tmp_path / "map")
    assert done.returncode == 2
    assert the_problem(done.stderr).startswith(f"{damaged} is damaged (")
    assert not (tmp_path / "map").exists()


def test_an_error_that_all_meet_is_told_once_and_one_that_a_rank_meets_alone_ends_the_others(run_ranks: Run) -> None:
    done = run_ranks(2, "-m", "tests.mpi.together_ranks", "all", "expected")
    assert (done.returncode, done.stdout, done.stderr) == (0, "all say: nothing there\n", "")
    done = run_ranks(2, "-m", "tests.mpi.together_ranks", "1", "expected")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "rank 1 of 2: nothing there"
    done = run_ranks(2, "-m", "tests.mpi.together_ranks", "0", "unexpected")
    assert done.returncode == 1
    assert done.stderr.startswith("rank 0 of 2 failed:\nTraceback")
    assert "ZeroDivisionError: by nought" in done.stderr
