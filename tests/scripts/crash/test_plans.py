"""What strikes a crawl in the crash test: when, where, and what it takes."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.crash.plans import CUT_OFF, KILLS, MOST_RANKS, SIGNALS, STEP, draw, name_of
from scripts.crash.power_cut import lose_uncommitted
from sessions.checking.check import check_session
from sessions.session import Session
from tests.sessions.support.builder import HOME, Crawl

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
def test_runs_are_hit_until_the_last_attempt(seed: int) -> None:
    for run in (draw(seed, number, 300) for number in range(10)):
        assert run == draw(seed, run.number, 300)
        *hit, last = run.attempts
        assert hit
        assert last.blow is None
        for attempt in hit:
            assert attempt.blow is not None
            assert 0 <= attempt.blow.rank < attempt.ranks <= MOST_RANKS
            assert (attempt.blow.thaw is not None) == (attempt.blow.kind == CUT_OFF)


@pytest.mark.parametrize("seed", SEEDS)
def test_ten_runs_show_each_kind_of_blow(seed: int) -> None:
    runs = [draw(seed, number, 300) for number in range(10)]
    kinds = {attempt.blow.kind for run in runs for attempt in run.attempts if attempt.blow}
    assert kinds >= {*KILLS, STEP, CUT_OFF} - {"mpiexec"}
    assert kinds & set(SIGNALS)


def test_many_runs_show_every_variety() -> None:
    runs = [draw(1, number, 300) for number in range(200)]
    first = [run.attempts[0] for run in runs]
    assert {attempt.assignment for attempt in first} == {"page-hash", "site-hash", "partition"}
    assert {attempt.ranks for attempt in first} == set(range(1, MOST_RANKS + 1))
    assert {name_of(attempt.options) for attempt in first} >= {"hasty", "polite", "hasty, budget, tiny memories"}
    assert {len(run.attempts) for run in runs} == {2, 3, 4}
    assert {run.limits for run in runs} == {(), ("--max-depth", "3")}
    assert {run.has_overlap for run in runs} == {True, False}
    assert any(len({attempt.ranks for attempt in run.attempts}) > 1 for run in runs)
    assert {attempt.blow.kind for run in runs for attempt in run.attempts if attempt.blow} == {
        *KILLS,
        *SIGNALS,
        STEP,
        CUT_OFF,
    }


# A rank that is to die at a step to disk dies there, and only that rank does.

FAULTS = Path(__file__).resolve().parents[3] / "scripts" / "crash" / "faults"
PROGRAM = "import os\nfor name in '012': open(name, 'w').close(); os.rename(name, 'x' + name)"


def left_by(folder: Path, step: str, rank: str | None) -> tuple[int, list[str]]:
    """The exit code of a program that renames three files, and what is there afterwards."""
    environment = {name: value for name, value in os.environ.items() if "RANK" not in name}
    environment |= {"PYTHONPATH": str(FAULTS), "CUTWEB_CRASH_STEP": step}
    if rank is not None:
        environment["PMI_RANK"] = rank
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, check=False)
    return done.returncode, sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("step", "rank"), [("0:2", None), ("0:2", "0"), ("3:2", "3")])
def test_the_rank_dies_before_its_step(tmp_path: Path, step: str, rank: str | None) -> None:
    assert left_by(tmp_path, step, rank) == (-signal.SIGKILL, ["1", "x0"])


@pytest.mark.parametrize(("step", "rank"), [("0:4", None), ("1:2", "0"), ("1:2", None), ("", "0")])
def test_others_live(tmp_path: Path, step: str, rank: str | None) -> None:
    assert left_by(tmp_path, step, rank) == (0, ["x0", "x1", "x2"])


# A power cut, as the crash test has it, touches nothing that is committed, and does touch the rest.


def test_only_what_is_not_committed_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "session"
    crawl = Crawl(path, ranks=1)
    crawl.ranks[0].discover([HOME])
    crawl.ranks[0].fetch(HOME, b"home")
    crawl.commit()
    crawl.close()
    session = Session.open(path)
    committed = {file.path: file.path.read_bytes() for file in (*session.table_files(), *session.warc_files())}
    warc = session.warc_files()[0].path
    left = [path / "epochs" / ".000002.json.run.partial", path / "rank-0000" / "pages-000002-run.parquet", warc]
    lost = set()
    for seed in range(30):
        for file in left:
            file.write_bytes(committed.get(file, b"") + b"uncommitted")
        lose_uncommitted(path, random.Random(seed))
        assert Session.open(path) == session
        assert check_session(path).is_good
        assert all(file.read_bytes().startswith(content) for file, content in committed.items())
        rest = [file.read_bytes()[len(committed.get(file, b"")) :] if file.exists() else None for file in left]
        lost |= {"gone" if tail is None else "whole" if tail == b"uncommitted" else "cut" for tail in rest}
    assert lost == {"gone", "whole", "cut"}


def test_what_is_no_session_yet_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://site.example/\n")
    lose_uncommitted(tmp_path, random.Random(1))
    assert (tmp_path / "seeds.txt").read_text() == "http://site.example/\n"
