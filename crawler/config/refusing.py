"""Ending a command that cannot do what it was asked: lines that say why, and exit code 2."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

import click

from crawler.process.mpi_environment import launched_as
from crawler.process.problems import problem_of
from crawler.process.terminal import refuse

Result = TypeVar("Result")


def or_refuse(
    context: click.Context, about: Path, problems: tuple[type[Exception], ...], work: Callable[[], Result]
) -> Result:
    """What ``work`` returns.

    If it raises one of ``problems``, or an error of the operating system or of memory, the command ends with a line
    on stderr and exit code 2.  ``about`` is named where the error itself names nothing.
    """
    caught: tuple[type[Exception], ...] = (*problems, OSError, MemoryError)
    try:
        return work()
    except IsADirectoryError as error:
        from sessions.importing.source import folder_instead

        _end(context, folder_instead(Path(error.filename or about)))
    except caught as error:
        _end(context, problem_of(error, about))


def refuse_if_any(context: click.Context, problems: Iterable[str]) -> None:
    """If there are problems with what was asked for, end the command with a line for each, and exit code 2."""
    if told := list(problems):
        _end(context, *told)


def refuse_once(context: click.Context, problems: Sequence[str]) -> None:
    """If there are problems, end the command on all ranks, of which the first tells why."""
    refuse_if_any(context, problems if launched_as(os.environ)[0] == 0 else ())
    if problems:
        context.exit(2)


def _end(context: click.Context, *problems: str) -> NoReturn:
    path = context.command_path
    refuse(path if path.startswith("cutweb") else f"cutweb {path}", *problems)
    context.exit(2)
