"""The pictures in report.html: one for each K, of the model that the report recommends there."""

import re
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from partition.graphs.link_graph import link_graph
from partition.models.settings import Settings
from partition.quality.answer import best_at
from partition.quality.cut_pictures import cut_pictures
from partition.quality.dataset import data_set
from partition.quality.mean_results import summed_up
from partition.quality.report import Report
from partition.quality.request import QualityRequest, trials_of
from partition.quality.trial import run_trial
from sessions.session import Session
from tests.partition.quality.support.webs import ring

REQUEST = QualityRequest(
    ("page", "site", "page-hash"), (2, 4), (3, 4), Settings(tolerance=0.2, effort="low", threads=1), "prefix"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("webs")
    session = Session.open(ring().session(folder / "ring"))
    graph = link_graph(session)
    trials, left_out = trials_of(REQUEST, graph)
    outcomes = [run_trial(graph, trial, REQUEST, Path(folder)) for trial in trials]
    results, _ = summed_up(outcomes)
    return Report(data_set(session, graph), "", "", REQUEST, results, outcomes, left_out)


def test_each_k_has_the_picture_of_its_best_and_the_last_is_open(report: Report) -> None:
    shown = cut_pictures(report, (2, 4), count(1))
    opened = re.findall(r'<details class="of-cut"( open)?><summary>(\d) ranks, by ([a-z-]+)</summary>', shown)
    assert opened == [(" open" if k == 4 else "", str(k), best_at(report, k).model) for k in (2, 4)]
    for k in (2, 4):
        best = min(
            (result for result in report.results if result.k == k and result.figures["requests_imbalance"].most <= 0.2),
            key=lambda result: result.figures["sent_bytes"].mean,
        )
        assert best_at(report, k) == best
        (volume,) = (
            outcome.figures["sent_bytes"]
            for outcome in report.outcomes
            if (outcome.trial.model, outcome.trial.k, outcome.trial.seed) == (best.model, k, 3)
        )
        assert f"{volume:,} bytes of URLs, each once" in shown


def test_only_the_first_seed_has_a_portrait_of_what_is_measured(report: Report) -> None:
    for outcome in report.outcomes:
        assert (outcome.portrait is not None) == (outcome.trial.seed == 3)
        if outcome.portrait is not None:
            assert outcome.portrait.cost == outcome.figures["sent_bytes"]


def test_what_comes_nearest_to_balance_is_shown_if_nothing_keeps_it(report: Report) -> None:
    strict = replace(report, request=replace(REQUEST, settings=replace(REQUEST.settings, tolerance=-1.0)))
    at_four = [result for result in report.results if result.k == 4]
    nearest = min(
        at_four, key=lambda result: max(result.figures[f"{kind}_imbalance"].most for kind in ("storage", "requests"))
    )
    assert f"4 ranks, by {nearest.model}" in cut_pictures(strict, (4,), count(1))


def test_without_a_portrait_there_is_no_picture(report: Report) -> None:
    bare = replace(report, outcomes=[replace(outcome, portrait=None) for outcome in report.outcomes])
    assert cut_pictures(bare, (2, 4), count(1)) == ""
