"""Crawls without a page: put aside for the corrected command, with all that they left."""

from pathlib import Path

import pytest

from sessions.session import Session
from sessions.writing.nothing_fetched import fetched_nothing, put_aside
from tests.sessions.support.builder import Crawl, small_session


def without_a_page(path: Path, end: str | None) -> None:
    crawl = Crawl(path)
    crawl.ranks[0].discover(["http://a.example/"])
    crawl.commit(end)
    crawl.close()


def test_only_what_ended_of_itself_without_a_page_counts(tmp_path: Path) -> None:
    for end, counts in (("complete", True), ("max-wait", True), ("signal", False), (None, False)):
        without_a_page(tmp_path / str(end), end)
        assert fetched_nothing(tmp_path / str(end)) == counts
    small_session(tmp_path / "pages", "complete")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    for name in ("pages", "folder", "file", "absent"):
        assert not fetched_nothing(tmp_path / name)


def test_it_keeps_all_that_it_had_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    without_a_page(path, "complete")
    files = {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}
    aside = put_aside(path)
    assert not path.exists()
    assert aside.name == f"crawl.nothing-{Session.open(aside).header['run']}"
    assert {file.relative_to(aside): file.read_bytes() for file in aside.rglob("*") if file.is_file()} == files


@pytest.mark.parametrize("damage", ["no json", "{}"])
def test_what_is_damaged_stays(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "crawl"
    without_a_page(path, "complete")
    (path / "session.json").write_text(damage)
    assert not fetched_nothing(path)
