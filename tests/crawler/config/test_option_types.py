"""Options: the kinds of values they take, and the groups that help has them in."""

from typing import Any

import click
import pytest
from click.testing import CliRunner

from crawler.commands.partition import partition
from crawler.commands.quality import quality
from crawler.config.command_line import crawl_command
from crawler.config.option_groups import GROUPS
from crawler.config.option_types import CountOrNone, FloatList, NameList, Number, NumberList
from crawler.replay.command import replay_command


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (CountOrNone(), "none", None),
        (CountOrNone(), "7", 7),
        (Number(min=0), "1.5", 1.5),
    ],
)
def test_values_are_taken(kind: click.ParamType[Any], value: str, expected: object) -> None:
    assert kind.convert(value, None, None) == expected


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *((CountOrNone(), value) for value in ("0", "-1", "None", "1.5", "")),
        *((Number(min=0), value) for value in ("nan", "inf", "-1", "1e13", "x", 10**400)),
    ],
)
def test_others_are_refused(kind: click.ParamType[Any], value: object) -> None:
    with pytest.raises(click.BadParameter):
        kind.convert(value, None, None)


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
    ("text", "numbers"), [("7", (7.0,)), ("1,0.5, 1e3", (1.0, 0.5, 1000.0)), ("2,2", (2.0, 2.0)), ((0.0,), (0.0,))]
)
def test_lists_of_floats(text: object, numbers: tuple[float, ...]) -> None:
    assert FloatList().convert(text, None, None) == FloatList(is_open=True).convert(text, None, None) == numbers


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        *(
            (FloatList(), text, "is not a list of numbers with commas between")
            for text in ("", "1,", "x", "1;2", "x,-1")
        ),
        *((FloatList(), text, "has a number that is not from 0 up") for text in ("-1", "1,nan", "inf", "1,-0.1")),
        (FloatList(is_open=True), "1,0", "has a number that is not above 0"),
        (FloatList(word="same"), "1,same", "is neither 'same' nor a list of numbers with commas between"),
    ],
)
def test_what_is_no_list_of_floats(kind: FloatList, text: str, told: str) -> None:
    with pytest.raises(click.BadParameter, match=f"^{text!r} {told}$"):
        kind.convert(text, None, None)


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


# Help in groups, and old spellings that work but are not shown.

LONG = {"crawl": crawl_command(), "replay": replay_command(), "partition": partition, "quality": quality}


def help_of(command: click.Command) -> str:
    return CliRunner().invoke(command, ["--help"]).output


@pytest.mark.parametrize("name", LONG)
def test_help_has_each_option_once_in_groups_in_order(name: str) -> None:
    lines = help_of(LONG[name]).splitlines()
    headings = [line.removesuffix(":") for line in lines if line.removesuffix(":") in GROUPS]
    assert headings == [group for group in GROUPS if group in headings]
    assert len(headings) >= 4
    shown = [line.split()[0] for line in lines if line.startswith("  --") and "--help" not in line]
    declared = [max(item.opts, key=len) for item in LONG[name].params if isinstance(item, click.Option)]
    assert sorted(word.rstrip(",") for word in shown) == sorted(declared)


@pytest.mark.parametrize("command", [partition, quality], ids=["partition", "quality"])
@pytest.mark.parametrize("spelling", ["--previous-map", "--previous"])
def test_an_earlier_map_has_an_old_spelling_that_help_does_not_show(command: click.Command, spelling: str) -> None:
    with command.make_context("it", ["session", "--out", "o", "--parts", "2", spelling, "map"]) as context:
        assert str(context.params["previous"]) == "map"
    assert "--previous-map" in help_of(command)
    assert "--previous " not in help_of(command)
