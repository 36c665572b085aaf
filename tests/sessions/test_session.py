"""A session's folder: claimed once, committed epoch by epoch, read at any time."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from sessions.session import Session, SessionError, claim, commit, new_run_id
from tests.sessions.breaking import edit_header
from tests.sessions.builder import HOME, PAGES, Crawl


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


def test_an_empty_folder_can_be_claimed(tmp_path: Path) -> None:
    make(tmp_path)


def test_what_cannot_be_claimed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError, match="is a file"):
        make(tmp_path / "file")
    with pytest.raises(SessionError, match="not empty"):
        make(tmp_path)
    with pytest.raises(SessionError, match="file"):
        make(tmp_path / "file" / "below")


def test_one_of_many_claims_succeeds(tmp_path: Path) -> None:
    count = 8
    barrier = Barrier(count)

    def attempt(number: int) -> bool:
        barrier.wait()
        try:
            make(tmp_path / "session")
        except SessionError:
            return False
        return True

    with ThreadPoolExecutor(count) as threads:
        assert sum(threads.map(attempt, range(count))) == 1
    assert Session.open(tmp_path / "session").ranks == 2


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


def test_a_record_that_the_header_does_not_count_means_nothing(tmp_path: Path) -> None:
    header = make(tmp_path / "session")
    commit(tmp_path / "session", header, 1, [{"tables": {}, "warc": [], "report": {}}] * 2)
    (tmp_path / "session" / "epochs" / "000002.json").write_text("{")
    assert len(Session.open(tmp_path / "session").epochs) == 1


def test_a_commit_leaves_nothing_half_written(tmp_path: Path) -> None:
    header = make(tmp_path / "session")
    commit(tmp_path / "session", header, 1, [], {"reason": "complete", "seconds": 1.5})
    assert sorted(path.name for path in (tmp_path / "session").rglob("*")) == ["000001.json", "epochs", "session.json"]
    session = Session.open(tmp_path / "session")
    assert session.ended is not None
    assert (session.ended["reason"], session.ended["seconds"]) == ("complete", 1.5)
    assert session.header == header


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
    with pytest.raises(SessionError, match=f"session.json: {key} is .*, which it cannot be"):
        Session.open(tmp_path / "session")
    edit_header(tmp_path / "session", lambda header: header.pop(key))
    with pytest.raises(SessionError, match=f"session.json: {key} is missing"):
        Session.open(tmp_path / "session")


def test_a_warc_file_is_told_from_a_session(tmp_path: Path) -> None:
    warc = tmp_path / "web.warc.gz"
    warc.write_bytes(b"")
    with pytest.raises(SessionError, match=r"is a file, not a session; .*: cutweb import warc .*web.warc.gz --out DIR"):
        Session.open(warc)
