"""A session's folder, read at any time."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from sessions.schema import TABLES
from sessions.session import Session, SessionError, damage_told, new_run_id
from sessions.writing.commit import claim, fence_and_take_over
from tests.sessions.support.breaking import edit_epoch, edit_header
from tests.sessions.support.builder import HOME, PAGES, Crawl, GoingOn


def make(path: Path) -> dict[str, object]:
    return claim(path, run="run", ranks=2, assignment="site-hash", configuration={"max_pages": 10})


def test_a_new_session(tmp_path: Path) -> None:
    make(tmp_path / "deep" / "session")
    session = Session.open(tmp_path / "deep" / "session")
    assert session.ranks == 2
    assert session.epochs == []
    assert session.ended is None
    assert session.rank_reports() == []
    assert session.table_files() == []
    assert session.warc_files() == []
    assert len(session.read("pages")) == 0
    assert session.header["configuration"] == {"max_pages": 10}


def test_only_what_is_committed_is_seen(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session")
    rank = crawl.ranks[0]
    rank.discover([HOME, PAGES[0]])
    rank.fetch(HOME, b"home")
    crawl.commit()
    before = Session.open(tmp_path / "session")
    rank.fetch(PAGES[0], b"page")
    for one in crawl.ranks:
        one.recorder.close_epoch()  # on disk, but the commit never comes
    assert Session.open(tmp_path / "session") == before
    assert before.read("pages")["url"].to_pylist() == [HOME]


def test_warc_files_have_their_latest_committed_length(good_session: Path) -> None:
    session = Session.open(good_session)
    first, second = session.warc_files()
    assert (first.rank, second.rank) == (0, 1)
    for file in (first, second):
        assert file.path.stat().st_size == file.bytes


def test_table_files(good_session: Path) -> None:
    session = Session.open(good_session)
    files = session.table_files("urls")
    assert [(file.epoch, file.rank, file.rows) for file in files] == [(1, 0, 1), (2, 0, 12), (2, 1, 8)]
    assert all(file.path.stat().st_size == file.bytes for file in files)
    assert set(files) < set(session.table_files())


def test_records_count_that_the_header_does_not_know_of(session_copy: Path) -> None:
    before = Session.open(session_copy)
    edit_header(session_copy, lambda header: header.update(epochs=1, ended=None))
    assert Session.open(session_copy) == before


def test_what_runs_there_were_and_how_they_went_on(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "session")
    crawl.ranks[0].discover([HOME, PAGES[0]])
    crawl.end("signal")
    first = Session.open(tmp_path / "session")
    assert (first.most_ranks, first.has_moved, first.superstep, first.seeds) == (2, False, 2, (HOME,))
    assert [file.table for file in first.table_files("frontier")] == ["frontier"]
    again = GoingOn(tmp_path / "session", "29990101T000000-aaaaaa")
    taken = Session.open(tmp_path / "session")
    assert (taken.ended, taken.has_moved, taken.header) == (None, False, again.header)
    assert taken.table_files("frontier") == []
    assert taken.rank_reports()[0]["discovered"] == 2
    again.commit()
    GoingOn(tmp_path / "session", "29990101T000000-bbbbbb", ranks=3).commit("complete")
    last = Session.open(tmp_path / "session")
    assert (last.ranks, last.most_ranks, last.has_moved, last.superstep) == (3, 3, True, 6)
    assert [(run.ranks, run.first_epoch) for run in last.runs] == [(2, 1), (2, 4), (3, 6)]
    assert [record["epoch"] for record in last.epochs] == [1, 2, 3, 4, 5, 6]
    assert [record["epoch"] for record in last.counting] == [1, 4, 6]
    assert [report["discovered"] for report in last.rank_reports()] == [2, 0, 0]
    assert last.rank_reports()[0]["seconds"] == 12.0


def test_another_partition_with_the_same_name_moves_urls(tmp_path: Path) -> None:
    Crawl(tmp_path / "session", assignment="site-partition").commit("signal")
    before = Session.open(tmp_path / "session")
    facts = {"run": "29990101T000000-aaaaaa", "ranks": 2, "assignment": "site-partition"}
    fence_and_take_over(before, **facts, configuration=before.header["configuration"] | {"partition_identity": "0a"})  # type: ignore[arg-type]
    assert Session.open(tmp_path / "session").has_moved


def test_what_holds_for_a_session_if_it_held_for_one_run(tmp_path: Path) -> None:
    Crawl(tmp_path / "session", assignment="site-partition/discoverer", honour_nofollow=True).commit("signal")
    before = Session.open(tmp_path / "session")
    fence_and_take_over(before, run="later", ranks=2, assignment="page-hash", configuration={})
    session = Session.open(tmp_path / "session")
    assert session.allows_overlap
    assert session.honours_nofollow
    assert not session.drops_links


def test_sessions_without_seeds_have_none(tmp_path: Path) -> None:
    make(tmp_path)
    assert Session.open(tmp_path).seeds == ()


def test_seeds_that_cannot_be_read(session_copy: Path) -> None:
    (session_copy / "seeds.txt").write_bytes(b"\xff")
    with pytest.raises(SessionError, match=r"seeds\.txt"):
        _ = Session.open(session_copy).seeds


def test_a_header_that_lost_its_runs(tmp_path: Path) -> None:
    Crawl(tmp_path / "session").end("signal")
    GoingOn(tmp_path / "session", "29990101T000000-aaaaaa")
    edit_header(tmp_path / "session", lambda header: header.pop("runs"))
    with pytest.raises(SessionError, match=r"session\.json: the runs of the session cannot be read"):
        Session.open(tmp_path / "session")


def test_older_sessions_say_only_in_session_json_that_they_ended(session_copy: Path) -> None:
    edit_header(session_copy, lambda header: header.pop("runs"))
    for epoch in (1, 2, 3):
        edit_epoch(session_copy, lambda record: record.pop("ended"), epoch)
    session = Session.open(session_copy)
    assert session.ended is not None
    assert (session.most_ranks, session.has_moved, len(session.counting)) == (2, False, 3)


def test_reading_by_rank_and_column(good_session: Path) -> None:
    session = Session.open(good_session)
    assert set(session.read("pages", ["rank"], rank=1)["rank"].to_pylist()) == {1}
    assert len(session.read("pages", ["hash"], rank=0)) + len(session.read("pages", ["hash"], rank=1)) == 14
    with pytest.raises(KeyError, match="no table"):
        session.read("books")


def test_reports_are_those_of_the_last_epoch(good_session: Path) -> None:
    assert [report["fetched"] for report in Session.open(good_session).rank_reports()] == [9, 5]


@pytest.mark.parametrize("content", ["", "no JSON", "[]", "{}", '{"format": 2}', '{"format": 1}', "\udcff"])
def test_what_cannot_be_opened(tmp_path: Path, content: str) -> None:
    (tmp_path / "session.json").write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(SessionError, match=r"session\.json"):
        Session.open(tmp_path)


def test_no_session(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match=r"is .* a session"):
        Session.open(tmp_path)


def test_a_lost_record_is_told(session_copy: Path) -> None:
    edit_header(session_copy, lambda header: header.update(epochs=4))
    with pytest.raises(SessionError, match=r"000004\.json"):
        Session.open(session_copy)


def test_run_names_sort_by_time_and_differ() -> None:
    names = [new_run_id() for _ in range(100)]
    assert len(set(names)) == 100
    assert [name[:15] for name in names] == sorted(name[:15] for name in names)


def test_the_header_is_json_for_people(good_session: Path) -> None:
    text = (good_session / "session.json").read_text()
    assert len(text.splitlines()) > 10
    assert json.loads(text)["software"].startswith("cutweb ")


@pytest.mark.parametrize(
    ("key", "value"), [("ranks", "two"), ("assignment", None), ("configuration", []), ("ended", "yesterday")]
)
def test_a_header_must_say_what_readers_rely_on(tmp_path: Path, key: str, value: object) -> None:
    make(tmp_path / "session")
    edit_header(tmp_path / "session", lambda header: header.update({key: value}))
    with pytest.raises(SessionError, match=f"session.json: {key} is .*, which is not valid"):
        Session.open(tmp_path / "session")
    edit_header(tmp_path / "session", lambda header: header.pop(key))
    with pytest.raises(SessionError, match=f"session.json: {key} is missing"):
        Session.open(tmp_path / "session")


def test_a_warc_file_is_told_from_a_session(tmp_path: Path) -> None:
    warc = tmp_path / "web.warc.gz"
    warc.write_bytes(b"")
    with pytest.raises(SessionError, match=r"is a file, not a session; .*: cutweb import warc .*web.warc.gz --out DIR"):
        Session.open(warc)


@pytest.mark.parametrize("rows", [1, 3, 1 << 16])
@pytest.mark.parametrize("table", sorted(TABLES))
def test_batches_are_what_is_read_at_once(good_session: Path, table: str, rows: int) -> None:
    session = Session.open(good_session)
    columns = TABLES[table].names[:2]
    for wanted, rank in ((None, None), (columns, None), (columns, 0)):
        batches = list(session.batches(table, wanted, rank, rows))
        whole = session.read(table, wanted, rank)
        assert all(batch.num_rows <= rows for batch in batches)
        assert pa.Table.from_batches(batches, whole.schema).equals(whole)
    with pytest.raises(KeyError, match="no table 'page'; there are"):
        session.batches("page")


def test_a_session_is_told_in_one_line(good_session: Path) -> None:
    words = repr(Session.open(good_session))
    assert words.startswith(f"Session({str(good_session)!r}, ")
    assert "\n" not in words
    assert len(words) < len(str(good_session)) + 60


FOLDER = Path("crawl-1")


@pytest.mark.parametrize(
    "problem",
    [
        KeyError("url"),
        TypeError("not a list"),
        ValueError("not JSON"),
        OSError("gone"),
        pa.ArrowInvalid("no Parquet magic"),
        pa.ArrowNotImplementedError("no such cast"),
    ],
    ids=lambda problem: type(problem).__name__,
)
def test_what_damage_raises_is_told_in_one_line(problem: Exception) -> None:
    with pytest.raises(SessionError) as caught, damage_told(FOLDER):
        raise problem
    assert str(caught.value) == f"crawl-1 is damaged ({problem}); cutweb check tells more"
    assert caught.value.__cause__ is problem


@pytest.mark.parametrize(
    "problem",
    [MemoryError(), pa.ArrowMemoryError("malloc"), SessionError("crawl-1: no session"), ZeroDivisionError()],
    ids=lambda problem: type(problem).__name__,
)
def test_what_is_no_damage_is_left_alone(problem: Exception) -> None:
    with pytest.raises(type(problem)) as caught, damage_told(FOLDER):
        raise problem
    assert caught.value is problem


def test_what_can_be_read_is_read() -> None:
    with damage_told(FOLDER):
        pass
