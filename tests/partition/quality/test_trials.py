"""Trials in processes of their own."""

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing import get_context, reduction
from pathlib import Path
from socket import socket
from types import FrameType

import pytest

from partition.map.manifest import MapError
from partition.models.settings import Settings
from partition.quality import trials
from partition.quality.figures import FIGURES
from partition.quality.request import QualityRequest, Trial, trials_of
from partition.quality.trial import Outcome
from partition.quality.trials import run_trials
from partition.report.results import LeftOut, lines_of
from tests.partition.quality.support.webs import SmallWeb, ring

REPEATABLE = [figure.name for figure in FIGURES if not figure.of_machine and figure.name != "seconds_imbalance"]
TWO = [Trial("page-hash", 2, 1), Trial("page-hash", 3, 1)]


def repeatable(outcomes: list[Outcome]) -> list[tuple[Trial, dict[str, object]]]:
    return [(outcome.trial, {name: outcome.figures[name] for name in REPEATABLE}) for outcome in outcomes]


def test_figures_do_not_depend_on_how_many_run_at_a_time(tmp_path: Path) -> None:
    graph = ring().graph()
    wanted = QualityRequest(models=("page", "site-hash"), parts=(3,), seeds=(1, 2), settings=Settings(effort="low"))
    listed, _ = trials_of(wanted, graph)
    told: list[tuple[int, int]] = []
    alone = run_trials(graph, listed, wanted, tmp_path, lambda _, done, total: told.append((done, total)))
    assert told == [(done, 3) for done in range(1, 4)]
    assert [outcome.trial for outcome in alone] == listed
    beside = replace(wanted, jobs=3)
    assert repeatable(run_trials(graph, listed, beside, tmp_path)) == repeatable(alone)


def test_a_signal_cuts_no_start_short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sent: list[Sequence[int]] = []
    send = reduction.sendfds

    def send_under_fire(connection: socket, files: Sequence[int]) -> None:
        signal.raise_signal(signal.SIGUSR2)
        send(connection, files)
        sent.append(files)

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    monkeypatch.setattr(reduction, "sendfds", send_under_fire)
    signal.signal(signal.SIGUSR2, leave)
    with pytest.raises(SystemExit):
        run_trials(ring().graph(), TWO, QualityRequest(), tmp_path)
    assert len(sent) == 1


# What a forked process finds in this module, the child of a fork server does not; so the children below are forked.
@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(trials, "fork_server", lambda: get_context("fork"))
    return monkeypatch


def test_a_process_that_is_killed_is_an_outcome(forked: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def die(*_: object) -> Outcome:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    forked.setattr(trials, "run_trial", die)
    outcomes = run_trials(ring().graph(), TWO, QualityRequest(), tmp_path)
    assert [outcome.trial for outcome in outcomes] == TWO
    assert outcomes[0].reason == "its process was killed (signal 9); there may not be enough memory"


def test_a_map_that_cannot_be_written_ends_all(forked: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> Outcome:
        raise MapError("x/y: No space left on device")

    forked.setattr(trials, "run_trial", fail)
    with pytest.raises(MapError, match="x/y: No space left on device"):
        run_trials(ring().graph(), TWO, QualityRequest(), tmp_path)


def test_a_bug_is_told_with_where_it_is(forked: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stumble(*_: object) -> Outcome:
        raise ZeroDivisionError("of all things")

    forked.setattr(trials, "run_trial", stumble)
    with pytest.raises(RuntimeError, match=r"(?s)page-hash, K=\d, seed 1: Traceback.*in stumble.*of all things"):
        run_trials(ring().graph(), TWO, QualityRequest(), tmp_path)


def test_when_one_ends_all_the_others_do_not_go_on(forked: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail_or_wait(_graph: object, trial: Trial, *_: object) -> Outcome:
        (tmp_path / f"{trial.k}.pid").write_text(str(os.getpid()))
        if trial.k == 2:
            while not (tmp_path / "3.pid").exists():
                pass
            raise MapError("full")
        signal.pause()
        raise AssertionError

    forked.setattr(trials, "run_trial", fail_or_wait)
    with pytest.raises(MapError, match="full"):
        run_trials(ring().graph(), TWO, QualityRequest(jobs=2), tmp_path)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "3.pid").read_text()), 0)


# Which trials a request takes on which graph.

NUMBERED = SmallWeb(dict.fromkeys([f"http://pages.invalid/{number}" for number in range(4)], 1), (), ())


def test_all_models_at_all_ks_with_all_seeds_in_order() -> None:
    trials, left_out = trials_of(
        QualityRequest(models=("site-hash", "page"), parts=(2, 4), seeds=(5, 6)), ring().graph()
    )
    assert trials == [
        *(Trial("page", k, seed) for k in (2, 4) for seed in (5, 6)),
        *(Trial("site-hash", k, 5) for k in (2, 4)),
    ]
    assert left_out == []


def test_by_default_baselines_are_not_tried() -> None:
    trials, _ = trials_of(QualityRequest(parts=(2,), seeds=(1,)), ring().graph())
    models = [trial.model for trial in trials]
    assert models == ["page", "site", "prefix", "url-range", "page-hash", "site-hash"]


def test_without_urls_models_of_urls_are_left_out() -> None:
    trials, left_out = trials_of(QualityRequest(parts=(2,), seeds=(1,)), NUMBERED.graph())
    assert [trial.model for trial in trials] == ["page", "url-range", "page-hash"]
    assert [left.model for left in left_out] == ["site", "prefix", "site-hash"]
    assert lines_of(left_out) == ["site, prefix, site-hash left out: the pages have no URLs"]


def test_what_is_left_out_at_one_k_says_so() -> None:
    left_out = [LeftOut("site", 8, "too few"), LeftOut("page", 9, "too little"), LeftOut("site", 9, "too few")]
    assert lines_of(left_out) == ["site at K=8, 9 left out: too few", "page at K=9 left out: too little"]
    assert str(Trial("site", 8, 2)) == "site, K=8, seed 2"
