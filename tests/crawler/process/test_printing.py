"""How figures and tables are printed; nothing from outside is obeyed."""

import io
import re

import pytest
from rich.table import Table
from rich.text import Text

from crawler.process.console import VisibleConsole
from crawler.process.printing import empty_table, number, printer, size


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1_250_000, "1.25 MB"), (10**9, "1 GB"), (5 * 10**15, "5e+03 TB")],
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0, "0"), (0.12345, "0.123"), (99.94, "99.9"), (1234.5, "1,234")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_in_a_pipe_a_table_is_text_that_is_neither_cut_nor_framed(capsys: pytest.CaptureFixture[str]) -> None:
    console = printer()
    table = empty_table(console)
    table.add_column("name")
    table.add_row("x" * 500)
    console.print(table)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == ["name", "x" * 500]


# Tables and live pictures in which nothing from outside is obeyed.

HOSTILE = "a\x1b[2J\x9b\u202e\x07[red]b[/red][::1]:smile:"


def printed(what: object, *, is_terminal: bool) -> str:
    file = io.StringIO()
    VisibleConsole(file=file, force_terminal=is_terminal, width=300).print(what)
    return file.getvalue()


def test_control_characters_are_shown_and_markup_is_text() -> None:
    table = Table(HOSTILE)
    table.add_row(HOSTILE)
    for what in (HOSTILE, Text(HOSTILE), table):
        assert "a\\u001b[2J\\u009b\\u202e" in printed(what, is_terminal=False)
        assert "[red]b[/red][::1]:smile:" in printed(what, is_terminal=False)
        on_terminal = re.sub("\x1b\\[[0-9;]*m", "", printed(what, is_terminal=True))
        assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", on_terminal) is None


def test_styles_and_lines_stay() -> None:
    assert printed(Text("x\ny", style="bold"), is_terminal=True) == "\x1b[1mx\x1b[0m\n\x1b[1my\x1b[0m\n"
