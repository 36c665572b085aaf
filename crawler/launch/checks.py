"""Checks of what a user asks for, before a crawl writes anything: all are made, then all problems are told at once."""

import socket
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from crawler.config.command_line import UsageError
from crawler.discovery.scope import ScopeError
from partition.map.manifest import MapError
from sessions.importing.source import SourceError
from sessions.session import SessionError

_Arguments = ParamSpec("_Arguments")
_Found = TypeVar("_Found")


class Checks:
    """Runs checks, each of which returns something or raises, and keeps the problems until `refuse`."""

    def __init__(self) -> None:
        self._problems: list[str] = []

    def run(
        self, check: Callable[_Arguments, _Found], *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Found | None:
        """Return what the check returns, or None if it has found problems."""
        try:
            return check(*arguments, **named)
        except UsageError as error:
            self._problems += error.problems
        except (ScopeError, SessionError, SourceError, MapError) as error:
            self._problems.append(str(error))
        return None

    def refuse(self) -> None:
        """Raise UsageError with all problems, unless there are none.  A problem that came twice is told once."""
        if self._problems:
            raise UsageError(*dict.fromkeys(self._problems))


LOOPBACK = "127.0.0.1"


def check_metrics_port(port: int | None, host: str = LOOPBACK) -> None:
    """Raise UsageError if a ``port`` is wanted and nobody can listen there at ``host``, of this machine."""
    if not port:
        return
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            trial.bind(place)
            trial.listen()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"--metrics-port {port}: rank 0 cannot listen there, at {host} ({reason}); name another port, or another "
            "address with --metrics-host"
        ) from error
