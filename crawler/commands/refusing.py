"""Ending a command that cannot do what it was asked: one line that says why, and exit code 2."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

Result = TypeVar("Result")


def or_refuse(
    context: click.Context, about: Path, problems: tuple[type[Exception], ...], work: Callable[[], Result]
) -> Result:
    """What ``work`` returns.

    If it raises one of ``problems``, or an error of the operating system or of memory, the command ends with a line
    on stderr and exit code 2.  ``about`` is named where the error itself names nothing.
    """
    try:
        return work()
    except problems as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename or about}: {error.strerror or error}"
    except MemoryError:
        problem = f"{about}: not enough memory"
    click.echo(f"error: {problem}", err=True)
    context.exit(2)
