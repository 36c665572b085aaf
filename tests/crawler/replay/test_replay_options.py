"""The table of a replay's options."""

from dataclasses import fields

import click

from crawler.config.option_declaration import click_parameters
from crawler.config.option_types import ALL
from crawler.exchange.parallel_modes import MODES
from crawler.replay.replay_options import REPLAY_MODELS, ReplayOptions
from partition.choices import ASSIGNMENTS, UNKNOWN_RULES


def test_every_option_says_what_it_does_and_quantities_say_their_unit() -> None:
    for item in fields(ReplayOptions):
        text = item.metadata["help"]
        assert text[0].isupper()
        assert text.endswith(".")
        if isinstance(item.metadata["type"], click.FloatRange) and item.name != "tolerance":
            assert any(unit in text for unit in ("second", "MiB")), item.name


def test_every_default_is_a_value_that_the_option_takes() -> None:
    for parameter in click_parameters(ReplayOptions):
        default = getattr(ReplayOptions(), parameter.name or "")
        if default not in (None, ()):
            assert parameter.type.convert(default, parameter, None) == default


def test_the_choices_are_what_there_is() -> None:
    kinds = {item.name: item.metadata["type"] for item in fields(ReplayOptions)}
    assert kinds["assign"].choices == tuple(ASSIGNMENTS)
    assert kinds["mode"].choices == MODES
    assert kinds["unknown"].convert(ALL, None, None) == tuple(UNKNOWN_RULES)
    assert kinds["models"].convert(ALL, None, None) == REPLAY_MODELS
