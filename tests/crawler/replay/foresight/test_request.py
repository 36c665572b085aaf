"""Which candidates a request has."""

from crawler.replay.foresight.request import Candidate, Request, candidates_of
from partition.map.manifest import UNKNOWN_RULES
from partition.quality.request import ALL_MODELS


def test_candidates_are_by_model_k_and_rule_and_a_hash_has_no_rule() -> None:
    assert candidates_of(("site-hash", "page"), (4, 2), ("site", "hash")) == [
        Candidate("page", "site", 4),
        Candidate("page", "hash", 4),
        Candidate("page", "site", 2),
        Candidate("page", "hash", 2),
        Candidate("site-hash", None, 4),
        Candidate("site-hash", None, 2),
    ]


def test_a_request_is_for_all_models_and_rules() -> None:
    request = Request()
    assert (request.models, request.rules) == (ALL_MODELS, UNKNOWN_RULES)
    assert request.cutting.tolerance < request.tolerance


def test_names() -> None:
    assert str(Candidate("page", "site", 4)) == "page/site, K=4"
    assert str(Candidate("page-hash", None, 8)) == "page-hash, K=8"
    assert Candidate("page", "site", 4).needs_map
    assert not Candidate("page-hash", None, 8).needs_map
