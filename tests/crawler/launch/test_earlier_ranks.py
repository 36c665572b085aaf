"""Ranks of a session's earlier runs, by the signs that they have left."""

import os
import time
from pathlib import Path

import pytest

from crawler.launch import earlier_ranks
from crawler.launch.earlier_ranks import clear_this_machine, have_all_died_here, host_of_living, hosts_left
from crawler.monitoring.signs_of_life import Sign, begin_signs, write_sign
from crawler.process.process_tree import process_tree
from crawler.process.shared_memory import FOLDER

HERE = os.uname().nodename
GONE = (1 << 30, 5)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    begin_signs(tmp_path, "run")
    return tmp_path


def test_ranks_of_this_machine_live_if_their_processes_do(session: Path) -> None:
    assert host_of_living(session) is None
    write_sign(session, "run", 0, Sign(HERE, process=GONE))
    assert host_of_living(session) is None
    (this,) = process_tree(os.getpid())[:1]
    write_sign(session, "run", 1, Sign(HERE, process=(this.pid, this.began - 1)))  # another of the same number
    assert host_of_living(session) is None
    write_sign(session, "run", 1, Sign(HERE, process=this))
    assert host_of_living(session) == HERE


@pytest.mark.parametrize("beats", [True, False])
def test_ranks_elsewhere_live_if_their_signs_go_on(session: Path, monkeypatch: pytest.MonkeyPatch, beats: bool) -> None:
    elsewhere, clock = Sign("node7", beat=41, process=GONE), [0.0]
    write_sign(session, "run", 2, elsewhere)

    def sleep(seconds: float) -> None:
        clock[0] += seconds
        if beats and clock[0] > 2.0:
            write_sign(session, "run", 2, elsewhere._replace(beat=42))

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    assert host_of_living(session) == ("node7" if beats else None)
    assert clock[0] < earlier_ranks._PATIENCE_SECONDS + 0.2


@pytest.mark.parametrize("beats", [True, False])
def test_ranks_have_died_if_none_has_a_process_here_nor_beats(
    session: Path, monkeypatch: pytest.MonkeyPatch, beats: bool
) -> None:
    """One in a container may have this machine's name, and a process that nobody sees here."""
    clock = [0.0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds
        write_sign(session, "run", 0, Sign(HERE, beat=2 if beats else 1, process=GONE))

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    write_sign(session, "run", 0, Sign(HERE, beat=1, process=GONE))
    assert have_all_died_here(session, 1) != beats
    assert not have_all_died_here(session, 2), "nobody knows of the other"
    write_sign(session, "run", 1, Sign("node7", beat=1, process=GONE))
    assert not have_all_died_here(session, 2)


def test_hosts_that_have_no_rank_any_more_are_named(session: Path) -> None:
    for rank, host in enumerate(["b", "a", "b", "c"]):
        write_sign(session, "run", rank, Sign(host))
    assert hosts_left(session, {"a", "d"}) == ["b", "c"]


def test_shared_memory_of_dead_ranks_of_this_machine_is_removed(session: Path) -> None:
    segments = {name: FOLDER / f"mpich_shm_cutwebtest{os.getpid()}{name}_0" for name in ("dead", "living", "elsewhere")}
    try:
        for path in segments.values():
            path.write_bytes(b"x")
        write_sign(session, "run", 0, Sign(HERE, process=GONE, shared=(segments["dead"].name,)))
        write_sign(session, "run", 1, Sign("x", process=GONE, shared=(segments["elsewhere"].name,)))
        living = process_tree(os.getpid())[0]
        write_sign(session, "run", 2, Sign(HERE, process=living, shared=(segments["living"].name,)))
        clear_this_machine(session)
        clear_this_machine(None)
        assert {name for name, path in segments.items() if path.exists()} == {"living", "elsewhere"}
    finally:
        for path in segments.values():
            path.unlink(missing_ok=True)
