"""What stands out, in made-up foresights where it is known."""

from crawler.replay.foresight.findings import days, sentences
from crawler.replay.foresight.foresight import Foresight
from tests.crawler.replay.foresight.support.outlooks import EXAMPLE, both, foresight, outlook, replayed

UNEVEN = {"requests_imbalance": 3.0}


def told(made: Foresight, begin: str) -> str:
    (sentence,) = (sentence for sentence in sentences(made) if sentence.startswith(begin))
    return sentence


def test_how_much_is_new() -> None:
    assert sentences(EXAMPLE)[0].startswith("after, 30 days later, has 1,000 pages, of which 25% are not in before:")
    undated = foresight(*both("page-hash", 2, {}, {}), sessions=(replayed("a"), replayed("b")))
    assert sentences(undated)[0] == "b has 1,000 pages and has no pages that a has not."
    few = foresight(*both("page-hash", 2, {}, {}), sessions=(replayed("a"), replayed("b", new_pages=0.001)))
    assert sentences(few)[0].startswith("b has 1,000 pages, of which less than 1% are not in a:")


def test_who_stays_within_the_tolerance() -> None:
    assert told(EXAMPLE, "Predicted on before") == (
        "Predicted on before, every way stays within 10% of balance, in bytes and in pages, at every K."
    )
    assert told(EXAMPLE, "In after") == (
        "In after page/discoverer, prefix by any rule and page-hash stay within 10% of balance, in bytes and in pages, "
        "at every K."
    )


def test_who_stays_within_it_at_some_k() -> None:
    made = foresight(
        *both("page/site", 2, {}, {}),
        *both("page/site", 4, {}, UNEVEN),
        *both("page/hash", 2, {}, UNEVEN),
        *both("page/hash", 4, {}, UNEVEN),
    )
    assert told(made, "In after") == (
        "In after no way stays within 10% of balance, in bytes and in pages, at every K; at some K, page/site (K = 2)."
    )


def test_a_way_that_is_missing_at_some_k_does_not_stay_within_it_at_every_k() -> None:
    made = foresight(*both("site/site", 2, {}, {}), *both("page-hash", 2, {}, {}), *both("page-hash", 4, {}, {}))
    assert told(made, "In after page-hash stays").endswith("at some K, site/site (K = 2).")


def test_prefix_lasts_where_the_papers_rule_does_not() -> None:
    made = foresight(*both("page/discoverer", 2, {}, UNEVEN | {"overlap": 0.1}), *both("prefix/prefix", 2, {}, {}))
    assert "prefix/prefix keeps its balance in the later crawl, the paper's rule does not." in sentences(made)
    assert told(made, "The paper's rule") == (
        "The paper's rule (page/discoverer) fetches 10.0% of the pages twice, and its fullest rank has up to 300% "
        "above the mean (K = 2).  The pages that its map holds are within 3% by themselves; 90% of what the fullest "
        "rank fetches is new to the map, most of it in a.example/new/."
    )


def test_prefix_lasts_for_a_while_or_at_some_k() -> None:
    sessions = (replayed("a", 0.0), replayed("b", 7.0), replayed("c", 30.0))
    outlooks = [
        outlook(way, k, session, **(UNEVEN if is_uneven else {}))
        for way, uneven in {
            "page/discoverer": {(2, 1), (2, 2), (4, 1), (4, 2)},
            "prefix/prefix": {(4, 1), (2, 2), (4, 2)},
        }.items()
        for k in (2, 4)
        for session in range(3)
        for is_uneven in [(k, session) in uneven]
    ]
    made = foresight(*outlooks, sessions=sessions)
    kept = "prefix/prefix keeps its balance and the paper's rule does not after 7.0 days (K = 2); not elsewhere."
    assert kept in sentences(made)


