"""A line that says how far a work is."""

import sys

import pytest

from crawler.commands import progressline
from crawler.commands.progressline import ProgressLine


def test_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    line("reading", 1, 2)
    line.clear()
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 14.9, 15.0, 29.9, 31.0])
    monkeypatch.setattr(progressline, "monotonic", lambda: next(times))
    line = ProgressLine()
    for done in range(4):
        line("reading", done, 4)
    line.clear()
    assert capsys.readouterr() == ("", "reading: 25%\nreading: 75%\n")


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
