"""What gatekeepers learn again from the robots table, against a dict."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.fetching.robots_fetcher import RobotsFetching, RobotsSettings
from crawler.monitoring.counters import Counters
from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from crawler.politeness.entry import Errand
from crawler.politeness.messages import Ask, Facts, keeper_of
from crawler.politeness.robots.rules import Rules
from crawler.politeness.robots_cache import Remembered, RobotsCache, packed, remembered_as
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from crawler.rank.resuming.robots import COLUMNS, DATED_COLUMNS, newest, relearn_robots
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.url import site_of
from tests.crawler.politeness.support.null_mailbox import Letters
from tests.crawler.rank.resuming.support.table_rows import batches_of
from tests.crawler.support.site_memory import SITE_MEMORY, SITES_IN_MEMORY

BEGAN, NOW = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), 5000.0
DAY = 24 * 3600.0
ORIGINS = [f"{scheme}://{name}.example{port}" for name in "abc" for scheme, port in (("http", ":8080"), ("https", ""))]
RULES = st.builds(
    Rules,
    packed=st.binary(max_size=9),
    crawl_delay=st.floats(0, 60),
    unreachable=st.sampled_from(["", "robots-503"]),
    status=st.integers(0, 999),
    seconds=st.floats(0, DAY),
)
TIMES = st.integers(-100_000, 100_000).map(float)
KNOWN = st.builds(Remembered, RULES, TIMES, st.integers(0, 9), unreachable_since=st.none() | TIMES)
"""With times counted from the run's beginning."""


def asked(cache: RobotsCache, origin: str) -> Remembered | None:
    cache.ask(origin, NOW)
    ((_, remembered),) = cache.flush(NOW)
    return remembered


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from(ORIGINS), KNOWN), max_size=20),
    st.integers(1, 4),
    st.sampled_from([1, 1 << 20]),
    st.sampled_from([1, 3, 100]),
)
def test_of_each_origin_its_gatekeeper_alone_knows_what_came_last(
    learnt: list[tuple[str, Remembered]], ranks: int, budget: int, size: int
) -> None:
    rows = [
        {"origin": origin, "rules": packed(origin, known), "expires": BEGAN + timedelta(seconds=known.until)}
        for origin, known in learnt
    ]
    last = dict(learnt)
    for rank in range(ranks):
        with TemporaryDirectory() as folder:
            cache = RobotsCache(Path(folder), budget=budget)
            batches = batches_of("robots", rows, COLUMNS, size)
            relearn_robots(batches, cache, RulesInForce(), rank=rank, ranks=ranks, began=BEGAN, now=NOW)
            for origin in ORIGINS:
                is_own = keeper_of(site_of(f"{origin}/"), ranks) == rank
                known = last.get(origin) if is_own else None
                expected = known._replace(until=NOW + known.until) if known is not None else None
                assert asked(cache, origin) == expected
            cache.close()


@settings(derandomize=True, max_examples=50)
@given(st.lists(st.tuples(st.sampled_from(ORIGINS), st.integers(0, 5), st.booleans()), max_size=20))
def test_in_whatever_order_rows_come_the_newest_counts(answers: list[tuple[str, int, bool]]) -> None:
    rows = [
        {
            "origin": origin,
            "rules": bytes([place]) if has_rules else None,
            "expires": BEGAN,
            "fetched": BEGAN + timedelta(seconds=seconds),
        }
        for place, (origin, seconds, has_rules) in enumerate(answers)
    ]
    found = [row for batch in newest(lambda: batches_of("robots", rows, DATED_COLUMNS, 3)) for row in batch.to_pylist()]
    known = [row for row in rows if row["rules"] is not None]
    assert found == [
        row
        for row in known
        if row["fetched"] == max(other["fetched"] for other in known if other["origin"] == row["origin"])  # type: ignore[type-var]
    ]


def test_what_a_row_does_not_know_is_not_learnt(tmp_path: Path) -> None:
    cache = RobotsCache(tmp_path, budget=SITE_MEMORY.repository)
    rows = [{"origin": ORIGINS[0], "rules": None, "expires": None}]
    relearn_robots(batches_of("robots", rows, COLUMNS), cache, RulesInForce(), rank=0, ranks=1, began=BEGAN, now=NOW)
    assert asked(cache, ORIGINS[0]) is None


