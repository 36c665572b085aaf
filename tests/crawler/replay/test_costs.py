"""What a way of sharing URLs costs, against the same worked out by hand, and against replays."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler.replay.costs import PAGE_MS, Band, Prices, band_of, cost_of, handovers, prices_of
from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.measures import measures_of
from crawler.replay.ownership import ownership_by_hash
from crawler.replay.recording import recording_of
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.measuring.test_measures import worked_example
from tests.partition.quality.support.webs import ring
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import HOME, PAGES, Crawl

PRICES = Prices(page_ms=2.0, is_measured=True, url_us=100.0, network_mbit=0.8, connections=10)
"""A byte takes 0.01 ms."""


def test_the_worked_example() -> None:
    """Pages a and b at rank 0, the others at rank 1; docs/measures.md has bytes, times and links."""
    recording, _ = worked_example()
    owners = np.array([0, 0, 1, 1, 1, 1], np.int32)
    given = handovers(recording, owners, 2)
    # Rank 0 sends c, x and d; rank 1 sends a.
    assert (given.sent.tolist(), given.received.tolist(), given.total) == ([3, 1], [1, 3], 4)
    cost = cost_of(recording, owners, given, 5.0, PRICES, np.ones(5))
    urls = 4 * (0.05 + 5 * 0.01)
    ranks = [2 * 2.0 + 500 * 0.01 + urls + 20 / 10, 3 * 2.0 + 600 * 0.01 + urls + 80 / 10]
    assert cost.page_ms == pytest.approx(max(ranks) * 2 / 5)
    assert cost.requests_imbalance == pytest.approx(3 / 2.5 - 1)
    assert cost.storage_imbalance == pytest.approx(600 / 550 - 1)
    assert cost.wire_bytes == 4 * 5 / 5


def test_pages_that_stand_for_several_or_for_none() -> None:
    recording, _ = worked_example()
    owners = np.array([0, 0, 1, 1, 1, 1], np.int32)
    given = handovers(recording, owners, 2)
    cost = cost_of(recording, owners, given, 5.0, PRICES, np.array([2.0, 2.0, 1.0, 0.0, 0.0]))
    assert cost.requests_imbalance == pytest.approx(4 / 2.5 - 1)
    assert cost.storage_imbalance == pytest.approx(1000 / 600 - 1)


def test_what_is_handed_over_is_what_a_replay_sends(tmp_path: Path) -> None:
    recording = recording_of(ring().session(tmp_path / "ring"))
    for ranks in (2, 5):
        ownership = ownership_by_hash(recording, "page-hash", ranks)
        course = estimate(recording, ownership, ReplaySettings())
        sent = measures_of(recording, ownership, course).urls_sent
        assert handovers(recording, ownership.owners, ranks).total == sent


def test_a_band() -> None:
    assert band_of([3.0, 1.0, 9.0]) == Band(1.0, 3.0, 9.0)
    assert [Band(1.0, 3.0, 9.0).holds(value) for value in (0.9, 1.0, 9.0, 9.1)] == [False, True, True, False]


def test_prices_are_those_of_the_session_where_it_has_measured_them(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session", ranks=1)
    crawl.ranks[0].discover([HOME, PAGES[0]])
    for url in (HOME, PAGES[0]):
        crawl.ranks[0].fetch(url, depth=0)
    crawl.commit("complete")
    crawl.close()
    edit_header(crawl.path, lambda header: header["configuration"].update(connections=8))
    prices = prices_of(recording_of(crawl.path), 100.0)
    (report,) = recording_of(crawl.path).session.rank_reports()
    cpu: dict[str, Any] = report["cpu"]
    assert prices.page_ms == pytest.approx(1000 * sum(cpu.values()) / 2)
    assert (prices.is_measured, prices.connections, prices.network_mbit) == (True, 8, 100.0)
    assert "measured in this session" in prices.lines()[0]


def test_prices_of_an_import_are_assumed(tmp_path: Path) -> None:
    recording, _ = worked_example()
    recording.session.header["assignment"] = "imported"
    recording.session.header["configuration"] = {}
    prices = prices_of(recording)
    assert (prices.page_ms, prices.is_measured) == (PAGE_MS, False)
    assert "assumed: this session did not measure it" in prices.lines()[0]
