"""Bodies are dropped, all or those before a date: what is left is what it was, and is known to be all there is."""

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from xxhash import xxh3_64

from sessions.analysis.summary import summarise
from sessions.checking.check import check_session
from sessions.compacting.compact import compact_session
from sessions.session import Session, SessionError, record_numbers
from sessions.storage.warc import IDENTICAL, Revisit
from sessions.storage.warc_index import build_index, read_block
from sessions.url import url_hash
from tests.sessions.checking.test_check_runs import LAST, begun, other_ranks, same_ranks
from tests.sessions.checking.test_check_warc import accepted_by_warcio
from tests.sessions.compacting.test_compact import content, long_session, quiet
from tests.sessions.support.breaking import edit_epoch
from tests.sessions.support.builder import HOME, PAGES, START, Crawl, GoingOn, small_session
from tests.sessions.support.crashing import CrashingMachine

SAME = b"<p>the same everywhere</p>" * 20
FIRST = "http://a.example/first"


def repeating(path: Path) -> None:
    """Two ranks whose pages are now and then the same as the first one: records of theirs refer to its body."""
    crawl = Crawl(path)
    first, second = crawl.ranks
    urls = [f"http://b.example/{number}" for number in range(12)]
    first.discover([FIRST, *urls[::2]])
    second.discover(urls[1::2])
    first.fetch(FIRST, SAME)
    revisit = Revisit(IDENTICAL, FIRST, START + 0.5)
    for number, url in enumerate(urls):
        if number in (3, 6):
            crawl.ranks[number % 2].fetch(url, SAME, revisit=revisit, duplicate_of=url_hash(FIRST))
        else:
            crawl.ranks[number % 2].fetch(url, url.encode())
        if number % 4 == 3:
            crawl.commit()
    crawl.end("signal")
    crawl.close()


MAKES: list[Callable[[Path], None]] = [small_session, repeating, same_ranks, other_ranks, long_session]


def without_bodies(rows: object) -> object:
    kept: list[dict[str, Any]] = rows  # type: ignore[assignment]
    return [{name: value for name, value in row.items() if not name.startswith("warc_")} for row in kept]


def told(path: Path) -> object:
    """What `cutweb info` tells but of what was dropped."""
    figures = summarise(Session.open(path)).as_dict()
    return {name: its for name, its in figures.items() if name not in ("runs", "dropped")}