class Gatekeeper:
    """The only rank of a run, which asks itself for one origin; its clock stands still at ``now``."""

    def __init__(self, now: float, cache: RobotsCache) -> None:
        self.now = now
        self.letters = Letters(ranks=1)
        self.errands: list[Errand] = []
        self.lookups: list[Lookup] = []
        self.rows: list[Any] = []
        self.keeper = SiteGatekeeper(
            self.letters, cast(Any, self), self.errands.append, by_address=True, cache=cache, **SITES_IN_MEMORY
        )
        self.fetching = RobotsFetching(0, RobotsSettings("cutweb"), self.keeper, cast(Any, self), Counters())

    def look_up(self, lookup: Lookup) -> None:
        self.lookups.append(lookup)

    def keep(self, _exchange: object) -> None:
        pass

    def robots(self, row: Any) -> None:
        self.rows.append(row)

    def ask(self) -> None:
        self.keeper.asked(0, Ask(ORIGINS[0], True), self.now)
        while self.lookups:
            self.keeper.found(Found(self.lookups.pop(), (Endpoint("192.0.2.1", 80),), seconds=1e9), self.now)
        self.keeper.flush(self.now)

    def told(self) -> Rules | None:
        (rules,) = [message.rules for _, message in self.letters.take() if isinstance(message, Facts)]
        return rules


@pytest.mark.parametrize("status", [200, 404, 503])
@pytest.mark.parametrize("has_expired", [False, True])
def test_a_robots_txt_that_still_holds_is_not_asked_for_again(tmp_path: Path, status: int, has_expired: bool) -> None:
    before = Gatekeeper(77.0, RobotsCache(tmp_path / "before", budget=SITE_MEMORY.repository))
    before.ask()
    (errand,) = before.errands
    fetched = BEGAN - timedelta(seconds=600)
    head = [b"HTTP/1.1 %d Whatever\r\n" % status, b"Retry-After: 900\r\n", b"Cache-Control: max-age=900\r\n"]
    body = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 7\n"
    answer = Response(Request(errand.url, None), status, head, body, started=fetched.timestamp())
    before.fetching.answered(errand, answer, before.now)
    rules = before.told()
    (row,) = before.rows
    assert row.expires == fetched + timedelta(seconds=900)

    began = BEGAN + timedelta(seconds=301 if has_expired else 0)
    cache = RobotsCache(tmp_path / "after", budget=SITE_MEMORY.repository)
    batches = batches_of("robots", [row._asdict()], COLUMNS)
    relearn_robots(batches, cache, RulesInForce(), rank=0, ranks=1, began=began, now=NOW)
    after = Gatekeeper(NOW, cache)
    after.ask()
    assert after.keeper.last_rules(ORIGINS[0]) == rules
    if has_expired:
        assert after.errands == [errand]
    else:
        assert after.errands == []
        assert after.told() == rules


def test_how_often_a_robots_txt_was_given_up_is_known_again(tmp_path: Path) -> None:
    before = Gatekeeper(0.0, RobotsCache(tmp_path, budget=SITE_MEMORY.repository))
    for times in (1, 2, 3):
        before.ask()
        answer = Response(Request(before.errands.pop().url, None), 503, [b"HTTP/1.1 503 No\r\n", b"Retry-After: 900"])
        before.fetching.answered(Errand(ORIGINS[0], f"{ORIGINS[0]}/robots.txt"), answer, before.now)
        before.now += DAY
        cache = RobotsCache(tmp_path / str(times), budget=SITE_MEMORY.repository)
        batches = batches_of("robots", [row._asdict() for row in before.rows], COLUMNS)
        relearn_robots(batches, cache, RulesInForce(), rank=0, ranks=1, began=BEGAN, now=NOW)
        known = asked(cache, ORIGINS[0])
        assert known is not None
        assert (known.rounds, known.unreachable_since) == (times, None)


def test_what_was_said_to_the_name_of_a_rule_is_known_to_that_name_only(tmp_path: Path) -> None:
    named = RulesInForce(rules_in('[[rule]]\nsite = "a.example:8080"\nuser-agent = "OtherBot/1.0"\n', "rules.toml"))
    name, known = remembered_as(ORIGINS[0], "OtherBot"), Remembered(Rules(b"for OtherBot"), 900.0)
    rows = [{"origin": ORIGINS[0], "rules": packed(name, known), "expires": BEGAN + timedelta(seconds=900)}]
    for rules, is_known in ((named, True), (RulesInForce(), False)):
        cache = RobotsCache(tmp_path / str(is_known), budget=SITE_MEMORY.repository)
        relearn_robots(batches_of("robots", rows, COLUMNS), cache, rules, rank=0, ranks=1, began=BEGAN, now=NOW)
        assert asked(cache, ORIGINS[0]) is None
        remembered = asked(cache, name)
        assert (remembered is not None) == is_known
        assert remembered is None or remembered.rules == Rules(b"for OtherBot", agent="OtherBot")
        cache.close()
