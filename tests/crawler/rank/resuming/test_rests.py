"""What a gatekeeper that goes on knows of sites that have failed, against a dict."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.earlier_rests import EarlierRests, hashes_of_sites
from crawler.politeness.messages import keeper_of
from crawler.rank.resuming import rests
from crawler.rank.resuming.rests import COLUMNS, LONGEST_REST_SECONDS, earlier_rests
from tests.crawler.rank.resuming.support.table_rows import batches_of

BEGAN, NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), 5000.0
SITES = [f"{name}.example{port}" for name in "abcd" for port in ("", ":8080")]
Row = tuple[str, int, int, int]


def row(site: str, answered: float, seconds: float, failures: int) -> dict[str, object]:
    """``answered`` counts from when the run that goes on began."""
    return {
        "site": site,
        "answered": BEGAN + timedelta(seconds=answered),
        "seconds": float(seconds),
        "failures": failures,
    }


def left(known: EarlierRests, site: str) -> float:
    return max(0.0, known.until(site) - NOW)


def one(answered: float, seconds: float, failures: int = 1) -> EarlierRests:
    batches = batches_of("rests", [row("a.example", answered, seconds, failures)], COLUMNS, 10)
    return earlier_rests(batches, rank=0, ranks=1, began=BEGAN, now=NOW)


def test_what_is_left_of_a_rest_is_waited_for() -> None:
    assert left(one(-6.0, 45.0), "a.example") == 39.0
    assert left(one(-60.0, 45.0), "a.example") == 0.0
    assert left(one(-60.0, 45.0), "b.example") == 0.0


@pytest.mark.parametrize(
    ("answered", "seconds", "expected"),
    [
        (86400.0 * 365, 45.0, 45.0),  # the clock was set back: it seems to come from the future
        (-86400.0 * 365, 45.0, 0.0),
        (0.0, 1e9, LONGEST_REST_SECONDS),
        (7200.0, 1e9, LONGEST_REST_SECONDS),
    ],
)
def test_whatever_the_clocks_say_no_rest_is_longer_than_it_was_to_be(
    answered: float, seconds: float, expected: float
) -> None:
    assert left(one(answered, seconds), "a.example") == expected


def test_failures_are_told_to_all_until_the_site_may_be_visited_and_then_once() -> None:
    known = one(-40.0, 45.0, 3)
    assert [known.failures("a.example", NOW + after) for after in (0.0, 1.0, 4.9, 5.0, 5.0)] == [3, 3, 3, 0, 0]
    over = one(-60.0, 45.0, 3)
    assert [over.failures("a.example", NOW) for _ in range(2)] == [3, 0]
    assert known.failures("b.example", NOW) == 0


def test_who_has_answered_well_since_is_forgotten() -> None:
    rows = [row("a.example", -60.0, 45.0, 3), row("a.example", -10.0, 1.0, 0)]
    known = earlier_rests(batches_of("rests", rows, COLUMNS, 1), rank=0, ranks=1, began=BEGAN, now=NOW)
    assert len(known) == 0


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(SITES), st.integers(-99, 9), st.integers(0, 99), st.integers(0, 9)), max_size=30
    ),
    st.integers(1, 4),
    st.sampled_from([1, 3, 100]),
    st.sampled_from([1, 7, 1 << 20]),
)
def test_of_each_site_its_gatekeeper_alone_knows_what_came_last(
    came: list[Row], ranks: int, size: int, at_once: int
) -> None:
    rests._ROWS_AT_ONCE, before = at_once, rests._ROWS_AT_ONCE
    table = [row(*one) for one in came]
    known = [
        earlier_rests(batches_of("rests", table, COLUMNS, size), rank=rank, ranks=ranks, began=BEGAN, now=NOW)
        for rank in range(ranks)
    ]
    rests._ROWS_AT_ONCE = before
    last: dict[str, Row] = {}
    for one in came:
        if one[1] >= last.get(one[0], one)[1]:
            last[one[0]] = one
    for site in SITES:
        for rank in range(ranks):
            is_mine = site in last and keeper_of(site, ranks) == rank
            _, answered, seconds, failures = last[site] if is_mine else ("", 0, 0, 0)
            assert left(known[rank], site) == max(0.0, min(float(answered + seconds), float(seconds)))
            assert known[rank].failures(site, NOW) == failures


def test_of_too_many_those_that_rest_longest_are_kept() -> None:
    rows = [row(f"s{n}.example", -1.0, 10.0 + n, 1) for n in range(20)]
    batches = batches_of("rests", rows, COLUMNS, 100)
    everyone = earlier_rests(batches, rank=0, ranks=1, began=BEGAN, now=NOW)
    kept = EarlierRests((everyone._sites, everyone._until, everyone._failures), most_sites=5)  # type: ignore[arg-type]
    assert [n for n in range(20) if left(kept, f"s{n}.example")] == [15, 16, 17, 18, 19]
    assert len(hashes_of_sites([])) == 0
