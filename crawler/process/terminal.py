"""All that a command says goes through here, to standard output and standard error, and nothing in it is obeyed.

Names of files, sites and sessions, answers of servers and messages of errors may hold anything: what a terminal would
take for a command is printed as an escape (`sessions.visible`), and a line stays one line.
"""

import sys
import traceback
from types import TracebackType
from typing import Any, TextIO

from sessions.visible import visible, visible_json

_CLEAR_LINE, _BOLD, _PLAIN = "\r\033[K", "\033[1m", "\033[0m"


def tell(*lines: str, err: bool = False) -> None:
    """Print each line."""
    for line in lines:
        _print(visible(line) + "\n", sys.stderr if err else sys.stdout)


def tell_json(content: Any) -> None:
    """Print an object as JSON."""
    _print(visible_json(content, indent=1) + "\n", sys.stdout)


def tell_of(name: str, facts: str) -> None:
    """Print a line that begins with a name, in bold type on a terminal."""
    shown = f"{_BOLD}{visible(name)}{_PLAIN}" if sys.stdout.isatty() else visible(name)
    _print(shown + visible(facts) + "\n", sys.stdout)


def refuse(command: str, *problems: str) -> None:
    """Print why a command, of this name, does not do what it was asked, a line each."""
    tell(*(f"{command}: {problem}" for problem in problems), err=True)


def overwrite(line: str) -> None:
    """Print to standard error, a terminal, in place of the line that it is on."""
    _print((_CLEAR_LINE if sys.stderr.isatty() else "\r") + visible(line), sys.stderr)


def _print(text: str, stream: TextIO) -> None:
    stream.write(text)
    stream.flush()


def tell_of_errors() -> None:
    """Have the traceback of an error that nobody expected printed like all else."""
    sys.excepthook = _tell_of_error


def _tell_of_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    for part in traceback.format_exception(kind, error, trace):
        tell(*part.rstrip("\n").split("\n"), err=True)
