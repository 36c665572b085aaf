"""Webs that may come next, and that a promise made of them holds on a web that grew older."""

from pathlib import Path

import numpy as np
import pytest

from crawler.pages.warc_import import import_warcs
from crawler.replay.advice import advise
from crawler.replay.costs import cost_of, handovers
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.recording import recording_of
from crawler.replay.trials import GROWTHS, by_chance, weights_of
from partition.graphs.holdout import FOLDS
from partition.graphs.link_graph import link_graph
from partition.models.settings import Settings
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


@pytest.mark.long
def test_promises_hold_on_webs_that_grew_older(tmp_path: Path) -> None:
    """A fifth of the pages is new, another is gone, and half of them have changed.

    A band is where most of what may come lies, not all: of twelve figures two may be worse, and of three webs one may
    keep its balance better.
    """
    came = [_what_came(tmp_path / str(seed), seed) for seed in (1, 2, 3)]
    no_worse = [held for of_web, _ in came for held in of_web]
    assert len(no_worse) == 12
    assert sum(no_worse) >= 10
    assert sum(is_in_band for _, is_in_band in came) >= 2


def _what_came(folder: Path, seed: int) -> tuple[list[bool], bool]:
    """Which figures are no worse than promised, and whether the imbalance of what was chosen lies in its band."""
    folder.mkdir()
    made = make_web(folder / "a.warc.gz", sites=9, pages=300, seed=seed)
    evolve_web(made.path, folder / "b.warc.gz", days=35, seed=seed)
    for name in "ab":
        import_warcs([folder / f"{name}.warc.gz"], folder / name)
    promise, later = advise(folder / "a", 6, models=["prefix"], cutting=QUICK), recording_of(folder / "b")
    maps = folder / "maps"
    maps.mkdir()
    cuts = Cuts(link_graph(Session.open(folder / "a")), QUICK, maps, lambda _: None)
    no_worse, costs = [], {}
    for option in promise.shown:
        owners = cuts.ownership(later, option.candidate).owners
        given = handovers(later, owners, 6)
        cost = cost_of(later, owners, given, 10.0, promise.prices, np.ones(later.page_count))
        no_worse += [
            cost.page_ms <= option.page_ms.high,
            cost.requests_imbalance <= option.requests_imbalance.high,
        ]
        costs[option.candidate] = cost
    chosen = promise.chosen
    assert chosen.candidate.model == "prefix"  # nothing keeps its balance, and this sends least
    return no_worse, chosen.requests_imbalance.holds(costs[chosen.candidate].requests_imbalance)
