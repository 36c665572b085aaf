"""Whole crawls by one rank in next to no memory: what was seen and sent, documents, queues, all is on disk.

They find what they would in memory.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from crawler.discovery import url_seen
from crawler.drum.drum import Drum
from crawler.drum.kind import Answers
from crawler.exchange.verdict import Ending
from tests.crawler.support.fake_web import Answer, Crawled, Crawls, Script, no_answer, page, redirect, robots_txt

SEED = "http://a.example/"
MEMORIES = ("seen_memory", "sent_memory", "content_memory", "duplicate_memory", "frontier_memory", "budget_memory")
TINY: dict[str, Any] = dict.fromkeys(MEMORIES, 0.001)
QUICK: dict[str, Any] = {"delay": 0.0, "server_delay": 0.0, "superstep": 3.0, "contact": "https://crawler.example/"}
LEVELS, WIDTH, SITES = 5, 60, 11


def name(level: int, number: int) -> str:
    return f"http://s{number % SITES}.d{number % 7}.example/{level}/{number}"


def web() -> dict[str, Script]:
    """Links lead one level further, or back to the seed: whoever finds a page first, its depth is the same.

    Some pages say the same as others, some are not there, lead elsewhere, do not answer, or are not to be asked for.
    """
    dice = random.Random(6)
    script: dict[str, Script] = {SEED: page(*(name(0, number) for number in range(0, WIDTH, 3)))}
    for level in range(LEVELS):
        for number in range(WIDTH):
            targets = [name(level + 1, dice.randrange(WIDTH)) for _ in range(1 + number % 5)]
            answers: dict[int, Script] = {
                0: page(SEED, name(level + 1, number % 4)),
                1: redirect(f"{name(level, number)}/moved"),
                2: no_answer("timeout", seconds=0.5),
                3: Answer(b"gone", 404),
            }
            script[name(level, number)] = answers.get(dice.randrange(14), page(SEED, *targets, seconds=0.05))
            script[f"{name(level, number)}/moved"] = page(*targets)
    return script | {"http://s3.d3.example/robots.txt": robots_txt("User-agent: *\nDisallow: /2/")}


class Told(NamedTuple):
    """What a crawl tells of a web, in whatever order it was fetched."""

    ending: Ending
    pages: Counter[tuple[str, int, int, int]]
    links: Counter[tuple[str, str, int]]
    outcomes: dict[str, tuple[str, str]]
    documents: Counter[bytes]
    stored: int


def told(done: Crawled) -> Told:
    rows = done.pages()
    return Told(
        done.ending,
        Counter((row["url"], row["status"], row["depth"], row["hops"]) for row in rows),
        done.links(),
        done.outcomes(),
        Counter(row["content_digest"] for row in rows),
        sum(row["duplicate_of"] is None for row in rows),
    )


@pytest.fixture
def merges(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each DRUM was flushed with something to merge; ``early``: merges that were begun ahead of an epoch."""
    counted: Counter[str] = Counter()
    flush, begin_merge = Drum.flush, Drum.begin_merge

    def counting(drum: Drum) -> Iterator[Answers]:
        if drum.pending:
            counted[drum.name] += 1
        return flush(drum)

    def beginning(drum: Drum) -> Iterator[Answers]:
        counted["early"] += 1
        return begin_merge(drum)

    monkeypatch.setattr(url_seen, "_MUCH", 1)
    monkeypatch.setattr(Drum, "flush", counting)
    monkeypatch.setattr(Drum, "begin_merge", beginning)
    return counted


@pytest.mark.parametrize("order", ["bfs", "budget"])
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"max_depth": 3},
        {"max_depth": 2, "exclude": (r"7$",)},
        {"max_redirects": 0},
        {"scope": "domains", "urls": ()},
        {"epoch_seconds": 2.0, "superstep": 0.5, "connections": 3},
        {"delay": 0.5, "server_delay": 0.2, "connections": 8},
    ],
    ids=lambda asked: "-".join(asked) or "as-usual",
)
def test_a_crawl_finds_the_same_as_in_memory(
    crawls: Crawls, merges: Counter[str], order: str, asked: dict[str, Any]
) -> None:
    options = QUICK | {name: value for name, value in asked.items() if name != "urls"}
    seeds = [SEED, *(name(0, number) for number in range(0, WIDTH, 3))] if "scope" in asked else [SEED]
    usual = told(crawls(web(), *seeds, **options))
    assert not merges, "all in memory"
    assert told(crawls(web(), *seeds, **options, **TINY, order=order)) == usual
    assert usual.ending == Ending.COMPLETE
    assert merges["seen"]
    assert merges["early"] or "epoch_seconds" not in asked


@pytest.mark.parametrize("order", ["bfs", "budget"])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3, "exclude": (r"7$",)}])
@pytest.mark.parametrize("most", [1, 40, 75])
def test_max_pages_is_exact(crawls: Crawls, order: str, most: int, limits: dict[str, Any]) -> None:
    """The books balance: `crawls` compares counters and tables."""
    done = crawls(web(), **QUICK, **TINY, **limits, order=order, max_pages=most)
    assert done.ending == Ending.MAX_PAGES
    assert len(done.pages()) == most
    assert_each_is_in_one_state(done)


@pytest.mark.parametrize("order", ["bfs", "budget"])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3, "exclude": (r"7$",)}])
@pytest.mark.parametrize("at", [3, 60, 80])
def test_a_crawl_that_is_stopped_leaves_nothing_out(
    crawls: Crawls, order: str, at: int, limits: dict[str, Any]
) -> None:
    done = crawls(
        web(),
        **QUICK,
        **TINY,
        **limits,
        order=order,
        on_start=lambda count: os.kill(os.getpid(), signal.SIGTERM) if count == at else None,
    )
    assert done.ending == Ending.SIGNAL
    assert set(done.frontier().values()) == {"signal"}
    assert_each_is_in_one_state(done)
    assert {target for _, target, _ in done.links()} <= {row["url"] for row in done.session.read("urls").to_pylist()}


def assert_each_is_in_one_state(done: Crawled) -> None:
    parts = [*(row["url"] for row in done.pages()), *done.outcomes(), *done.frontier()]
    assert Counter(parts) == dict.fromkeys((row["url"] for row in done.session.read("urls").to_pylist()), 1)
    assert done.session.read("outcomes").num_rows == len(done.outcomes())


@pytest.mark.parametrize("memories", [{}, TINY | {"seen_memory": 0.0001}], ids=["in memory", "on disk"])
def test_a_site_that_rests_holds_up_no_merge(crawls: Crawls, memories: dict[str, Any]) -> None:
    """All that could be fetched waits for a merge, though the rank has a URL queued that must wait much longer."""
    chain = [f"http://c{number}.example/" for number in range(20)]
    slow = "http://slow.example/"
    script: dict[str, Script] = {url: page(after) for url, after in pairwise(chain)}
    script |= {SEED: page(slow, chain[0], *(f"http://x{number}.example/" for number in range(10)))}
    script |= {f"{slow}robots.txt": robots_txt("User-agent: *\nCrawl-delay: 1000")}
    done = crawls(script, **QUICK, **memories, max_wait=20.0, max_crawl_delay=2000.0)
    assert {row["url"] for row in done.pages()} >= set(chain)
    assert done.ending == Ending.MAX_WAIT
    assert done.frontier() == {slow: "max-wait"}
    assert crawls.web.now() < 1100.0
