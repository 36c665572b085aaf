"""Whole crawls of a fake web by one rank, and how they end."""

import os
import signal
from collections import Counter, deque
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.exchange.verdict import Ending
from crawler.fetching.workbench import Workbench
from crawler.rank import pacing as pacing_module
from crawler.rank import visits_assembly
from crawler.rank.epoch_schedule import EARLY_SECONDS
from sessions.analysis.external_difference import site_pairs
from sessions.schema import REDIRECT
from sessions.url import domain_of, site_of, url_hash
from tests.crawler.support.fake_web import (
    EPOCH_1970,
    Answer,
    Crawls,
    Script,
    no_answer,
    page,
    redirect,
    robots_txt,
    too_busy,
)

A, B = "http://a.example/", "http://b.example/"


SUPERSTEP_SECONDS = 1.0


def chain(length: int) -> dict[str, Script]:
    """Pages of one site, each leading to the next."""
    return {f"{A}{number or ''}": page(f"/{number + 1}") for number in range(length)}


def star(width: int) -> dict[str, Script]:
    """A page with links to the first pages of many sites."""
    return {A: page(*(f"http://s{number}.example/" for number in range(width)))} | {
        f"http://s{number}.example/": page() for number in range(width)
    }


def test_a_small_web_is_crawled_to_completion(crawls: Crawls) -> None:
    done = crawls({A: page("/x", B, "/x#y"), A + "x": page("/", "/gone"), B: page(A + "x"), B + "other": page()})
    assert done.ending == Ending.COMPLETE
    assert {row["url"]: row["status"] for row in done.pages()} == {A: 200, A + "x": 200, B: 200, A + "gone": 404}
    assert done.links() == {
        (A, A + "x", 0): 1,
        (A, B, 0): 1,
        (A + "x", A, 0): 1,
        (A + "x", A + "gone", 0): 1,
        (B, A + "x", 0): 1,
    }
    assert done.outcomes() == done.frontier() == {}
    assert done.report["statuses"] == {"200": 3, "404": 1}


def test_every_page_of_a_large_web_is_fetched_once(crawls: Crawls) -> None:
    names = [f"http://s{number % 7}.example/{number}" for number in range(600)]
    script: dict[str, Script] = {
        name: page(*(names[(number * factor + 1) % 600] for factor in (2, 3, 5))) for number, name in enumerate(names)
    }
    done = crawls(script, names[0], frontier_memory=0.01, superstep=7.0)
    reached, new = {names[0]}, [0]
    while new:
        targets = {(number * factor + 1) % 600 for number in new for factor in (2, 3, 5)}
        new = [number for number in targets if names[number] not in reached]
        reached |= {names[number] for number in new}
    assert done.ending == Ending.COMPLETE
    fetched = [url for url in crawls.web.requests() if not url.endswith("/robots.txt")]
    assert sorted(fetched) == sorted(reached)
    assert len(reached) > 300


def test_pages_are_fetched_breadth_first_with_their_depth(crawls: Crawls) -> None:
    done = crawls({A: page("/l", "/r"), A + "l": page("/ll"), A + "r": page("/rr"), A + "ll": page("/deep")})
    assert [(row["url"].removeprefix(A), row["depth"]) for row in done.pages()] == [
        ("", 0),
        ("l", 1),
        ("r", 1),
        ("ll", 2),
        ("rr", 2),
        ("deep", 3),
    ]


@pytest.mark.parametrize("limit", [1, 2, 7, 20])
def test_max_pages_is_exact(crawls: Crawls, limit: int) -> None:
    done = crawls(star(30), max_pages=limit)
    assert done.ending == Ending.MAX_PAGES
    assert len(done.pages()) == limit
    assert len([url for url in crawls.web.requests() if not url.endswith("robots.txt")]) == limit
    assert set(done.frontier().values()) == {"max-pages"}
    assert done.report["reasons"]["queued"] == {"max-pages": 31 - limit}


def test_max_pages_beyond_what_there_is_ends_complete(crawls: Crawls) -> None:
    assert crawls(star(5), max_pages=7).ending == Ending.COMPLETE


def test_failures_and_refusals_use_up_no_pages(crawls: Crawls) -> None:
    script = star(10) | {f"http://s{number}.example/": no_answer() for number in range(4)}
    script |= {"http://s5.example/robots.txt": robots_txt("User-agent: *\nDisallow: /")}
    done = crawls(script, max_pages=6, retries=0)
    assert len(done.pages()) == 6
    assert done.ending in (Ending.MAX_PAGES, Ending.COMPLETE)


