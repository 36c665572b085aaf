"""A line that says how far a work is."""

import sys

import pytest

from crawler.process import progress_line
from crawler.process.progress_line import ProgressLine, shares


def test_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    line = ProgressLine()
    line("reading", 1, 2)
    line.clear()
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 14.9, 15.0, 29.9, 31.0])
    monkeypatch.setattr(progress_line, "monotonic", lambda: next(times))
    monkeypatch.setattr(progress_line, "_SECONDS_BETWEEN_LINES", 15.0)
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


def test_a_work_that_knows_only_how_far_it_is() -> None:
    said: list[str] = []
    told = shares(said.append, "counting")
    for done in (0, 1, 3):
        told(done, 3)
    told(0, 0)
    assert said == ["counting: 0%", "counting: 33%", "counting: 100%", "counting: 0%"]


def test_warnings_are_told_at_once_and_the_rest_is_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_line, "_MOST_WARNINGS", 2)
    with ProgressLine() as line:
        for number in range(2):
            line.warn(f"page {number}")
    assert capsys.readouterr() == ("", "warning: page 0\nwarning: page 1\n")
    with ProgressLine() as line:
        for number in range(5):
            line.warn(f"page {number}")
        assert capsys.readouterr().err == "warning: page 0\nwarning: page 1\n"
    assert capsys.readouterr().err == "warning: 3 more like these\n"


def test_a_warning_does_not_stand_in_the_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with ProgressLine() as line:
        line.say("reading")
        line.warn("page 3")
        line.say("reading")
    start = "\r\033[K"
    assert capsys.readouterr().err == f"{start}reading{start}warning: page 3\n{start}reading{start}"
