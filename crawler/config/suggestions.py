"""What somebody may have meant who mistyped: the nearest command or value, or the way in which several are given."""

import difflib
from collections.abc import Iterable
from itertools import takewhile
from typing import Any

import click


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return half a sentence with the known word nearest to one that is not known; empty if none is near."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


class OneOf(click.Choice[str]):
    """One of several names; of a name that is none of them it says which may have been meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        told = super().get_invalid_choice_message(value, ctx).rstrip(".")
        return told + (did_you_mean(str(value), self.choices) or ".")


class CommandGroup(click.Group):
    """Subcommands; of one that there is not it says which may have been meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if self.get_command(ctx, args[0]) is not None:
                raise
            told = f"No such command {args[0]!r}{did_you_mean(args[0], self.list_commands(ctx)) or '.'}"
            raise click.UsageError(told, ctx) from error


def as_one_value(options: Iterable[click.Option], arguments: list[str]) -> str:
    """Return how to give the values that stand one by one after an option that takes one value; empty if none do."""
    flags = {flag: option for option in options if not option.is_flag for flag in option.opts}
    for place, flag in enumerate(arguments):
        values = list(takewhile(lambda value: not value.startswith("-"), arguments[place + 1 :]))
        if flag in flags and len(values) > 1:
            if getattr(flags[flag].type, "is_list", False):
                return f"; {flag} takes a list: {','.join(values)}"
            if all(map(str.isdecimal, values)):
                return f"; {flag} takes one value"
    return ""
