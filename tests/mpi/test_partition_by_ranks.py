"""`cutweb partition` on several ranks: what it writes and prints, and that one line tells what is wrong."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from partition.assignment.url_prefixes import url_key
from partition.map.manifest import Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from sessions.url import url_hashes
from tests.mpi.conftest import Run, RunEach, environment
from tests.partition.quality.support.definitions import check_map, imbalance_by_definition
from tests.partition.quality.support.webs import ring

WEB = ring()
COMMAND = ("-P", "-m", "cutweb")
CUTS: dict[int, list[tuple[str, ...]]] = {
    1: [("--parts", "2", "--model", "prefix")],
    2: [
        ("--objective", "links"),
        ("--parts", "2", "--model", "prefix"),
        ("--parts", "2", "--model", "page"),
        ("--parts", "2", "--model", "site"),
    ],
    3: [("--objective", "sent")],
    4: [("--parts", "2", "--model", "site")],
}
"""The options of what each number of ranks cuts."""

Cut = Callable[..., tuple[Path, Path, str]]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WEB.session(tmp_path_factory.mktemp("webs") / "ring")


def words_of(session: Path, out: Path, *more: str) -> list[str]:
    options = ["--parts", "3", "--out", str(out), "--tolerance", "0.2", "--one-rank-limit", "12"]
    return ["partition", str(session), *options, "--effort", "low", *more]


@pytest.fixture(scope="module")
def cut(run_each: RunEach, session: Path, tmp_path_factory: pytest.TempPathFactory) -> Cut:
    """The map that ranks make with some options, one of those below, twice; and what was said of the first."""
    folder = tmp_path_factory.mktemp("maps")

    @cache
    def made(ranks: int) -> dict[tuple[str, ...], tuple[Path, Path, str]]:
        outs = {options: folder / f"{ranks}-{number}" for number, options in enumerate(CUTS[ranks])}
        commands = [
            words_of(session, out.with_name(out.name + time), *options)
            for options, out in outs.items()
            for time in ("", "-again")
        ]
        told = run_each(ranks, *commands)
        assert [done.returncode for done in told] == [0] * len(told), [done.stderr for done in told]
        said = (done.stdout for done in told[::2])
        return {
            options: (out, out.with_name(f"{out.name}-again"), text)
            for (options, out), text in zip(outs.items(), said, strict=True)
        }

    return lambda ranks, *options: made(ranks)[options]


def the_problem(stderr: str) -> str:
    """The one line that tells what is wrong; where the machine is slow, there may be lines of progress before."""
    (problem,) = (line for line in stderr.splitlines() if line.startswith("cutweb partition: "))
    return problem.removeprefix("cutweb partition: ")


@pytest.mark.parametrize(("ranks", "objective"), [(3, "sent"), pytest.param(2, "links", marks=pytest.mark.long)])
def test_the_map_and_what_is_said_of_it(cut: Cut, ranks: int, objective: str) -> None:
    path, path_again, said = cut(ranks, "--objective", objective)
    table = PartitionMap.open(path)
    origin = table.manifest.origin
    own = check_map(table, WEB)
    for name, weights in (("bytes", WEB.sizes), ("requests", dict.fromkeys(WEB.sizes, 1))):
        assert origin.imbalances[name] == pytest.approx(imbalance_by_definition(weights, own, (1.0, 1.0, 1.0)))
        assert origin.imbalances[name] <= 0.2 + 1e-9
    assert (origin.settings["ranks"], origin.settings["one_rank_limit"]) == (ranks, 12)
    lines = said.splitlines()
    assert lines[1].startswith(f"{path}: 40 pages in 3 parts by page; imbalance ")
    sent, cut_bytes = origin.volumes["sent_bytes"], origin.volumes["cut_bytes"]
    assert f"{sent:,} bytes of URLs if each is sent once, {cut_bytes:,} for every link" in lines[2]
    assert lines[3].startswith(f"next: cutweb crawl --ranks 3 --partition {path} ")
    again = PartitionMap.open(path_again)
    assert again.parts_of(url_hashes(list(WEB.sizes)), list(WEB.sizes)).tolist() == list(own.values()), (
        "another time, other parts"
    )


@pytest.mark.parametrize(("ranks", "model"), [(1, "prefix"), (2, "prefix"), (4, "site")])
def test_models_of_groups(cut: Cut, ranks: int, model: str) -> None:
    """What belongs together stays together, also what nobody has seen yet; the same at every attempt."""
    path, path_again, said = cut(ranks, "--parts", "2", "--model", model)
    table, again = PartitionMap.open(path), PartitionMap.open(path_again)
    own = check_map(table, WEB)
    assert table.manifest.origin.model == model
    assert all(imbalance <= 0.2 + 1e-9 for imbalance in table.manifest.origin.imbalances.values())
    assert again.parts_of(url_hashes(list(WEB.sizes)), list(WEB.sizes)).tolist() == list(own.values())
    rows = {row["key"]: row["part"] for row in pq.read_table(path / "parts.parquet").to_pylist()}
    assert {key.partition("/")[0] for key in rows} == {f"site{number}.example" for number in range(4)}
    assert (len(rows) == 4) == (model == "site")
    for url, part in own.items():
        assert part == rows[max((key for key in rows if url_key(url).startswith(key)), key=len)]
    assert f" in 2 parts by {model}; " in said


def test_parts_keep_the_names_of_an_earlier_map(cut: Cut, run_each: RunEach, session: Path, tmp_path: Path) -> None:
    """The same cut under other names gets these, whatever rank has which pages; new pages have not moved."""
    urls_of, own_of, commands = {}, {}, []
    for model in ("page", "site"):
        options = ["--parts", "2", "--model", model]
        own_of[model] = own = check_map(PartitionMap.open(cut(2, *options)[0]), WEB)
        urls_of[model] = urls = sorted(own)[:-5]
        parts = [1 - own[url] for url in urls]
        parts[0] = own[urls[0]]  # one page lay elsewhere
        hashes, origin, old = url_hashes(urls), Origin("page", session="earlier"), tmp_path / f"old-{model}"
        write_map(old, origin, k=2, urls=urls, hashes=hashes, parts=parts, prefixes=[], prefix_parts=[])
        commands.append(words_of(session, tmp_path / model, *options, "--previous-map", str(old)))
    for done, (model, own) in zip(run_each(2, *commands), own_of.items(), strict=True):
        assert done.returncode == 0, done.stderr
        found = PartitionMap.open(tmp_path / model)
        assert check_map(found, WEB) == {url: 1 - part for url, part in own.items()}
        settings = found.manifest.origin.settings
        assert (settings["previous_pages"], settings["moved_pages"]) == (len(urls_of[model]), 1)
        assert settings["moved_bytes"] == WEB.sizes[urls_of[model][0]]


def test_it_starts_its_ranks(session: Path, tmp_path: Path) -> None:
    words = [
        *COMMAND,
        "partition",
        str(session),
        "--parts",
        "2",
        "--ranks",
        "2",
        "--effort",
        "low",
        "--out",
        str(tmp_path / "map"),
    ]
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=100, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    assert PartitionMap.open(tmp_path / "map").manifest.origin.settings["ranks"] == 2


def test_one_line_tells_what_is_wrong(run_each: RunEach, session: Path, tmp_path: Path) -> None:
    problems = [
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
    ]
    told = run_each(2, *(words_of(session, tmp_path / "map", *options) for options, _ in problems))
    for done, (_, problem) in zip(told, problems, strict=True):
        assert done.returncode == 2
        assert the_problem(done.stderr).startswith(problem)
    assert os.listdir(tmp_path) == []


def test_a_file_that_one_rank_cannot_read_ends_all(run_ranks: Run, session: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(session, damaged)
    record = json.loads((damaged / "epochs" / "000001.json").read_text())
    files = [entry["tables"]["links"]["file"] for entry in record["ranks"] if "links" in entry["tables"]]
    (damaged / files[-1]).write_bytes(b"no table")
    done = run_ranks(2, *COMMAND, *words_of(damaged, tmp_path / "map"))
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
