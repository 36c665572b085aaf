"""Options in groups: as `--help` prints them, and as docs/options.md lists them.

An option carries its group where it is declared.  The groups of a command come in the order of `GROUPS`, and options
in a group as they are declared; an option without a group comes last.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from crawler.config.suggestions import as_one_value

Decorated = TypeVar("Decorated", bound=Callable[..., Any] | click.Command)

SESSION = "Seeds and session"
OWNERS = "Ranks and owners"
CUTTING = "Cutting the link graph"
ENDING = "Order and end"
MODELLING = "Estimates and virtual time"
URLS = "Which URLs are fetched"
POLITENESS = "Politeness"
REQUESTS = "Requests"
ADDRESSES = "Addresses and certificates"
DOCUMENTS = "Documents"
RESOURCES = "Memory, disk and epochs"
WATCHING = "Watching"
OTHERS = "Others"
GROUPS = (
    SESSION,
    OWNERS,
    CUTTING,
    ENDING,
    MODELLING,
    URLS,
    POLITENESS,
    REQUESTS,
    ADDRESSES,
    DOCUMENTS,
    RESOURCES,
    WATCHING,
    OTHERS,
)


_NUMBERS = click.types.IntParamType | click.types.FloatParamType


class GroupedOption(click.Option):
    """An option with the group under which a user finds it; ``aliases`` are old spellings, which no help shows.

    A number is called N unless it has a name, as in the texts of options.
    """

    def __init__(self, *args: Any, group: str = OTHERS, aliases: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.group = group
        self._aliases = aliases
        if self.metavar is None and isinstance(self.type, _NUMBERS):
            self.metavar = "N"

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown = self.opts
        self.opts = [*shown, *self._aliases]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown


def grouped_option(group: str, *names: str, **settings: Any) -> Callable[[Decorated], Decorated]:
    """Return what gives a command an option in a group of its help; ``settings`` are those of `click.option`."""
    return click.option(*names, cls=GroupedOption, group=group, **settings)


class GroupedCommand(click.Command):
    """A command whose ``--help`` has its options in groups."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            hint = ""
            if type(error) is click.UsageError:  # too many arguments
                hint = as_one_value([item for item in self.params if isinstance(item, click.Option)], given)
            if not hint:
                raise
            raise click.UsageError(f"{error.message}{hint}", ctx) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, options in in_groups(self.get_params(ctx)):
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


def in_groups(parameters: list[click.Parameter]) -> Iterator[tuple[str, list[click.Option]]]:
    """Yield each group with its options that are not hidden, in order."""
    options = [item for item in parameters if isinstance(item, click.Option) and not item.hidden]
    for group in GROUPS:
        if found := [option for option in options if getattr(option, "group", OTHERS) == group]:
            yield group, found
