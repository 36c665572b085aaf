"""The table of options."""

from dataclasses import dataclass, fields

import click
import pytest

from crawler.config.crawl_options import CrawlOptions
from crawler.config.option_declaration import POSITIONAL, click_parameters, option
from crawler.frontier.orderings import ORDERINGS
from partition.choices import ASSIGNMENTS, UNKNOWN_RULES


def test_every_option_says_what_it_does_and_quantities_say_their_unit() -> None:
    for item in [item for item in fields(CrawlOptions) if item.metadata]:
        text = item.metadata["help"]
        assert text[0].isupper()
        assert text.endswith(".")
        if isinstance(item.metadata["type"], click.FloatRange):
            assert any(unit in text for unit in ("second", "MiB", "KiB", "share, from 0 to 1")), item.name


def test_every_default_is_a_value_that_the_option_takes() -> None:
    for parameter in click_parameters(CrawlOptions):
        default = getattr(CrawlOptions(), parameter.name or "")
        if default not in (None, ()):
            assert parameter.type.convert(default, parameter, None) == default


def test_the_choices_are_what_there_is() -> None:
    choices = {
        item.name: item.metadata["type"].choices
        for item in fields(CrawlOptions)
        if item.name in ("assign", "unknown", "order")
    }
    assert choices == {"assign": tuple(ASSIGNMENTS), "unknown": tuple(UNKNOWN_RULES), "order": tuple(ORDERINGS)}


@dataclass(frozen=True)
class Asked:
    """Options of a made-up command."""

    urls: tuple[str, ...] = option((), "Where.", str, multiple=True)
    many: tuple[int, ...] = option((), "How many.", int, multiple=True, metavar="N")
    two_words: bool = option(True, "Whether.", bool)
    previous: str | None = option(None, "Which.", str, flag="from")


def test_a_class_of_options_is_a_command_line() -> None:
    command = click.Command("asked", params=click_parameters(Asked), callback=lambda **values: Asked(**values))

    def asked(*arguments: str) -> Asked:
        return command.main(list(arguments), standalone_mode=False)

    assert asked() == Asked()
    assert asked("a", "--many", "1", "b", "--many", "2", "--no-two-words", "--from", "c") == Asked(
        ("a", "b"), (1, 2), False, "c"
    )
    with pytest.raises(click.NoSuchOption):
        asked("--previous", "c")


def test_what_stands_without_a_name_says_what_it_is() -> None:
    (argument,) = [parameter for parameter in click_parameters(CrawlOptions) if isinstance(parameter, click.Argument)]
    assert (argument.name, argument.metavar) == ("urls", POSITIONAL["urls"])


@pytest.mark.parametrize("name", ["depth", "hops"])
def test_the_limits_fit_the_columns_that_hold_them(name: str) -> None:
    """Depths are kept in 16 bits and hops in 8, and one beyond the limit must still be told from the limit."""
    limits = {item.name: item.metadata["type"] for item in fields(CrawlOptions) if item.metadata}
    most = {"depth": limits["max_depth"].max, "hops": limits["max_redirects"].max}
    assert most[name] + 1 <= {"depth": 0xFFFF, "hops": 0xFF}[name]
