"""A line on stderr that says how far a long work is.

Reads the clock: the line is drawn anew a few times a second.
"""

import sys
from time import monotonic
from typing import Self

from crawler.process.terminal import overwrite, tell
from sessions.progress import Say, Share

_SECONDS_BETWEEN_LINES = 15.0
_MOST_WARNINGS = 10


def share(what: str, done: int, total: int) -> str:
    """How one says that so much of a work is done."""
    return f"{what}: {done / max(total, 1):.0%}"


def shares(say: Say, what: str) -> Share:
    """What says, when it is told how much of how much is done, how far the work ``what`` is."""
    return lambda done, total: say(share(what, done, total))


class ProgressLine:
    """Shows, in one line, what is being done and how much of it is done.

    In a pipe or a log a line of its own comes now and then, and none while little time has passed.

    As a context it takes the line away at the end, and says how many more warnings there were than were told.
    """

    def __init__(self) -> None:
        self._is_watched = sys.stderr.isatty()
        self._shown = ""
        self._said = monotonic()
        self._warnings = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
        if self._warnings > _MOST_WARNINGS:
            tell(f"warning: {self._warnings - _MOST_WARNINGS:,} more like these", err=True)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say that so much of a work is done."""
        self.say(share(what, done, total))

    def say(self, what: str) -> None:
        """Say what is being done, where nobody knows how much of it there is."""
        if not self._is_watched:
            self._note(what)
        elif what != self._shown:
            self._show(what)

    def warn(self, text: str) -> None:
        """Say what the work goes on without, on a line of its own; not more often than somebody would read."""
        self._warnings += 1
        if self._warnings <= _MOST_WARNINGS:
            self.clear()
            tell(f"warning: {text}", err=True)

    def clear(self) -> None:
        """Take the line away, so that something else can be written."""
        if self._shown:
            self._show("")

    def _note(self, what: str) -> None:
        now = monotonic()
        if now - self._said >= _SECONDS_BETWEEN_LINES:
            tell(what, err=True)
            self._said = now

    def _show(self, line: str) -> None:
        overwrite(line)
        self._shown = line
