"""The table of a replay's options."""

from dataclasses import fields

import click
import pytest

from crawler.config.crawl_options import click_parameters
from crawler.exchange.parallel_modes import MODES
from crawler.replay.replay_options import ALL, REPLAY_MODELS, NameList, NumberList, ReplayOptions
from partition.assignment.hashing import ASSIGNMENTS
from partition.map.manifest import UNKNOWN_RULES


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
    assert kinds["assign"].choices == tuple(sorted(ASSIGNMENTS))
    assert kinds["mode"].choices == MODES
    assert kinds["unknown"].convert(ALL, None, None) == UNKNOWN_RULES
    assert kinds["models"].convert(ALL, None, None) == REPLAY_MODELS


@pytest.mark.parametrize(
    ("text", "numbers"), [("7", (7,)), ("1,2, 3", (1, 2, 3)), ("4,2,4", (4, 2)), ("100", (100,)), ((5, 5), (5, 5))]
)
def test_lists_of_numbers(text: object, numbers: tuple[int, ...]) -> None:
    assert NumberList(100).convert(text, None, None) == numbers


@pytest.mark.parametrize("text", ["", "0", "101", "-1", "1.5", "2,,3", "two", "1 2", "1e1", "9" * 5000])
def test_what_is_no_list_of_numbers(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a whole number from 1 to 100, as in 8,16,32"):
        NumberList(100).convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("b", ("b",)),
        ("b,a", ("b", "a")),
        ("a, a", ("a",)),
        ("all", ("a", "b")),
        ("b,all", ("a", "b")),
        (("x",), ("x",)),
    ],
)
def test_lists_of_names(text: object, names: tuple[str, ...]) -> None:
    assert NameList(("a", "b")).convert(text, None, None) == names


@pytest.mark.parametrize("text", ["", "c", "a,", "A", "a b"])
def test_what_is_no_list_of_names(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not one of a, b, all"):
        NameList(("a", "b")).convert(text, None, None)
