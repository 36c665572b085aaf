"""Rates of change and the worth of visits, against their definitions written out page by page."""

from collections.abc import Sequence
from math import exp
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.worklist import change_rates, rate_estimates
from crawler.worklist.change_rates import GRID, likelihoods, posteriors, worths
from sessions.url import site_of
from tests.crawler.support.ranked_sessions import Crawled, Expected, day, expected_of, url_of, write_session
from tests.crawler.worklist.test_make_worklist import MANY, NOW, number_of, ranked, series, written

Comparisons = Sequence[tuple[float, bool]]


def likelihood(comparisons: Comparisons) -> list[float]:
    found = []
    for rate in GRID.tolist():
        product = 1.0
        for days, changed in comparisons:
            if days > 0:
                product *= 1 - exp(-rate * days) if changed else exp(-rate * days)
        found.append(product)
    return found


def posterior(comparisons: Comparisons, prior: Sequence[float]) -> list[float]:
    weighted = [chance * share for chance, share in zip(likelihood(comparisons), prior, strict=True)]
    return [weight / sum(weighted) for weight in weighted]


def worth(rate: float, days: float) -> float:
    return (1 - exp(-rate * days)) / rate - days * exp(-rate * days) if rate else 0.0


def mean(lists: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(lists) for column in zip(*lists, strict=True)]


@given(st.lists(st.lists(st.tuples(st.floats(0.1, 300), st.booleans()), max_size=5), min_size=1, max_size=6))
def test_likelihoods_are_products(pages: list[Comparisons]) -> None:
    numbers = [number for number, its in enumerate(pages) for _ in its]
    days, changed = ([told[part] for its in pages for told in its] for part in (0, 1))
    found = likelihoods(np.array(numbers, int), np.array(days, float), np.array(changed, bool), len(pages))
    for row, its in zip(found, pages, strict=True):
        expected = np.array(likelihood(its))
        assert row == pytest.approx(expected / expected.max(), rel=1e-9, abs=1e-12)


def test_comparisons_at_one_instant_tell_nothing() -> None:
    found = likelihoods(np.array([0, 0]), np.array([0.0, 0.0]), np.array([True, False]), 1)
    assert found.tolist() == [[1.0] * len(GRID)]


def test_a_prior_that_excludes_what_was_seen_is_not_asked() -> None:
    never = np.eye(len(GRID))[0]
    seen = likelihoods(np.array([0]), np.array([1.0]), np.array([True]), 1)
    assert posteriors(seen, never).sum() == pytest.approx(1.0)


def test_the_worth_of_a_visit() -> None:
    """After 10 days, at one change in 10 days: 10 (1 - 1/e) - 10 / e = 10 - 20 / e."""
    assert worths(np.array([0.1]), np.array([10.0])) == pytest.approx(10 - 20 / np.e)
    assert worths(np.array([0.0]), np.array([10.0])) == 0
    slow, middle, fast = worths(np.array([1e-4, 0.1, 10.0]), np.array([10.0]))
    assert max(slow, fast) < middle


def priors_of(pages: dict[int, Expected], rounds: int, pages_of_a_prior: int) -> dict[int, list[float]]:
    everyone = [1 / len(GRID)] * len(GRID)
    for _ in range(rounds):
        everyone = mean([posterior(page.comparisons, everyone) for page in pages.values()])
    sites: dict[str, list[list[float]]] = {}
    for number, page in pages.items():
        sites.setdefault(site_of(url_of(number)), []).append(posterior(page.comparisons, everyone))
    own = {site: mean(its) for site, its in sites.items() if len(its) >= pages_of_a_prior}
    return {number: own.get(site_of(url_of(number)), everyone) for number in pages}


@given(series, st.sampled_from(["none", "backlinks"]))
@MANY
def test_priorities_follow_from_the_definition(sessions: list[Crawled], weight: str) -> None:
    listed = expected_of(sessions, NOW, gone=1000)
    pages = {number: page for number, page in listed.items() if page.kind == "old"}
    with (
        written(sessions) as paths,
        patch.object(rate_estimates, "PAGES_OF_A_PRIOR", 2),
        patch.object(rate_estimates, "ROUNDS", 2),
    ):
        by_value = ranked(paths, by="value", weight=weight, gone=1000)
        by_change = ranked(paths, by="change", gone=1000)
    priors = priors_of(pages, rounds=2, pages_of_a_prior=2)
    chances = {number: posterior(page.comparisons, priors[number]) for number, page in pages.items()}
    for rows, is_value in ((by_value, True), (by_change, False)):
        assert {number_of(row) for row in rows} == listed.keys()
        for row in rows:
            number = number_of(row)
            if row["kind"] == "new":
                assert row["priority"] == row["in_degree"]
                continue
            days = (NOW - row["last"]).total_seconds() / 86400
            gains = [worth(rate, days) if is_value else 1 - exp(-rate * days) for rate in GRID.tolist()]
            expected = sum(chance * gain for chance, gain in zip(chances[number], gains, strict=True))
            factor = 1 + row["in_degree"] if weight == "backlinks" or not is_value else 1
            assert row["priority"] == pytest.approx(factor * expected, rel=1e-4, abs=1e-5)


def test_defaults() -> None:
    assert (len(GRID), GRID[1], GRID[-1], change_rates.PAGES_OF_A_PRIOR) == (16, 1 / 400, pytest.approx(4.0), 50)


def test_pages_that_changed_are_worth_more_than_those_that_did_not(tmp_path: Path) -> None:
    from tests.crawler.support.ranked_sessions import Fetch

    for number in range(4):
        fetches = tuple(Fetch(url, 20.0 * number, content=number % 2 if url == 0 else 0) for url in range(2))
        write_session(tmp_path / str(number), Crawled(float(number), fetches), f"2026010{number}T000000-abcdef")
    rows = ranked([tmp_path / str(number) for number in range(4)], by="value", now=day(80))
    assert [number_of(row) for row in rows] == [0, 1]