def test_or_it_does_not_and_why() -> None:
    def verdict(lasting: dict[str, float], papers: dict[str, float]) -> str:
        made = foresight(*both("page/discoverer", 2, {}, papers), *both("prefix/prefix", 2, {}, lasting))
        return told(made, "prefix/prefix is no better than the paper's rule here: ").partition(": ")[2]

    assert verdict(UNEVEN, UNEVEN) == "it loses its balance too."
    assert verdict({"overlap": 0.1}, UNEVEN) == "it fetches pages twice."
    assert verdict({}, {}) == "both keep their balance."


def test_chance_alone() -> None:
    made = foresight(*both("page-hash", 2, {}, {}), *both("page-hash", 4, {}, UNEVEN))
    assert told(made, "With so few pages even page-hash").endswith("is up to 300% out of balance (K = 4).")
    assert not any(sentence.startswith("With so few") for sentence in sentences(EXAMPLE))


def test_who_fetches_twice() -> None:
    assert told(EXAMPLE, "Pages are fetched twice") == (
        "Pages are fetched twice under discoverer (up to 5.0%); no other rule does."
    )
    assert "No page is fetched twice under any rule." in sentences(foresight(*both("page-hash", 2, {}, {})))


def test_hashes_fetch_twice_where_ranks_cross_over() -> None:
    made = foresight(*both("page-hash", 2, {}, {"overlap": 0.5}), *both("page/site", 2, {}, {"overlap": 0.25}))
    assert told(made, "Pages are fetched twice") == (
        "Pages are fetched twice under a hash (up to 50.0%) and site (up to 25.0%), that is under all."
    )


def test_what_is_not_fetched() -> None:
    made = foresight(*both("page-hash", 2, {}, {"coverage": 0.5}), *both("page/site", 2, {}, {"coverage": 0.75}))
    assert told(made, "Not all that") == "Not all that was discovered is fetched: as little as 50.0% (page-hash, K=2)."
    assert not any(sentence.startswith("Not all") for sentence in sentences(EXAMPLE))


def test_who_sends_least_at_the_largest_k() -> None:
    assert told(EXAMPLE, "Without overlap") == (
        "Without overlap, at K = 2 least is sent by prefix/prefix with 5.0 bytes on the wire a page, 5% of page-hash's."
    )
    made = foresight(
        *both("page/prefix", 2, {}, {"wire_bytes_per_page": 1.0}),
        *both("page/prefix", 4, {}, UNEVEN | {"wire_bytes_per_page": 1.0}),
        *both("page-hash", 4, {}, {"wire_bytes_per_page": 50.0}),
    )
    assert told(made, "Without overlap") == (
        "Without overlap, at K = 4 least is sent by page/prefix with 1.0 bytes on the wire a page, 2% of page-hash's; "
        "within the tolerance, by page-hash with 50.0 bytes on the wire a page, 100% of page-hash's."
    )


def test_how_far_volumes_are_from_what_was_predicted() -> None:
    assert told(EXAMPLE, "What is sent") == (
        "What is sent for a page is 0.5 (prefix/prefix, K=2) to 2.0 times (page/prefix, K=2) what was predicted."
    )


def test_the_last_session_is_told_of() -> None:
    made = foresight(
        *(outlook("page-hash", 2, number, overlap=number / 100) for number in range(3)),
        sessions=(replayed("a", 0.0), replayed("b", 1.0), replayed("c", 2.0)),
    )
    assert sentences(made)[0].startswith("c, 2.0 days later,")
    assert "(up to 2.0%)" in told(made, "Pages are fetched twice")


def test_without_a_later_session_only_the_first_is_told_of() -> None:
    made = foresight(outlook("page-hash", 2, 0), sessions=(replayed("a", 0.0),))
    assert sentences(made) == [
        "On a, which the partitions are made from, every way stays within 10% of balance, in bytes and in pages, at "
        "every K."
    ]


def test_ages() -> None:
    assert [days(0.04), days(2.25), days(731.0), days(-12.0)] == ["0.0 days", "2.2 days", "731 days", "-12 days"]
