"""A line on stderr that says how far a long work is, if someone watches."""

import sys
from typing import Self

import click


class ProgressLine:
    """Shows, in one line, what is being done and how much of it is done.  In a pipe or a log it shows nothing.

    As a context it takes the line away at the end.
    """

    def __init__(self) -> None:
        self._is_watched = sys.stderr.isatty()
        self._shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say that so much of a work is done."""
        self.say(f"{what}: {done / max(total, 1):.0%}")

    def say(self, what: str) -> None:
        """Say what is being done, where nobody knows how much of it there is."""
        if self._is_watched and what != self._shown:
            self._show(what)

    def clear(self) -> None:
        """Take the line away, so that something else can be written."""
        if self._shown:
            self._show("")

    def _show(self, line: str) -> None:
        click.echo(f"\r\033[K{line}", nl=False, err=True)
        self._shown = line
