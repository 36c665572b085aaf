"""The table of options."""

from dataclasses import fields

import click
import pytest

from crawler.options import CrawlOptions, click_parameters
from crawler.ordering import ORDERINGS
from partition.hashing import ASSIGNMENTS
from partition.map.manifest import UNKNOWN_RULES


def test_every_option_says_what_it_does_and_quantities_say_their_unit() -> None:
    for item in fields(CrawlOptions):
        text = item.metadata["help"]
        assert text[0].isupper()
        assert text.endswith(".")
        if isinstance(item.metadata["type"], click.FloatRange):
            assert any(unit in text for unit in ("second", "MiB", "KiB")), item.name


def test_every_default_is_a_value_that_the_option_takes() -> None:
    for parameter in click_parameters():
        default = getattr(CrawlOptions(), parameter.name or "")
        if default not in (None, ()):
            assert parameter.type.convert(default, parameter, None) == default


def test_the_choices_are_what_there_is() -> None:
    choices = {
        item.name: item.metadata["type"].choices
        for item in fields(CrawlOptions)
        if item.name in ("assign", "unknown", "order")
    }
    assert choices == {"assign": tuple(sorted(ASSIGNMENTS)), "unknown": UNKNOWN_RULES, "order": tuple(ORDERINGS)}


@pytest.mark.parametrize("name", ["depth", "hops"])
def test_the_limits_fit_the_columns_that_hold_them(name: str) -> None:
    """Depths are kept in 16 bits and hops in 8, and one beyond the limit must still be told from the limit."""
    limits = {item.name: item.metadata["type"] for item in fields(CrawlOptions)}
    most = {"depth": limits["max_depth"].max, "hops": limits["max_redirects"].max}
    assert most[name] + 1 <= {"depth": 0xFFFF, "hops": 0xFF}[name]
