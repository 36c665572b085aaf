"""Checks of what a user asks for: all of them are made, and then all problems are told at once."""

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
