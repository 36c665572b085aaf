"""Rates of change: what the docs say of them holds, and a page keeps its own."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from sessions.localweb.evolve.rates import Rates

DOCS = Path(__file__).parents[4] / "docs" / "evolving-web.md"
URLS = [f"http://www.d{i % 97}.example/a/{i}.html" for i in range(20_000)]
OLD, NEW = np.zeros(len(URLS), bool), np.ones(len(URLS), bool)


def test_the_docs_give_the_defaults() -> None:
    said = dict(re.findall(r"^\| `--([\w-]+)` \| ([\d.]+) \|", DOCS.read_text(), re.MULTILINE))
    assert {name.replace("-", "_"): float(rate) for name, rate in said.items()} == {
        rate.name: rate.default for rate in fields(Rates)
    }


@pytest.mark.parametrize(("days", "share"), [(1, 0.17), (7, 0.35), (365, 0.52)])
def test_as_many_pages_change_as_the_docs_say(days: int, share: float) -> None:
    assert f"{share:.0%}" in DOCS.read_text()
    rates = Rates().edit_rates(URLS)
    assert np.mean(1 - np.exp(-rates * days)) == pytest.approx(share, abs=0.015)
    assert np.mean(rates == 0) == pytest.approx(0.48, abs=0.015)
    assert rates.mean() == pytest.approx(0.25, rel=0.03)


def test_a_fifth_of_the_pages_is_left_after_a_year() -> None:
    rates = Rates().death_rates(URLS, OLD)
    assert rates.mean() == pytest.approx(0.0114, rel=0.03)
    assert np.mean(np.exp(-rates * 365)) == pytest.approx(1 / (1 + 0.0114 * 365), abs=0.01)


def test_births_make_up_for_deaths_and_keep_the_mixture() -> None:
    """With d * exp(-d) old rates and births at rate 1, the pages of all ages are as many, and as mixed, as before."""
    ages = np.linspace(0.0, 4000.0, 4001)
    newcomers = Rates().death_rates(URLS, NEW)
    left = [np.mean(np.exp(-newcomers * age)) for age in ages[::20]]
    assert 0.0114 * np.sum(left) * 20 == pytest.approx(1.0, abs=0.1)


def test_a_page_keeps_its_rates_and_options_scale_them() -> None:
    once, again = Rates(), Rates(deaths=0.0228, edits=0.5)
    assert np.array_equal(once.death_rates(URLS[5:9], OLD[5:9]), once.death_rates(URLS, OLD)[5:9])
    assert np.allclose(again.death_rates(URLS, OLD), 2 * once.death_rates(URLS, OLD))
    assert np.allclose(again.edit_rates(URLS), 2 * once.edit_rates(URLS))
    assert np.all(once.death_rates(URLS, NEW) >= once.death_rates(URLS, OLD))
    assert not Rates(deaths=0).death_rates(URLS, OLD).any()
    assert Rates(edits=0, link_edits=0).link_edits_per_edit == 0
    assert Rates(edits=0.5, link_edits=0.1).link_edits_per_edit == 0.2


@pytest.mark.parametrize("name", [rate.name for rate in fields(Rates)])
@pytest.mark.parametrize("value", [-0.1, 10.5, float("nan"), float("inf")])
def test_impossible_rates_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name.replace("_", "-")):
        Rates(**{name: value})


def test_links_cannot_change_without_edits() -> None:
    with pytest.raises(ValueError, match="link-edits"):
        Rates(edits=0.01)
