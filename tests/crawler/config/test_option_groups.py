"""Help in groups, and old spellings that work but are not shown."""

import click
import pytest
from click.testing import CliRunner

from crawler.commands.partition import partition
from crawler.commands.quality import quality
from crawler.config.command_line import crawl_command
from crawler.config.option_groups import GROUPS
from crawler.replay.command import replay_command

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
