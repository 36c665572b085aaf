"""A line that says how far a work is."""

import sys

import pytest

from crawler.commands.progressline import ProgressLine


def test_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    line("reading", 1, 2)
    line.clear()
    assert capsys.readouterr() == ("", "")


def test_a_line_is_shown_once_and_cleared(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ProgressLine()
    line.clear()
    line("reading", 1, 200)
    line("reading", 2, 200)
    line("reading", 2, 200)
    line("writing", 0, 0)
    line.say("thinking")
    line.say("thinking")
    with line:
        line.say("ending")
    line.clear()
    start = "\r\033[K"
    shown = ["reading: 0%", "reading: 1%", "writing: 0%", "thinking", "ending", ""]
    assert capsys.readouterr() == ("", "".join(start + text for text in shown))
