"""The command line of the crawl that follows a session: the same seeds, scope, limits and manners, by other owners."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from crawler.config.command_line import as_plain_values
from crawler.config.crawl_options import CrawlOptions
from crawler.config.option_declaration import click_parameters
from sessions.records import Configuration
from sessions.session import SEEDS, Session

OF_THE_NEXT = {"urls", "seeds", "out", "ranks", "assign", "partition", "unknown", "previous", "scratch", "log_json"}
"""Options that say where a crawl begins and writes, and who owns what."""


def next_crawl(session: Path, owners: str) -> str:
    """Return the command that crawls again what the session crawled; ``owners`` are the options that say who owns what.

    Where a session was no crawl of the web, dots stand for what only the user knows.
    """
    opened = Session.open(session)
    if not opened.seeds:
        return f"cutweb crawl {owners} ..."
    seeds, out = (shlex.quote(str(place)) for place in (session / SEEDS, session.with_name(f"{session.name}-next")))
    asked = shlex.join(arguments_of(opened.header["configuration"]))
    return f"cutweb crawl {owners} --seeds {seeds} {asked}{' ' if asked else ''}--out {out}"


def arguments_of(configuration: Configuration) -> list[str]:
    """Return the arguments that set what a configuration has other than by default, but for where and by whom."""
    return [
        argument
        for parameter in click_parameters(CrawlOptions)
        if isinstance(parameter, click.Option) and parameter.name not in OF_THE_NEXT
        for argument in _arguments(parameter, configuration)
    ]


_DEFAULTS = as_plain_values(CrawlOptions())


def _arguments(option: click.Option, configuration: Configuration) -> Iterator[str]:
    assert option.name is not None
    value: Any = configuration.get(option.name, _DEFAULTS[option.name])
    if value == _DEFAULTS[option.name]:
        return
    flag = option.opts[0]
    if isinstance(value, bool):
        yield flag if value else option.secondary_opts[0]
    else:
        for one in value if option.multiple else [value]:
            yield from (flag, _written(one))


def _written(value: Any) -> str:
    """A value as a user would type it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "none" if value is None else str(value)
