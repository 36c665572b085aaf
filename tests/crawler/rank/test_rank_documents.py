"""Whole crawls by one rank whose documents do not fit in memory: pages wait over supersteps, and all are recorded."""

import os
import signal
from typing import Any

import pytest

from crawler.exchange.asking import Asking
from crawler.exchange.verdict import Ending
from crawler.intake.intake import Intake
from sessions.url import url_hash
from tests.crawler.support.fake_web import Crawled, Crawls, Script, page

SEED = "http://a.example/"
PAGES, DOCUMENTS = 240, 160
MANY_SUPERSTEPS: dict[str, Any] = {
    "content_memory": 1 / 256,
    "duplicate_memory": 1 / 64,
    "superstep": 2.0,
    "epoch_seconds": 60.0,
    "delay": 0.0,
    "server_delay": 0.0,
    "connections": 4,
}


def web() -> dict[str, Script]:
    """A site of pages that lead to the next and tell one of a number of things; the first leads to some of them."""
    names = [f"{SEED}{number}" for number in range(PAGES)]
    pages = {name: page(f"/{number % DOCUMENTS + 1}") for number, name in enumerate(names)}
    return {SEED: page(*names[::8])} | pages


def documents(done: Crawled) -> dict[bytes, list[dict[str, Any]]]:
    """The rows of the pages table that have each document."""
    found: dict[bytes, list[dict[str, Any]]] = {}
    for row in done.pages():
        found.setdefault(row["content_digest"], []).append(row)
    return found


def assert_each_is_stored_once(done: Crawled) -> None:
    for rows in documents(done).values():
        (first,) = [row for row in rows if row["duplicate_of"] is None]
        assert {row["duplicate_of"] for row in rows if row is not first} <= {first["hash"]}


@pytest.mark.parametrize("skips", [False, True])
def test_a_crawl_is_complete_when_no_page_waits_any_longer(crawls: Crawls, skips: bool) -> None:
    done = crawls(web(), **MANY_SUPERSTEPS, skip_duplicate_links=skips)
    assert done.ending == Ending.COMPLETE
    assert_each_is_stored_once(done)
    reached = {row["hash"] for row in done.pages()}
    assert {url_hash(f"{SEED}{number}") for number in range(1, DOCUMENTS)} <= reached
    assert done.report["duplicates"] == len(reached) - len(documents(done)) > 0
    assert done.report["supersteps"] > 5


@pytest.mark.parametrize("limit", [50, 130])
def test_a_page_limit_is_exact_though_pages_wait(crawls: Crawls, limit: int) -> None:
    done = crawls(web(), **MANY_SUPERSTEPS, max_pages=limit)
    assert done.ending == Ending.MAX_PAGES
    assert len(done.pages()) == limit == done.report["fetched"]
    assert_each_is_stored_once(done)


@pytest.mark.parametrize("skips", [False, True])
def test_a_crawl_that_is_ended_records_the_pages_that_wait(crawls: Crawls, skips: bool) -> None:
    done = crawls(
        web(),
        **MANY_SUPERSTEPS,
        skip_duplicate_links=skips,
        on_start=lambda count: os.kill(os.getpid(), signal.SIGTERM) if count == 100 else None,
    )
    assert done.ending == Ending.SIGNAL
    assert len(done.pages()) == done.report["fetched"] > 90
    assert_each_is_stored_once(done)


def test_epochs_close_over_no_page_that_waits(crawls: Crawls) -> None:
    """Each is checked as it is read: a link's source is a page that is there."""
    done = crawls(web(), **MANY_SUPERSTEPS | {"epoch_seconds": 3.0})
    assert done.ending == Ending.COMPLETE
    assert_each_is_stored_once(done)


def test_pages_wait(crawls: Crawls, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested above: unless pages waited there, nothing was tested."""
    waiting: list[int] = []
    settle = Intake.settle_duplicates

    def noting(intake: Intake, exchange: Asking, *, wants_all: bool) -> None:
        settle(intake, exchange, wants_all=wants_all)
        assert not (wants_all and intake.waiting)
        waiting.append(intake.waiting)

    monkeypatch.setattr(Intake, "settle_duplicates", noting)
    done = crawls(web(), **MANY_SUPERSTEPS)
    assert done.ending == Ending.COMPLETE
    assert max(waiting) > 10
    assert waiting[-1] == 0