def test_max_seconds_ends_a_crawl(crawls: Crawls) -> None:
    done = crawls(chain(1000), max_seconds=30.0, delay=1.0)
    assert done.ending == Ending.MAX_SECONDS
    assert 20 <= len(done.pages()) <= 32
    assert done.session.ended is not None
    assert 30.0 <= done.session.ended["seconds"] <= 32.0
    assert set(done.frontier().values()) == {"max-seconds"}


def test_max_wait_ends_a_crawl_that_would_only_wait(crawls: Crawls) -> None:
    slow = robots_txt("User-agent: *\nCrawl-delay: 1000\n")
    done = crawls(star(3) | {A + "robots.txt": slow, "http://s1.example/robots.txt": slow}, max_wait=1100.0)
    assert done.ending == Ending.COMPLETE
    done = crawls(star(3) | {"http://s1.example/robots.txt": slow}, max_wait=20.0)
    assert done.ending == Ending.MAX_WAIT
    assert done.frontier() == {"http://s1.example/": "max-wait"}
    assert crawls.web.now() < 1010.0


def test_an_endless_crawl_delay_is_waited_for_no_longer_than_any(crawls: Crawls) -> None:
    endless: dict[str, Script] = {A + "robots.txt": robots_txt("User-agent: *\nCrawl-delay: 999999999\n")}
    assert crawls(endless, max_wait=61.0).ending == Ending.COMPLETE
    done = crawls(endless, max_wait=59.0)
    assert done.ending == Ending.MAX_WAIT
    assert done.frontier() == {A: "max-wait"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_ends_a_crawl_with_everything_committed(crawls: Crawls, number: int) -> None:
    done = crawls(
        chain(100) | {A: page(*(f"/{n}" for n in range(1, 100)))},
        on_start=lambda count: os.kill(os.getpid(), number) if count == 10 else None,
    )
    assert done.ending == Ending.SIGNAL
    assert 9 <= len(done.pages()) <= 12
    assert set(done.frontier().values()) == {"signal"}
    assert len(done.pages()) + len(done.frontier()) == 100


def test_what_is_in_flight_at_the_end_is_queued(crawls: Crawls) -> None:
    script = star(3) | {"http://s1.example/": page(seconds=500.0)}
    done = crawls(script, max_seconds=20.0)
    assert crawls.web.cancelled == ["http://s1.example/"]
    assert done.frontier() == {"http://s1.example/": "max-seconds"}


def test_a_robots_request_in_flight_at_the_end_loses_no_page(crawls: Crawls) -> None:
    script = star(3) | {"http://s1.example/robots.txt": robots_txt("")._replace(seconds=500.0)}
    done = crawls(script, max_seconds=20.0)
    assert crawls.web.cancelled == ["http://s1.example/robots.txt"]
    assert done.frontier() == {"http://s1.example/": "max-seconds"}


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_nothing_deeper_than_the_limit_is_fetched(crawls: Crawls, depth: int) -> None:
    done = crawls(chain(10), max_depth=depth)
    assert done.ending == Ending.COMPLETE
    assert [row["depth"] for row in done.pages()] == list(range(depth + 1))
    assert done.outcomes() == {f"{A}{depth + 1}": ("filtered", "depth")}
    assert done.report["reasons"]["filtered"] == {"depth": 1}


def test_a_page_that_proves_to_be_nearer_is_fetched_after_all(crawls: Crawls) -> None:
    """At first met beyond the limit, on a slow way; then within it."""
    script: dict[str, Script] = {
        A: page("/1", B),
        A + "1": page("/2"),
        A + "2": page("/3"),
        B: page(A + "3", seconds=60.0),
        A + "3": page(),
    }
    done = crawls(script, max_depth=2)
    assert done.page(A + "3")["depth"] == 2
    assert done.outcomes() == {}


@pytest.mark.parametrize("limit", [0, 1, 4])
def test_redirects_in_a_row_are_limited(crawls: Crawls, limit: int) -> None:
    done = crawls({f"{A}{number or ''}": redirect(f"/{number + 1}") for number in range(10)}, max_redirects=limit)
    assert done.ending == Ending.COMPLETE
    assert [(row["hops"], row["depth"]) for row in done.pages()] == [(hops, 0) for hops in range(limit + 1)]
    assert done.outcomes() == {f"{A}{limit + 1}": ("filtered", "redirects")}


def test_a_redirect_is_a_page_with_a_link(crawls: Crawls) -> None:
    done = crawls({A: redirect("/x", 301), A + "x": page("/y"), A + "y": page()})
    assert done.page(A)["redirect"] == A + "x"
    assert done.page(A)["status"] == 301
    assert (done.page(A + "x")["hops"], done.page(A + "x")["depth"]) == (1, 0)
    assert (done.page(A + "y")["hops"], done.page(A + "y")["depth"]) == (0, 1)
    assert done.links() == {(A, A + "x", REDIRECT): 1, (A + "x", A + "y", 0): 1}


def test_circles_of_redirects_end(crawls: Crawls) -> None:
    done = crawls({A: redirect("/1"), A + "1": redirect("/"), B: redirect("/")}, A, B)
    assert done.ending == Ending.COMPLETE
    assert len(done.pages()) == 3


def test_supersteps_grow_with_the_crawl(crawls: Crawls) -> None:
    """What a young crawl finds is handed on soon."""
    early = crawls(chain(1000), superstep=10.0, max_seconds=5.0).report["supersteps"]
    late = crawls(chain(1000), superstep=10.0, max_seconds=500.0).report["supersteps"]
    assert early > 20
    assert late < 5 * early


def test_links_out_of_scope_are_counted_and_not_followed(crawls: Crawls) -> None:
    done = crawls({A: page("/x", B, "http://sub.a.example/"), A + "x": redirect(B)}, scope="sites")
    assert {row["url"] for row in done.pages()} == {A, A + "x"}
    assert done.report["links_out_of_scope"] == 3
    assert done.links() == {(A, A + "x", 0): 1}
    assert site_pairs(done.session) == {(site_of(A), site_of(B)): 2, (site_of(A), "sub.a.example"): 1}
    assert done.session.read("external_urls").to_pylist() == []


@pytest.mark.parametrize(("kept", "told"), [("all", 3), ("none", 0)])
def test_links_out_of_scope_are_kept_with_their_urls_or_not_at_all(crawls: Crawls, kept: str, told: int) -> None:
    done = crawls({A: page("/x", B, "http://sub.a.example/"), A + "x": redirect(B)}, scope="sites", external=kept)
    expected = [
        {"source": url_hash(A), "url": B, "flags": 0},
        {"source": url_hash(A), "url": "http://sub.a.example/", "flags": 0},
        {"source": url_hash(A + "x"), "url": B, "flags": REDIRECT},
    ]
    assert sorted(done.session.read("external_urls").to_pylist(), key=str) == sorted(expected[:told], key=str)
    assert sum(row["links"] for row in done.session.read("external_sites").to_pylist()) == told


def test_an_epoch_closes_soon_after_a_site_has_asked_for_a_long_rest(crawls: Crawls) -> None:
    """Or a run that goes on after a kill would not know of it."""
    other = "http://b.example/"
    script = chain(150) | {other: [too_busy(429, "Retry-After: 45"), page()]}
    script |= {A + "85": page("/86", other)}
    done = crawls(script, epoch_seconds=100.0)
    began = crawls.web.log[0].began
    asked = next(seen.ended - began for seen in crawls.web.log if seen.url == other)
    ends = [epoch["ranks"][0]["report"]["seconds"] for epoch in done.session.epochs]
    assert max(end for end in ends if end < asked) < asked - EARLY_SECONDS
    assert min(end for end in ends if end >= asked) < asked + 2 * SUPERSTEP_SECONDS
    (rest, over) = done.session.read("rests").to_pylist()
    assert (rest["site"], rest["failures"], over["failures"]) == ("b.example", 1, 0)
    assert rest["seconds"] == pytest.approx(45.0, abs=0.01)
    assert rest["answered"].timestamp() == pytest.approx(EPOCH_1970 + asked + began, abs=1e-3)
    assert len(ends) < 12


def test_epochs_close_while_the_crawl_goes_on(crawls: Crawls) -> None:
    done = crawls(chain(100), epoch_seconds=20.0, max_seconds=100.0)
    committed = [epoch["ranks"][0]["report"] for epoch in done.session.epochs]
    assert len(committed) >= 5
    seconds = [report["seconds"] for report in committed]
    assert seconds[0] <= 4.0, "the first one comes soon"
    assert all(after - before <= 22.0 for before, after in pairwise(seconds))
    fetched = [report["fetched"] for report in committed]
    assert fetched == sorted(fetched)
    assert len(set(fetched[:-2])) == len(fetched) - 2, "the last words come on top"


def test_a_slow_site_holds_up_no_other(crawls: Crawls) -> None:
    script = star(20) | {"http://s3.example/": page(seconds=400.0)}
    crawls(script, delay=0.0)
    others = [seen for seen in crawls.web.log if "s3" not in seen.url]
    assert max(seen.ended for seen in others) < 1010.0


def test_no_more_transfers_at_once_than_connections(crawls: Crawls) -> None:
    crawls(star(40), connections=5)
    assert crawls.web.most_in_flight == 5


@pytest.fixture
def long_supersteps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first supersteps are as long as the later ones."""
    monkeypatch.setattr(pacing_module, "_FIRST_SUPERSTEP_SECONDS", float("inf"))


@pytest.mark.usefixtures("long_supersteps")
def test_links_are_followed_without_waiting_for_the_next_exchange(crawls: Crawls) -> None:
    assert crawls(chain(50), delay=0.0, server_delay=0.0, superstep=1000.0).report["supersteps"] <= 3


@pytest.mark.usefixtures("long_supersteps")
def test_a_credit_that_a_failure_left_is_used_without_waiting_for_the_next_exchange(crawls: Crawls) -> None:
    sites = [f"http://s{number}.example/" for number in range(12)]
    script = {site: no_answer() for site in sites[:-1]} | {sites[-1]: page()}
    done = crawls(script, *sites, max_pages=1, retries=0, superstep=1000.0)
    assert len(done.pages()) == 1
    assert done.report["supersteps"] <= 3


def test_a_crawl_without_bodies_keeps_no_warc(crawls: Crawls) -> None:
    done = crawls({A: page("/x"), A + "x": Answer(b"x")}, store_bodies=False)
    assert len(done.pages()) == 2
    assert not done.session.warc_files()
    assert {row["warc_file"] for row in done.pages()} == {None}


def test_cpu_time_is_told_by_stage(crawls: Crawls) -> None:
    report = crawls(star(30)).report
    assert report["cpu"].keys() == {"fetch", "parse", "links", "seen", "record", "exchange", "other"}
    assert all(report["cpu"][stage] > 0 for stage in ("fetch", "parse", "links", "seen", "record"))
    assert report["peak_rss"] > 10 << 20
    assert report["supersteps"] >= 1


def test_what_a_site_has_no_room_for_on_the_workbench_is_fetched_later(
    crawls: Crawls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workbench holds 2,048 URLs, a server's share is 256; the rest is parked until the site has run out."""
    monkeypatch.setattr(visits_assembly, "Workbench", partial(Workbench, capacity=2048))
    targets = [f"http://a.example/{number}" for number in range(1500)]
    done = crawls({A: page(*targets, B), B: page()}, delay=0.0, server_delay=0.0)
    assert Counter(row["url"] for row in done.pages()) == Counter([A, B, *targets])


# any web at all


Graph = list[list[int]]
GRAPHS = st.integers(1, 14).flatmap(
    lambda count: st.lists(st.lists(st.integers(0, count - 1), max_size=5), min_size=count, max_size=count)
)
KINDS = ["page"] * 6 + ["redirect", "dead", "flaky", "missing", "busy", "moody"]
ODDITIES = st.lists(st.sampled_from(KINDS), min_size=14, max_size=14)
NO_MEMORY: dict[str, Any] = dict.fromkeys(
    ("seen_memory", "sent_memory", "content_memory", "duplicate_memory", "frontier_memory", "budget_memory"), 0.0001
)
BY_TRUST = {"order": "budget", "budget": "trust"}
MEMORIES = st.sampled_from(
    [
        {},
        NO_MEMORY,
        {"order": "budget"},
        NO_MEMORY | {"order": "budget", "budget": "top"},
        BY_TRUST,
        NO_MEMORY | BY_TRUST,
    ]
)
"""As usual; with a hundred bytes for each purpose; in other orders."""
MANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def name(number: int, sites: int) -> str:
    return f"http://s{number % sites}.example/{number}"


def web_of(graph: Graph, kinds: list[str], sites: int) -> dict[str, Script]:
    script: dict[str, Script] = {}
    for number, targets in enumerate(graph):
        names = [name(target, sites) for target in targets]
        answers: dict[str, Script] = {
            "page": page(*names, seconds=0.125 * (1 + number % 4)),
            "redirect": redirect(names[0]) if names else page(),
            "dead": no_answer("timeout"),
            "flaky": [no_answer("empty"), page(*names)],
            "busy": too_busy(503, "Retry-After: 5"),
            "moody": [too_busy(429), page(*names)],
        }
        if kinds[number] in answers:
            script[name(number, sites)] = answers[kinds[number]]
    return script


def reached(graph: Graph, kinds: list[str]) -> dict[int, tuple[int, int]]:
    """Number and way there, (depth, hops), of every page within a breadth-first search from page 0."""
    found = {0: (0, 0)}
    queue = deque(found)
    while queue:
        number = queue.popleft()
        kind = kinds[number]
        targets = graph[number] if kind in ("page", "flaky", "moody") else graph[number][: kind == "redirect"]
        for target in targets:
            if target not in found:
                depth, hops = found[number]
                found[target] = (depth, hops + 1) if kind == "redirect" else (depth + 1, 0)
                queue.append(target)
    return found


@MANY
@given(GRAPHS, ODDITIES, st.integers(1, 4), st.sampled_from([0.0, 0.5, 3.0]), st.sampled_from([1, 3, 64]), MEMORIES)
def test_a_crawl_of_any_web_is_a_search_of_it(
    crawls: Crawls,
    graph: Graph,
    kinds: list[str],
    sites: int,
    delay: float,
    connections: int,
    memories: dict[str, Any],
) -> None:
    script = web_of(graph, kinds, sites)
    asked: dict[str, Any] = {
        "delay": delay,
        "connections": connections,
        "max_redirects": 100,
        "superstep": 5.0,
        "site_errors": 99,
        "max_wait": 1e6,
    }
    done = crawls(script, name(0, sites), **(asked | memories))
    found = reached(graph, kinds)
    dead = {number for number in found if kinds[number] == "dead"}
    assert done.ending == Ending.COMPLETE
    assert Counter(row["url"] for row in done.pages()) == Counter(name(number, sites) for number in set(found) - dead)
    assert done.outcomes() == {name(number, sites): ("failed", "timeout") for number in dead}
    times = Counter(url for url in crawls.web.requests() if not url.endswith("/robots.txt"))
    often = {"dead": 3, "busy": 3, "flaky": 2, "moody": 2}
    assert times == {name(number, sites): often.get(kinds[number], 1) for number in found}


LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_pages": st.integers(1, 9),
        "max_seconds": st.sampled_from([0.25, 1.0, 4.0]),
        "max_wait": st.sampled_from([0.0, 0.5, 10.0]),
        "max_depth": st.integers(0, 3),
        "max_redirects": st.integers(0, 2),
        "delay": st.sampled_from([0.0, 0.5, 2.0]),
        "server_delay": st.sampled_from([0.0, 1.0]),
        "superstep": st.sampled_from([0.1, 1.0, 30.0]),
        "epoch_seconds": st.sampled_from([0.5, 60.0]),
        "connections": st.sampled_from([1, 2, 64]),
        "retries": st.integers(0, 2),
        "site_errors": st.integers(1, 4),
        "robots_wait": st.sampled_from([0.0, 10.0]),
        "max_pages_per_site": st.integers(1, 4),
        "max_pages_per_prefix": st.integers(1, 4),
        "max_pages_per_domain": st.integers(1, 9),
        "max_pages_per_address": st.integers(1, 9),
        "exclude": st.just((r"[37]$",)),
    },
)
SITES: dict[str, dict[str, Any]] = {
    "as usual": {},
    "on one server": {"addresses": {f"s{site}.example": ["192.0.2.1"] for site in range(4)}},
    "moving": {"address_seconds": 2.0, "addresses": {"s0.example": ["192.0.2.1", "192.0.2.2"]}, "down": ["192.0.2.1"]},
    "nowhere": {"lost": {"s1.example": "dns"}},
    "inside": {"lost": {"s0.example": "internal-address", "s2.example": "no-contact"}},
}
ROBOTS: dict[str, Script] = {
    "none": Answer(b"none", 404),
    "failing": too_busy(503),
    "recovering": [too_busy(500), robots_txt("")],
    "cut off": no_answer("disconnect"),
    "elsewhere": redirect("http://s0.example/robots.txt"),
    "slow": robots_txt("User-agent: *\nCrawl-delay: 9"),
}
WHY_NOT = {
    *("timeout", "empty", "connect", "disconnect", "dns", "site-errors"),
    *(
        "depth",
        "redirects",
        "site-cap",
        "prefix-cap",
        "domain-cap",
        "address-cap",
        "exclude",
        "internal-address",
        "no-contact",
        "robots-500",
        "robots-503",
    ),
}
REASONS = {
    Ending.COMPLETE: set(),
    Ending.MAX_PAGES: {"max-pages"},
    Ending.MAX_SECONDS: {"max-seconds"},
    Ending.MAX_WAIT: {"max-wait"},
    Ending.SIGNAL: {"signal"},
}


