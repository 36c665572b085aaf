"""One line and exit code 2."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crawler.config.refusing import or_refuse
from crawler.process.problems import problem_of


class TroubleError(Exception):
    """What a command knows that may happen."""


def ended(problem: Exception | None) -> tuple[int, str, str]:
    @click.command()
    @click.pass_context
    def command(context: click.Context) -> None:
        def work() -> str:
            if problem:
                raise problem
            return "done"

        click.echo(or_refuse(context, Path("folder"), (TroubleError,), work))

    result = CliRunner().invoke(command)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (TroubleError("a: row 3 is wrong"), "a: row 3 is wrong"),
        (OSError(28, "No space left on device", "there/x"), "there/x: No space left on device"),
        (OSError(28, "No space left on device"), "folder: No space left on device"),
        (OSError("odd"), "folder: odd"),
        (MemoryError(), "folder: not enough memory"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(problem: Exception, line: str) -> None:
    assert ended(problem) == (2, "", f"cutweb command: {line}\n")


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (TroubleError("a: row 3 is wrong"), "a: row 3 is wrong"),
        (OSError(28, "No space left on device", "there/x"), "there/x: No space left on device"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("odd"), "odd"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_no_file_is_named_for_is_said_without_one(problem: Exception, line: str) -> None:
    assert problem_of(problem) == line


def test_what_works_is_returned() -> None:
    assert ended(None) == (0, "done\n", "")


def test_what_nobody_foresaw_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        ended(ZeroDivisionError())
