"""Which trials a request takes on which graph."""

from partition.quality.request import Request, Trial, trials_of
from partition.report.results import LeftOut, lines_of
from tests.partition.quality.support.webs import SmallWeb, ring

NUMBERED = SmallWeb(dict.fromkeys([f"http://pages.invalid/{number}" for number in range(4)], 1), (), ())


def test_all_models_at_all_ks_with_all_seeds_in_order() -> None:
    trials, left_out = trials_of(Request(models=("site-hash", "page"), parts=(2, 4), seeds=(5, 6)), ring().graph())
    assert trials == [
        *(Trial("page", k, seed) for k in (2, 4) for seed in (5, 6)),
        *(Trial("site-hash", k, 5) for k in (2, 4)),
    ]
    assert left_out == []


def test_by_default_all_models_are_tried() -> None:
    trials, _ = trials_of(Request(parts=(2,), seeds=(1,)), ring().graph())
    models = [trial.model for trial in trials]
    assert models == ["page", "site", "prefix", "url-range", "page-hash", "site-hash"]


def test_without_urls_models_of_urls_are_left_out() -> None:
    trials, left_out = trials_of(Request(parts=(2,), seeds=(1,)), NUMBERED.graph())
    assert [trial.model for trial in trials] == ["page", "url-range", "page-hash"]
    assert [left.model for left in left_out] == ["site", "prefix", "site-hash"]
    assert lines_of(left_out) == ["site, prefix, site-hash left out: the pages have no URLs"]


def test_what_is_left_out_at_one_k_says_so() -> None:
    left_out = [LeftOut("site", 8, "too few"), LeftOut("page", 9, "too little"), LeftOut("site", 9, "too few")]
    assert lines_of(left_out) == ["site at K=8, site at K=9 left out: too few", "page at K=9 left out: too little"]
    assert str(Trial("site", 8, 2)) == "site, K=8, seed 2"