@settings(MANY, max_examples=80)
@given(
    GRAPHS,
    ODDITIES,
    st.integers(1, 4),
    LIMITS,
    st.one_of(st.none(), st.integers(1, 12)),
    st.sampled_from(sorted(SITES)),
    st.lists(st.sampled_from(sorted(ROBOTS)), min_size=4, max_size=4),
    MEMORIES,
)
def test_the_books_balance_however_a_crawl_ends(
    crawls: Crawls,
    graph: Graph,
    kinds: list[str],
    sites: int,
    limits: dict[str, Any],
    stop_at: int | None,
    where: str,
    robots: list[str],
    memories: dict[str, Any],
) -> None:
    """`crawls` itself compares the counters with the tables, and has the session checked."""
    done = crawls(
        web_of(graph, kinds, sites) | {f"http://s{site}.example/robots.txt": ROBOTS[robots[site]] for site in range(4)},
        name(0, sites),
        on_start=lambda count: os.kill(os.getpid(), signal.SIGTERM) if count == stop_at else None,
        **(limits | SITES[where] | memories),
    )
    fetched = [row["url"] for row in done.pages()]
    outcomes, queued = done.outcomes(), done.frontier()
    assert set(queued.values()) <= REASONS[done.ending]
    assert bool(queued) == (done.ending != Ending.COMPLETE)
    assert {reason for _, reason in outcomes.values()} <= WHY_NOT
    parts = [*fetched, *outcomes, *queued]
    assert len(parts) == len(set(parts)) == done.report["discovered"], "every URL is in exactly one state"
    assert set(parts) <= {name(number, sites) for number in reached(graph, kinds)}
    assert len(fetched) <= limits.get("max_pages", len(fetched))
    assert all(row["depth"] <= limits.get("max_depth", 99) for row in done.pages())
    assert all(row["hops"] <= limits.get("max_redirects", 10) for row in done.pages())
    if done.ending == Ending.MAX_PAGES:
        assert len(fetched) == limits["max_pages"]
    most = min(limits.get("max_pages_per_site", 99), limits.get("max_pages_per_prefix", 99))
    assert all(count <= most for count in Counter(row["site"] for row in done.pages()).values())
    of_domains = Counter(domain_of(row["site"]) for row in done.pages())
    assert all(count <= limits.get("max_pages_per_domain", 99) for count in of_domains.values())
    of_addresses = Counter(row["ip"] for row in done.pages())
    assert all(count <= limits.get("max_pages_per_address", 99) for count in of_addresses.values())


@MANY
@given(GRAPHS, st.integers(0, 4))
def test_on_one_site_a_depth_limit_is_that_of_a_search(crawls: Crawls, graph: Graph, depth: int) -> None:
    """A site's URLs are visited in order, so that the shortest way to each is the first."""
    kinds = ["page"] * len(graph)
    done = crawls(web_of(graph, kinds, 1), name(0, 1), max_depth=depth, delay=0.0)
    depths = {name(number, 1): way[0] for number, way in reached(graph, kinds).items()}
    assert {row["url"]: row["depth"] for row in done.pages()} == {url: at for url, at in depths.items() if at <= depth}
    assert set(done.outcomes()) == {url for url, at in depths.items() if at == depth + 1}
