"""All that a command says goes through here, to standard output and standard error, and nothing in it is obeyed.

Names of files, sites and sessions, answers of servers and messages of errors may hold anything: what a terminal would
take for a command is printed as an escape (`sessions.visible`), and a line stays one line.
"""

import sys
import traceback
from types import TracebackType
from typing import Any

import click

from sessions.visible import visible, visible_json

_CLEAR_LINE = "\r\033[K"


def tell(*lines: str, err: bool = False) -> None:
    """Print each line."""
    for line in lines:
        click.echo(visible(line), err=err)


def tell_json(content: Any) -> None:
    """Print an object as JSON."""
    click.echo(visible_json(content, indent=1))


def tell_of(name: str, facts: str) -> None:
    """Print a line that begins with a name, in bold type on a terminal."""
    click.echo(click.style(visible(name), bold=True) + visible(facts))


def refuse(command: str, *problems: str) -> None:
    """Print why a command, of this name, does not do what it was asked, a line each."""
    tell(*(f"{command}: {problem}" for problem in problems), err=True)


def overwrite(line: str) -> None:
    """Print to standard error, a terminal, in place of the line that it is on."""
    click.echo(f"{_CLEAR_LINE}{visible(line)}", nl=False, err=True)


def tell_of_errors() -> None:
    """Have the traceback of an error that nobody expected printed like all else."""
    sys.excepthook = _tell_of_error


def _tell_of_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    for part in traceback.format_exception(kind, error, trace):
        tell(*part.rstrip("\n").split("\n"), err=True)
