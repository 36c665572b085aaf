"""Webs that may come next, and that a promise made of them holds on a web that grew older."""

from pathlib import Path

import numpy as np

from crawler.pages.warc_import import import_warcs
from crawler.replay.advice import advise
from crawler.replay.costs import cost_of, handovers
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.recording import recording_of
from crawler.replay.trials import GROWTHS, by_chance, weights_of
from partition.graphs.holdout import FOLDS
from partition.graphs.link_graph import link_graph
from partition.models.partition_pages import Settings
from sessions.localweb.evolve.evolve import evolve_web
from sessions.localweb.generate.make import make_web
from sessions.session import Session

QUICK = Settings(effort="low", threads=1)


def test_new_pages_come_and_others_go() -> None:
    folds, sites = np.arange(40) % FOLDS, np.arange(40) // 10
    webs = list(weights_of(folds, sites, 2))
    turned_over, grown = webs[: len(GROWTHS) * FOLDS], webs[len(GROWTHS) * FOLDS :]
    assert {float(web[folds == 2].min()) for web in turned_over} == set(GROWTHS)
    assert all((web[folds == 2] > 0).all() for web in turned_over)
    assert sorted(np.count_nonzero(web == 0) for web in turned_over) == [0] * 2 + [8] * 2 * (FOLDS - 1)
    for web in grown:
        assert all(len(set(web[sites == site].tolist())) == 1 for site in range(4)), "a site as a whole"
        assert ((web >= 0.5) & (web <= 2)).all()
    assert len({web.tobytes() for web in webs}) == len(webs)


def test_a_web_in_which_all_pages_are_gone_is_none() -> None:
    for new in range(FOLDS):
        assert all(web.sum() > 0 for web in weights_of(np.zeros(1, np.int64), np.zeros(1, np.int64), new))


def test_a_hash_gives_pages_to_any_rank() -> None:
    owners = np.zeros(50, np.int32)
    draws = [by_chance(owners, 40, draw, 4) for draw in range(FOLDS)]
    for drawn in draws:
        assert set(drawn[:40].tolist()) == {0, 1, 2, 3}
        assert not drawn[40:].any()
    assert len({drawn.tobytes() for drawn in draws}) == FOLDS
    assert not owners.any()


def test_a_promise_holds_on_a_web_that_grew_older(tmp_path: Path) -> None:
    """A fifth of the pages is new, another is gone, and half of them have changed: what came is in the bands."""
    made = make_web(tmp_path / "a.warc.gz", sites=9, pages=300, seed=2)
    evolve_web(made.path, tmp_path / "b.warc.gz", days=35, seed=2)
    for name in "ab":
        import_warcs([tmp_path / f"{name}.warc.gz"], tmp_path / name)
    promise, later = advise(tmp_path / "a", 6, models=["prefix"], cutting=QUICK), recording_of(tmp_path / "b")
    maps = tmp_path / "maps"
    maps.mkdir()
    cuts = Cuts(link_graph(Session.open(tmp_path / "a")), QUICK, maps, lambda _: None)
    held = []
    for option in promise.shown:
        owners = cuts.ownership(later, option.candidate).owners
        given = handovers(later, owners, 6)
        cost = cost_of(later, owners, given, 10.0, promise.prices, np.ones(later.page_count))
        held += [cost.page_ms <= option.page_ms.high, cost.requests_imbalance <= option.requests_imbalance.high]
        if option == promise.chosen:
            assert option.requests_imbalance.holds(cost.requests_imbalance)
    assert all(held)
    assert promise.chosen.candidate.model == "prefix"  # nothing keeps its balance, and this sends least
