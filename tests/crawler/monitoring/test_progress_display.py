"""What rank 0 shows while the crawl goes on."""

import re

import pytest

from crawler.exchange.verdict import Status
from crawler.monitoring.progress_display import TERMINAL_VARIABLE, ProgressDisplay, figures
from crawler.network.web import ERROR_KINDS

NOTHING = Status._make([*[0] * (len(Status._fields) - 1), (0,) * len(ERROR_KINDS)])


def errors(**counts: int) -> tuple[int, ...]:
    return tuple(counts.get(kind, 0) for kind in ERROR_KINDS)


STATES = [
    NOTHING._replace(
        pages=1200,
        bytes=3_400_000,
        queued=5000,
        in_flight=7,
        wire_bytes=1500,
        milliseconds=10_000,
        errors=errors(dns=2),
    ),
    NOTHING._replace(pages=800, bytes=600_000, queued=40, in_flight=1, wire_bytes=500, errors=errors(dns=1, timeout=4)),
]


class Screen:
    """What stands on standard error, which is no terminal."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def text(self) -> str:
        return self._capsys.readouterr().err


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Screen:
    """Standard error that is no terminal."""
    monkeypatch.delenv(TERMINAL_VARIABLE, raising=False)
    return Screen(capsys)


def later(milliseconds: int, pages: int) -> list[Status]:
    return [STATES[0]._replace(milliseconds=milliseconds, pages=pages), STATES[1]._replace(pages=0)]


def test_the_figures_are_those_of_all_ranks() -> None:
    assert dict(figures(STATES, 123.4)) == {
        "pages": "2,000",
        "pages/s": "123",
        "received": "4.0 MB",
        "frontier": "5,040",
        "in flight": "8",
        "exchanged": "2.0 kB",
        "errors": "dns 3, timeout 4",
        "slowest rank": "1 (800 pages)",
    }
    assert dict(figures([NOTHING], 0))["errors"] == "none"
    paused = figures([NOTHING, STATES[0]._replace(has_paused_sites=1)], 0)
    assert dict(paused)["frontier"] == "5,000, rules pause sites"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345_678, "12.3 MB"), (5e9, "5.0 GB"), (7.25e15, "7250.0 TB")],
)
def test_sizes_are_readable(count: int, text: str) -> None:
    assert dict(figures([NOTHING._replace(bytes=int(count))], 0))["received"] == text


def test_pages_of_earlier_runs_are_told_apart() -> None:
    assert dict(figures(STATES, 0, 1234))["pages"].endswith(" (after 1,234 earlier)")


def test_elsewhere_than_on_a_terminal_there_is_a_plain_line(screen: Screen) -> None:
    progress = ProgressDisplay()
    progress.show(STATES)
    progress.close()
    assert screen.text() == (
        "0:00:10  pages 2,000  pages/s 200  received 4.0 MB  frontier 5,040  in flight 8  exchanged 2.0 kB  "
        "errors dns 3, timeout 4  slowest rank 1 (800 pages)\n"
    )


def test_lines_come_every_five_seconds_and_at_the_end(screen: Screen) -> None:
    progress = ProgressDisplay()
    for second in range(60):
        progress.show(later(1000 * second, second))
    progress.show(later(59_001, 60), is_last=True)
    starts = [line.split()[0] for line in screen.text().splitlines()]
    assert starts == [f"0:00:{second:02d}" for second in range(5, 60, 5)] + ["0:00:59"]


def test_the_rate_is_that_of_the_interval_and_at_the_end_that_of_the_whole_crawl(screen: Screen) -> None:
    progress = ProgressDisplay()
    progress.show(later(10_000, 100))
    progress.show(later(20_000, 600))
    progress.show(later(30_000, 600), is_last=True)
    assert re.findall(r"pages/s (\S+)", screen.text()) == ["10", "50", "20"]


def test_a_crawl_that_took_no_time_has_a_rate(screen: Screen) -> None:
    ProgressDisplay().show(later(0, 7), is_last=True)
    assert "pages/s 7 " in screen.text()


def test_long_crawls_show_hours(screen: Screen) -> None:
    ProgressDisplay().show(later(100_000_000, 1))
    assert screen.text().startswith("27:46:40 ")


def test_on_a_terminal_there_is_a_live_table(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TERMINAL_VARIABLE, "1")
    monkeypatch.setenv("TERM", "xterm")
    progress = ProgressDisplay()
    progress.show(STATES)
    progress.close()
    text = screen.text()
    assert "cutweb, 2 ranks, 0:00:10" in text
    assert "\x1b[" in text
    assert all(name in text and value in text for name, value in figures(STATES, 200))


@pytest.mark.parametrize("kind", ERROR_KINDS)
def test_errors_are_shown_by_their_kind(kind: str) -> None:
    states = [NOTHING._replace(errors=errors(**{kind: count})) for count in (7, 1000)]
    assert dict(figures(states, 0))["errors"] == f"{kind} 1,007"


def test_of_ranks_equally_slow_the_first_is_named() -> None:
    states = [NOTHING._replace(pages=pages) for pages in (2, 1, 1)]
    assert dict(figures(states, 0))["slowest rank"] == "1 (1 pages)"


def test_ranks_without_work_are_idle_not_slow() -> None:
    states = [NOTHING, NOTHING._replace(pages=9), NOTHING._replace(pages=3), NOTHING._replace(queued=1, pages=5)]
    assert dict(figures(states, 0))["slowest rank"] == "2 (3 pages), 1 idle"
    assert dict(figures([NOTHING, NOTHING], 0))["slowest rank"] == "0 (0 pages), 2 idle"


def test_a_line_is_one_line_however_narrow_the_screen(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    ProgressDisplay().show(STATES)
    text = screen.text()
    assert text.count("\n") == 1
    assert "\x1b" not in text
