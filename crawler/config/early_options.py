"""What a rank must know of its command line before MPI begins, when nobody has read it as a whole."""

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import click

from crawler.config.crawl_options import CrawlOptions


class EarlyOptions(NamedTuple):
    """Where the session goes, and how many seconds ranks have to come together."""

    out: Path
    start_seconds: float


def early_options(command: click.Command, arguments: Sequence[str]) -> EarlyOptions | None:
    """Return what the arguments of a command say; None if they name no session, or are wrong, which is told later."""
    try:
        parser = command.make_parser(click.Context(command, resilient_parsing=True))
        given: Mapping[str, Any] = parser.parse_args(list(arguments))[0]
        values = {**_configured(given.get("config")), **given}
        out = values.get("resume") or values.get("out")
        seconds = float(values.get("start_seconds", CrawlOptions.start_seconds))
    except (click.UsageError, OSError, ValueError, TypeError):
        return None
    return EarlyOptions(Path(str(out)), seconds) if out else None


def _configured(path: str | None) -> Mapping[str, Any]:
    """The values of a TOML file; none if it cannot be read."""
    with suppress(OSError, ValueError):
        return tomllib.loads(Path(path).read_text(encoding="utf-8")) if path else {}
    return {}
