"""The options of a crawl that goes on: those of the session's configuration, where the command line gives no other."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from crawler.process.mpi_environment import is_launched
from sessions.session import Session, SessionError

FIXED = {
    "urls": "seed URLs",
    "seeds": "--seeds",
    "out": "--out",
    "scope": "--scope",
    "external": "--external",
    "previous": "--from",
    "worklist": "--worklist",
    "new_share": "--new-share",
}
"""What a session keeps from its begin to its end."""
FORMER_DEFAULTS = {
    "traps": False,
    "max_pages_per_site": "none",
    "max_pages_per_domain": "none",
    "metrics_host": "0.0.0.0",
    "external": "none",
}
"""What holds for a session whose configuration says nothing of these: it began before they were as they are now."""
_OWNERSHIP = ("assign", "partition", "unknown")
_GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def take_recorded(context: click.Context, _parameter: click.Parameter, path: Path | None) -> Path | None:
    """Let a session's configuration stand in for the defaults of `cutweb crawl`."""
    if path is None:
        return None
    if context.default_map is not None:
        raise click.UsageError("--resume and --config contradict each other: a session brings its own configuration")
    try:
        session = Session.open(path)
    except SessionError as error:
        raise click.UsageError(f"--resume {path}: {error}") from error
    context.default_map = _defaults(context, session.header["configuration"])
    return path


def as_resumed(context: click.Context, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options, those that go on with a session put right.

    Who owns a URL is taken from the configuration or from the command line, but never from both.  The number of ranks
    is the session's where this process is to start them, and a launcher's where that has started it.
    """
    resumed = dict(values)
    path = values["resume"]
    if path is None:
        return resumed
    given = {name for name in values if context.get_parameter_source(name) in _GIVEN}
    begun = Session.open(path).header["configuration"] | {"out": str(path)}
    for name, what in FIXED.items():
        if name in given and values[name] != () and not _is_same(values[name], begun.get(name)):
            raise click.UsageError(f"--resume {path}: {what} cannot be changed while a session goes on; leave it out")
    resumed["out"] = path
    if given & {"assign", "partition"}:
        resumed |= {name: None for name in _OWNERSHIP if name not in given}
    if "ranks" not in given:
        resumed["ranks"] = None if is_launched(os.environ) else Session.open(path).ranks
    return resumed


def _is_same(given: Any, recorded: Any) -> bool:
    """Whether an option that a session keeps is given as it was when that began: a job may be handed in again so."""
    if isinstance(given, Path):
        return recorded is not None and given.absolute() == Path(recorded).absolute()
    return bool(given == (tuple(recorded) if isinstance(recorded, list) else recorded))


def _defaults(context: click.Context, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """The values that were in force; what the session has from its begin is not among them."""
    names = {parameter.name for parameter in context.command.params} - {"urls", "seeds", "out", "ranks", "resume"}
    recorded = {name: value for name, value in configuration.items() if name in names and value is not None}
    return FORMER_DEFAULTS | recorded
