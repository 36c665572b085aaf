"""`cutweb worklist` on several ranks: the same rows whatever their number and memory, and one line on what is wrong."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from crawler.worklist.rows import KINDS
from crawler.worklist.worklist import open_worklist
from tests.crawler.support.ranked_sessions import Crawled, Fetch, write_session
from tests.mpi.conftest import Run, RunEach

COMMAND = ("-P", "-m", "cutweb", "worklist")
URLS = 3000
FORMULAS = ("anansi", "pagerank", "value")
MEMORIES = {1: 256, 3: 16}
"""MiB for each number of ranks."""

Ranked = dict[tuple[str, int], tuple[Path, str]]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two sessions of a web in which some pages change, with more links than 16 MiB hold in one run."""
    folder, random = tmp_path_factory.mktemp("sessions"), np.random.default_rng(5)
    paths = []
    for number in range(2):
        fetches = []
        for url in random.choice(URLS, 2000, replace=False).tolist():
            stays = np.random.default_rng(url).integers(0, URLS, 40)
            changes = random.integers(0, URLS, 10 if url % 2 else 0)
            targets = {int(target) for target in [*stays, *changes]} - {url}
            links = tuple((target, 0) for target in sorted(targets))
            fetches.append(Fetch(url, 10.0 * number + url % 7, content=url % 3 * number, links=links, rank=url % 2))
        path = folder / f"session-{number}"
        seen = frozenset(range(URLS))
        write_session(path, Crawled(float(number), tuple(fetches), seen), f"2026010{number + 1}T000000-abcdef")
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def ranked(run_each: RunEach, sessions: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Ranked:
    """The worklists that one rank makes in much memory, and three in little, and what was said of each, by its name."""
    folder = tmp_path_factory.mktemp("ranked")
    worklists: Ranked = {}
    for ranks, memory in MEMORIES.items():
        wanted = {formula: ["--by", formula, "--memory", str(memory)] for formula in FORMULAS}
        wanted["limited"] = ["--limit", "700"]
        outs = {name: folder / f"{name}-by-{ranks}" for name in wanted}
        words = {name: [*map(str, sessions), *wanted[name], "--out", str(outs[name])] for name in wanted}
        told = run_each(ranks, *(["worklist", *words[name], "--now", "2026-03-01"] for name in wanted))
        for (name, out), done in zip(outs.items(), told, strict=True):
            assert done.returncode == 0, done.stderr
            worklists[name, ranks] = out, done.stdout
    return worklists


@pytest.mark.parametrize("formula", FORMULAS)
def test_any_ranks_and_any_memory_make_the_same(ranked: Ranked, formula: str) -> None:
    found = []
    for ranks in MEMORIES:
        out, said = ranked[formula, ranks]
        worklist = open_worklist(out)
        worklist.check()
        rows = [row for kind in KINDS for placed in worklist.rows(kind) for row in placed.batch.to_pylist()]
        assert len(rows) == URLS
        found.append((worklist.identity, rows, said.splitlines()[0].partition(": ")[2]))
        assert sorted(path.name for path in out.iterdir()) == sorted(
            ["worklist.json", *(file.file for file in worklist.manifest.files)]
        )
    assert found[0] == found[1]


def test_a_limit_over_all_ranks(ranked: Ranked) -> None:
    one, three = (open_worklist(ranked["limited", ranks][0]) for ranks in MEMORIES)
    assert (one.identity, one.count("new"), one.count("old")) == (three.identity, three.count("new"), 700)


def test_one_line_tells_what_is_wrong(run_each: RunEach, run_ranks: Run, sessions: list[Path], tmp_path: Path) -> None:
    first, second = map(str, sessions)
    problems = {
        (first, first): f"{first}: is named twice; name each session once",
        (first, str(tmp_path / "none")): f"{tmp_path / 'none' / 'session.json'}: no such file",
        (first, second, "--now", "2026-01-02"): "--now 2026-01-02T00:00:00+00:00 is before the last fetch",
        (first, "--ranks", "3"): "--ranks says 3 ranks, but this MPI run has 2; ",
        (first, "--weight", "backlinks"): "--weight is for --by value; leave one of the two out",
        (first, "--partition", first): f"{first}: is a session, not a partition map",
    }
    out = ["--out", str(tmp_path / "w")]
    told = run_each(2, *(["worklist", *words, *out] for words in problems))
    for done, problem in zip(told, problems.values(), strict=True):
        assert_refused(done, problem)
    assert list(tmp_path.iterdir()) == []
    record = json.loads((sessions[0] / "epochs" / "000001.json").read_text())
    damaged = sessions[0] / record["ranks"][1]["tables"]["links"]["file"]
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-40])
    done = run_ranks(2, *COMMAND, first, second, *out)
    damaged.write_bytes(content)
    assert_refused(done, f"{damaged}: row 0 ")
    assert list(tmp_path.iterdir()) == []


def assert_refused(done: subprocess.CompletedProcess[str], problem: str) -> None:
    assert done.returncode == 2, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("cutweb worklist: "))
    assert line.removeprefix("cutweb worklist: ").startswith(problem)
