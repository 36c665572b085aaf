"""Reports of replays: what is in the folder, and that it is there whole or not at all."""

import csv
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crawler.replay.measuring.figures import FIGURES
from crawler.replay.recording import Recording
from crawler.replay.reporting.entry import ReportEntry
from crawler.replay.reporting.report import FILES, PAGE, write_report
from sessions.session import SessionError
from tests.crawler.replay.support.courses import ownership_with
from tests.crawler.replay.support.entries import SETTINGS, entries_at
from tests.crawler.replay.support.entries import entry as entry_of

MADE = "2026-01-02 03:04 UTC"
IMPORTED = {"reason": "imported"}


class Page(HTMLParser):
    """Headings, numbers of plots and tables, and whatever is fetched from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.headings: list[str] = []
        self.counts = {"svg": 0, "table": 0}
        self.foreign: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag in self.counts:
            self.counts[tag] += 1
        self.foreign += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.open
        while self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)


def named(recording: Recording) -> Recording:
    """The recording of a session in a folder."""
    session: Any = SimpleNamespace(**vars(recording.session), path=Path("/sessions/crawl & 1"))
    return replace(recording, session=session)


@pytest.fixture
def several(tmp_path: Path) -> tuple[Path, list[ReportEntry]]:
    recording, entries = entries_at(2, 3)
    write_report(tmp_path / "out", entries, named(recording), SETTINGS, made=MADE)
    return tmp_path / "out", entries


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_page_needs_nothing_else_and_shows_everything(several: tuple[Path, list[ReportEntry]]) -> None:
    out, _ = several
    assert {path.name for path in out.iterdir()} == set(FILES)
    page = Page((out / PAGE).read_text())
    assert page.foreign == []
    assert page.headings[0] == "Replays of crawl & 1"
    assert page.headings[1:6] == [
        "Over K",
        "Over time, K = 3",
        "Rank by rank, K = 3",
        "Quality, K = 3",
        "Who sends to whom, K = 3",
    ]
    assert page.counts["table"] > 20
    text = (out / PAGE).read_text()
    assert "<discoverer>" not in text
    assert "The same in all replays: " in text


def test_one_k_has_one_table(tmp_path: Path) -> None:
    recording, entries = entries_at(2)
    write_report(tmp_path / "out", entries, named(recording), SETTINGS, made=MADE)
    page = Page((tmp_path / "out" / PAGE).read_text())
    assert page.counts["table"] == 1
    assert page.headings[-1] == "Measures, K = 2"
    assert "Over K" not in page.headings


def test_what_an_import_cannot_tell_is_left_out(tmp_path: Path) -> None:
    recording, entries = entries_at(2)
    session: Any = SimpleNamespace(
        honours_nofollow=True, header={"assignment": "imported"}, ended={"reason": "imported"}
    )
    imported: Any = replace(recording, session=session, pages=recording.pages.drop_columns("rank"))
    for name, asked, is_told in (("crawled", recording, True), ("imported", imported, False)):
        write_report(tmp_path / name, entries, named(asked), SETTINGS, made=MADE)
        text = (tmp_path / name / PAGE).read_text()
        assert ("Moved bytes" in text) == is_told
        assert ("so no rank fetched its pages" in text) != is_told
        assert "No times" not in text


def test_the_record_has_all_figures_with_their_definitions(several: tuple[Path, list[ReportEntry]]) -> None:
    out, entries = several
    record = json.loads((out / "report.json").read_text())
    assert [replay["figures"] for replay in record["replays"]] == [entry.figures() for entry in entries]
    assert list(record["figures"]) == [figure.name for figure in FIGURES]
    assert record["session"]["pages"] == 5
    assert record["settings"]["pages_per_superstep"] == 1


def test_tables_have_what_was_measured(several: tuple[Path, list[ReportEntry]]) -> None:
    out, entries = several
    for row, entry in zip(rows(out / "measures.csv"), entries, strict=True):
        assert (row["model"], int(row["k"])) == (entry.model, entry.k)
        assert {name: float(row[name]) for name in entry.figures()} == entry.figures()
    steps = rows(out / "timeline.csv")
    assert len(steps) == sum(entry.measures.supersteps for entry in entries)
    assert sum(int(row["fetches"]) for row in steps) == sum(entry.measures.fetches for entry in entries)
    assert len(rows(out / "quality.csv")) == 100 * len(entries)
    pairs = [row for row in rows(out / "pairs.csv") if (row["model"], row["k"]) == (entries[0].model, "2")]
    sent = [(row["sender"], row["receiver"], row["messages"], row["urls"], row["bytes"]) for row in pairs]
    assert sent == [("0", "1", "1", "1", "17"), ("1", "0", "1", "1", "17")]


def test_every_rank_is_told_of(several: tuple[Path, list[ReportEntry]]) -> None:
    out, entries = several
    found = rows(out / "ranks.csv")
    assert [(row["model"], row["k"], row["rank"]) for row in found] == [
        (entry.model, str(entry.k), str(rank)) for entry in entries for rank in range(entry.k)
    ]
    record = json.loads((out / "report.json").read_text())
    for replay, entry in zip(record["replays"], entries, strict=True):
        mine = [row for row in found if (row["model"], row["k"]) == (entry.model, str(entry.k))]
        assert list(replay["ranks"]) == list(record["figures_of_ranks"])
        for name, values in replay["ranks"].items():
            assert [float(row[name]) for row in mine] == values
        assert sum(replay["ranks"]["fetches"]) == entry.measures.fetches
        assert sum(replay["ranks"]["bytes_received"]) == entry.measures.bytes_sent


def test_plots_leave_out_ways_that_cannot_be_told_apart_and_say_so(tmp_path: Path) -> None:
    recording, (first, *_) = entries_at(2)
    ways = [f"{model}/{rule}" for model in ("page", "site") for rule in "abcde"]
    write_report(tmp_path / "out", [replace(first, model=way) for way in ways], named(recording), SETTINGS, made=MADE)
    text = (tmp_path / "out" / PAGE).read_text()
    assert "show 6 of the 10 ways, the tables all.  Not shown: site/b, site/c, site/d, site/e." in text
    assert text.count('class="plot heat"') == 6
    assert "4 other ways are not shown." in text
    assert [way for way in ways if f"{way}: fetches" in text] == [*ways[:5], "site/a"]
    assert Page(text).counts["table"] == 2


def test_maps_are_left_out_if_nothing_is_sent(tmp_path: Path) -> None:
    recording, _ = entries_at(2)
    alone = entry_of(recording, ownership_with(2, [0] * 6), "page")
    assert alone.measures.urls_sent == 0
    write_report(tmp_path / "out", [alone], named(recording), SETTINGS, made=MADE)
    assert "Who sends" not in (tmp_path / "out" / PAGE).read_text()


def test_courses_may_be_left_out(tmp_path: Path) -> None:
    recording, entries = entries_at(2)
    bare = [replace(entry, course=None) for entry in entries]
    write_report(tmp_path / "out", bare, named(recording), SETTINGS, made=MADE)
    text = (tmp_path / "out" / PAGE).read_text()
    assert "Who sends" not in text
    assert "Rank by rank" not in text
    assert rows(tmp_path / "out" / "pairs.csv") == rows(tmp_path / "out" / "ranks.csv") == []


def test_nothing_is_left_of_a_report_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise MemoryError

    recording, entries = entries_at(2)
    monkeypatch.setattr("crawler.replay.reporting.report.as_html", fail)
    with pytest.raises(MemoryError):
        write_report(tmp_path / "out", entries, named(recording), SETTINGS, made=MADE)
    assert list(tmp_path.iterdir()) == []


def test_a_taken_folder_and_nothing_to_report_are_refused(
    several: tuple[Path, list[ReportEntry]], tmp_path: Path
) -> None:
    recording, entries = entries_at(2)
    before = (several[0] / PAGE).read_bytes()
    with pytest.raises(SessionError, match="out"):
        write_report(several[0], entries, named(recording), SETTINGS, made=MADE)
    assert (several[0] / PAGE).read_bytes() == before
    with pytest.raises(ValueError, match="nothing"):
        write_report(tmp_path / "other", [], named(recording), SETTINGS, made=MADE)
    assert not (tmp_path / "other").exists()


def test_a_report_tells_its_date_and_what_one_has_to_know_before_its_figures(tmp_path: Path) -> None:
    recording, (first, *others) = entries_at(2)
    line = "session <x> is not complete: it was stopped by a signal and left 7 URLs queued"
    entries = [replace(first, warnings=(line,)), *(replace(other, warnings=(line,)) for other in others)]
    write_report(tmp_path / "out", entries, named(recording), SETTINGS, made=MADE)
    page = (tmp_path / "out" / PAGE).read_text()
    assert f"Made {MADE} by cutweb" in page
    assert page.count("session &lt;x&gt; is not complete") == 1
    told = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (told["made"], told["warnings"]) == (MADE, [line])
