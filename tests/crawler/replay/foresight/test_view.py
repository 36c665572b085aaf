"""What there is in a foresight, and what was asked of it."""

from crawler.replay.foresight.request import Candidate, ForesightRequest, candidates_of
from crawler.replay.foresight.view import View
from partition.choices import UNKNOWN_RULES
from partition.quality.request import USUAL_MODELS
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight, outlook


def test_what_there_is() -> None:
    view = View(EXAMPLE)
    assert view.models == ["page", "prefix", "page-hash"]
    assert view.rules == ["prefix", "discoverer"]
    assert view.parts == [2]
    assert list(view.ways) == ["page/prefix", "page/discoverer", "prefix/prefix", "prefix/discoverer", "page-hash"]


def test_ways_have_their_candidates_by_k() -> None:
    view = View(foresight(*both("page/site", 8, {}, {}), *both("page/site", 4, {}, {})))
    assert view.ways == {"page/site": [Candidate("page", "site", 4), Candidate("page", "site", 8)]}
    assert view.parts == [4, 8]


def test_figures() -> None:
    view, page = View(EXAMPLE), Candidate("page", "prefix", 2)
    assert view.value("wire_bytes_per_page", page, 1) == view.known("wire_bytes_per_page", page, 1) == 20
    assert view.value("wire_bytes_per_page", page, 2) is None
    assert view.value("time_imbalance", page, 1) is None
    assert view.value("wire_bytes_per_page", Candidate("page", "site", 2), 1) is None
    assert view.values("overlap", (1,)) == [0, 0.05, 0, 0.02, 0]
    assert view.crowded(page, 1) == "a.example/new/"
    assert view.crowded(page, 0) is None


def test_the_larger_imbalance_counts() -> None:
    view = View(
        foresight(
            outlook("page-hash", 2, 0, storage_imbalance=0.05, requests_imbalance=0.1),
            outlook("page-hash", 4, 0, storage_imbalance=0.101, requests_imbalance=0.0),
        )
    )
    even, uneven = (Candidate("page-hash", None, k) for k in (2, 4))
    assert (view.imbalance(even, 0), view.imbalance(uneven, 0)) == (0.1, 0.101)
    assert view.is_bearable(even, 0)
    assert not view.is_bearable(uneven, 0)


# Which candidates a request has.


def test_candidates_are_by_model_k_and_rule_and_a_hash_has_no_rule() -> None:
    assert candidates_of(("site-hash", "page"), (4, 2), ("site", "hash")) == [
        Candidate("page", "site", 4),
        Candidate("page", "hash", 4),
        Candidate("page", "site", 2),
        Candidate("page", "hash", 2),
        Candidate("site-hash", None, 4),
        Candidate("site-hash", None, 2),
    ]


def test_a_request_is_for_the_usual_models_and_all_rules() -> None:
    request = ForesightRequest()
    assert (request.models, request.rules) == (USUAL_MODELS, tuple(UNKNOWN_RULES))
    assert request.cutting.tolerance < request.tolerance


def test_names() -> None:
    assert str(Candidate("page", "site", 4)) == "page/site, K=4"
    assert str(Candidate("page-hash", None, 8)) == "page-hash, K=8"
    assert Candidate("page", "site", 4).needs_map
    assert not Candidate("page-hash", None, 8).needs_map
