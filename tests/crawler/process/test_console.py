"""Tables and live pictures in which nothing from outside is obeyed."""

import io
import re

from rich.table import Table
from rich.text import Text

from crawler.process.console import VisibleConsole

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