@pytest.mark.parametrize("make", MAKES)
def test_without_any_body_the_tables_say_the_same(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "session"
    make(path)
    before, figures = content(path), told(path)
    bytes_before = sum(warc.bytes for warc in Session.open(path).warc_files())
    done = compact_session(path, quiet, drop_bodies=True)
    assert {place: without_bodies(rows) for place, rows in content(path).items()} == {
        place: without_bodies(rows) for place, rows in before.items()
    }
    assert told(path) == figures
    session = Session.open(path)
    assert session.read("pages", ["warc_file", "warc_offset"]).drop_null().num_rows == 0
    assert not list(path.rglob("*.warc.gz"))
    (note,) = session.dropped
    assert (done.pages, done.bytes) == (note["pages"], note["bytes"])
    assert done.bytes == bytes_before
    findings = check_session(path)
    assert findings.problems == {}
    assert [note for note in findings.notes if "were dropped on" in note]
    assert not [note for note in findings.notes if "not committed" in note]
    stays = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    assert compact_session(path, quiet, drop_bodies=True).pages == 0
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == stays


@pytest.mark.parametrize("make", [repeating, other_ranks])
def test_before_any_date_what_is_later_or_needed_keeps_its_record(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "whole")
    records = content(tmp_path / "whole")
    pages = Session.open(tmp_path / "whole").read("pages").to_pylist()
    for number, date in enumerate(sorted({row["fetched"] for row in pages})):
        path = Path(shutil.copytree(tmp_path / "whole", tmp_path / str(number)))
        done = compact_session(path, quiet, drop_bodies=True, before=date)
        needed = {row["duplicate_of"] for row in pages if row["fetched"] >= date and row["warc_file"] is not None}
        stays = {row["hash"] for row in pages if row["fetched"] >= date or row["hash"] in needed}
        now = content(path)
        for place, rows in records.items():
            assert without_bodies(now[place]) == without_bodies(rows)
        for rank in range(Session.open(path).most_ranks):
            for row, was in zip(now["pages", rank], records["pages", rank], strict=True):  # type: ignore[call-overload]
                assert row["warc_file"] == (was["warc_file"] if row["hash"] in stays else None)
        assert done.pages == len([row for row in pages if row["hash"] not in stays])
        assert check_session(path).problems == {}
        assert all(accepted_by_warcio(warc.path) for warc in Session.open(path).warc_files())


def test_a_body_that_is_later_is_missed(tmp_path: Path) -> None:
    path = tmp_path / "session"
    long_session(path)
    date = datetime.fromtimestamp(START + 8.2, UTC)
    compact_session(path, quiet, drop_bodies=True, before=date)

    assert check_session(path).is_good
    lose(path, lambda fetched: fetched < date)
    assert check_session(path).is_good
    lose(path, lambda fetched: fetched >= date)
    assert "warc_file_is_committed" in check_session(path).problems


def lose(path: Path, which: Callable[[datetime], bool]) -> None:
    """Have the pages of the first file that were all fetched at such a time name no body any more, and commit that."""
    files = [(file, pq.read_table(file.path)) for file in Session.open(path).table_files("pages")]
    file, rows = next((file, rows) for file, rows in files if all(map(which, rows["fetched"].to_pylist())))
    none = pa.nulls(len(rows), pa.string())
    pq.write_table(rows.set_column(rows.schema.get_field_index("warc_file"), "warc_file", none), file.path)
    told = {"bytes": file.path.stat().st_size, "xxh3": xxh3_64(file.path.read_bytes()).hexdigest()}

    def change(record: dict[str, Any]) -> None:
        for one in record["folded"]:
            for entry in one["ranks"]:
                for its in entry["tables"].values():
                    its.update(told if its["file"] == file.path.relative_to(path).as_posix() else {})

    edit_epoch(path, change, Session.open(path).last_epoch)


def test_a_run_that_goes_on_keeps_bodies_again(tmp_path: Path) -> None:
    path = tmp_path / "session"
    begun(path)
    compact_session(path, quiet, drop_bodies=True)
    again = GoingOn(path, LAST)
    again.ranks[0].take_back(PAGES[:2])
    again.ranks[0].fetch(PAGES[0], b"page", fetched=datetime.now(UTC))
    again.commit()
    again.close()
    assert check_session(path).problems == {}
    (warc,) = (warc for warc in Session.open(path).warc_files() if warc.rank == 0)
    assert list(build_index([warc.path]).entries) == [PAGES[0]]
    compact_session(path, quiet)
    assert len(Session.open(path).dropped) == 1
    compact_session(path, quiet, drop_bodies=True)
    assert len(Session.open(path).dropped) == 2
    assert check_session(path).problems == {}


def test_what_is_newer_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of later epochs are those that they were, and their reports are told epoch by epoch."""
    path = tmp_path / "session"
    clock = iter(f"2026-01-02T03:{minute:02d}:00+00:00" for minute in range(60))
    monkeypatch.setattr("sessions.writing.commit._now", lambda: next(clock))
    long_session(path, None)
    before, whole = Session.open(path), content(path)
    files = {file.path.name for file in before.table_files() if file.epoch > 20}
    date = datetime.fromisoformat(before.epochs[20]["committed"])
    compact_session(path, quiet, before=date)
    after = Session.open(path)
    assert content(path) == whole
    assert check_session(path).problems == {}
    assert {file.path.name for file in after.table_files() if file.epoch > 20} == files
    assert len([file for file in after.table_files("pages") if file.epoch <= 20]) == 2
    assert after.epoch_count == before.epoch_count
    kept, those = after.counting[-21:-1], before.counting[20:]
    assert [record["ranks"] for record in kept] == [record["ranks"] for record in those]
    assert len(record_numbers(path)) == 1
    compact_session(path, quiet, before=date)
    assert Session.open(path) == after
    compact_session(path, quiet)
    assert content(path) == whole
    assert len(Session.open(path).table_files("pages")) == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files of what has crashed
@pytest.mark.parametrize(
    ("seconds", "forgets", "every"),
    [(None, True, 2), *(pytest.param(*case, 1, marks=pytest.mark.long) for case in ((None, True), (2.2, False)))],
)
def test_a_kill_before_any_operation_leaves_what_comes_to_the_same(
    tmp_path: Path, seconds: float | None, forgets: bool, every: int
) -> None:
    """In steps of one rank each; whatever is dropped, the pages of a killed one have their record or none."""
    date = datetime.fromtimestamp(START + seconds, UTC) if seconds is not None else None

    def compacted(path: Path) -> None:
        compact_session(path, quiet, drop_bodies=True, before=date, step_bytes=1)

    repeating(tmp_path / "whole")
    whole = content(tmp_path / "whole")
    undisturbed = Path(shutil.copytree(tmp_path / "whole", tmp_path / "undisturbed"))
    compacted(undisturbed)
    end, notes = content(undisturbed), Session.open(undisturbed).dropped
    fuse, is_done, between = 0, False, 0
    while not is_done:
        path = Path(shutil.copytree(tmp_path / "whole", tmp_path / str(fuse)))
        is_done = CrashingMachine(path, fuse, forgets=forgets).survives(lambda: compacted(path))  # noqa: B023
        assert check_session(path).problems == {}
        found = content(path)
        assert all(rows in (whole[place], end[place]) for place, rows in found.items())
        between += found not in (whole, end)
        compacted(path)
        assert content(path) == end
        assert [note | {"at": ""} for note in Session.open(path).dropped] == [note | {"at": ""} for note in notes]
        findings = check_session(path)
        assert findings.problems == {}
        assert not [note for note in findings.notes if "not committed" in note]
        fuse += every
    assert between > 2
    assert fuse > 30


def test_every_body_is_found_by_others_after_files_are_merged(tmp_path: Path) -> None:
    """FastWARC and warcio read what was made of the files of several runs with several K."""
    path = tmp_path / "session"
    other_ranks(path)
    before = Session.open(path)
    bodies = bodies_of(before)
    done = compact_session(path, quiet)
    assert (done.before.warcs, done.after.warcs) == (5, 3)
    after = Session.open(path)
    assert bodies_of(after) == bodies
    assert all(accepted_by_warcio(warc.path) for warc in after.warc_files())
    assert all(warc.path.stat().st_size == warc.bytes for warc in after.warc_files())


def bodies_of(session: Session) -> dict[str, bytes]:
    entries = build_index([warc.path for warc in session.warc_files()]).entries
    return {url: read_block(entry.head) for url, entry in entries.items()}


def test_warc_files_grow_to_about_so_many_bytes(tmp_path: Path) -> None:
    path = tmp_path / "session"
    begun(path)
    urls = [f"{HOME}{number}" for number in range(9)]
    for number, url in enumerate(urls):
        again = GoingOn(path, f"29990101T000000-aaaaa{number}", ranks=1)
        again.ranks[0].discover([url])
        again.ranks[0].fetch(url, os.urandom(400))
        again.commit()
        again.close()
    before = content(path)
    largest = max(warc.bytes for warc in Session.open(path).warc_files())
    done = compact_session(path, quiet, file_bytes=3 * largest)
    assert 3 <= done.after.warcs - 1 < 6
    assert all(warc.bytes <= 3 * largest for warc in Session.open(path).warc_files())
    assert content(path) == before
    assert check_session(path).problems == {}
    compact_session(path, quiet)
    assert content(path) == before
    assert len(Session.open(path).warc_files()) == 2
    assert check_session(path).problems == {}


@pytest.mark.parametrize("pattern", ["*.warc.gz", "pages*.parquet", "links*.parquet"])
def test_a_damaged_file_is_not_merged(tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "session"
    same_ranks(path)
    damaged = next(iter(sorted((path / "rank-0000").glob(pattern))))
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    records = record_numbers(path)
    with pytest.raises(SessionError, match=f"{damaged.name}: is not as it was committed"):
        compact_session(path, quiet)
    assert record_numbers(path) == records
    assert damaged.read_bytes() == content


def test_two_do_not_compact_at_once(tmp_path: Path) -> None:
    path = tmp_path / "session"
    same_ranks(path)
    before = content(path)

    def compact_too(*_: object) -> None:
        with pytest.raises(SessionError, match="another process is compacting it"):
            compact_session(path, quiet)
        nonlocal tried
        tried += 1

    tried = 0
    compact_session(path, compact_too)
    assert tried > 2
    assert content(path) == before


def test_without_room_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "session"
    same_ranks(path)
    before = sorted(path.rglob("*"))
    monkeypatch.setattr("shutil.disk_usage", lambda _: os.terminal_size((0, 0)) and type("Usage", (), {"free": 10})())
    with pytest.raises(SessionError, match="10 are free there; make room first"):
        compact_session(path, quiet)
    assert sorted(path.rglob("*")) == before
