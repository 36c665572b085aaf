"""What is checked of a worklist before a crawl by it begins."""

from pathlib import Path
from typing import Any

import pytest

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import CrawlOptions
from crawler.launch.plan import plan
from crawler.launch.worklist_checks import check_same, checked_worklist
from crawler.worklist.manifest import RankedSession
from sessions.session import Session
from sessions.url import url_hash
from tests.crawler.support.worklists import in_order, new_row, old_row, write_worklist
from tests.sessions.support.builder import small_session

SEEDS = ("http://a.example/",)
HERE, BEYOND = "http://127.0.0.1/x", "http://b.example/x"


def made(path: Path, *rows: dict[str, Any], **told: Any) -> Path:
    write_worklist(path, in_order(rows), **told)
    return path


def session_of(tmp_path: Path) -> RankedSession:
    """The listed session, which lies there."""
    small_session(tmp_path / "last")
    session = Session.open(tmp_path / "last")
    return RankedSession(str(session.path), session.header["run"], session.header["started"])


def planned(tmp_path: Path, worklist: Path, **values: object) -> None:
    plan(CrawlOptions(worklist=worklist, out=tmp_path / "out", **values), 1)  # type: ignore[arg-type]


def test_the_first_url_beyond_this_machine_is_found(tmp_path: Path) -> None:
    path = made(tmp_path / "w", new_row(HERE, 2), new_row(BEYOND, 1), seeds=SEEDS)
    checked = checked_worklist(path, ())
    assert (checked.seeds, checked.beyond) == (SEEDS, BEYOND)


def test_a_row_that_is_not_canonical_is_named(tmp_path: Path) -> None:
    url = "http://b.example/x#y"
    path = made(tmp_path / "w", new_row(BEYOND, 3), new_row(HERE, 2), new_row(url, 1, hash=url_hash(url)))
    with pytest.raises(UsageError, match=r"new-00000\.parquet: row 2: not an http\(s\) URL in canonical form: "):
        checked_worklist(path, ())


def test_a_list_without_urls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--worklist .*: has no URLs"):
        checked_worklist(made(tmp_path / "w", new_row(HERE, 1), has_urls=False), ())


def test_a_folder_that_is_no_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--worklist .*w"):
        checked_worklist(tmp_path / "w", ())


def test_a_session_goes_on_with_its_own_list_only() -> None:
    check_same("abc", "abc", Path("w"))
    with pytest.raises(UsageError, match=r"--worklist w: is another list \(def\) than the session was begun with"):
        check_same("abc", "def", Path("w"))


def test_the_last_session_is_what_is_compared_with_and_gives_the_seeds(tmp_path: Path) -> None:
    path = made(tmp_path / "w", old_row(HERE, 1), seeds=SEEDS, sessions=(session_of(tmp_path),))
    planned(tmp_path, path, scope="sites")
    session = Session.open(tmp_path / "out")
    assert session.seeds == SEEDS
    configuration = session.header["configuration"]
    assert configuration["previous"] == str(tmp_path / "last")
    assert configuration["worklist"] == str(path)
    assert configuration["worklist_identity"] == checked_worklist(path, ()).identity
    assert configuration["order"] is None


def test_whom_a_list_leads_to_wants_a_contact(tmp_path: Path) -> None:
    path = made(tmp_path / "w", new_row(HERE, 2), new_row(BEYOND, 1), sessions=(session_of(tmp_path),))
    with pytest.raises(UsageError, match=rf"--contact URL or MAIL is missing: {BEYOND}"):
        planned(tmp_path, path)
    with pytest.raises(UsageError, match="neither a scope nor a limit"):
        planned(tmp_path, path, contact="x@a.example", beyond=True)
    planned(tmp_path, path, contact="x@a.example")


def test_a_scope_by_seeds_wants_seeds(tmp_path: Path) -> None:
    path = made(tmp_path / "w", new_row(HERE, 2), sessions=(session_of(tmp_path),))
    with pytest.raises(UsageError, match=r"--scope sites goes by the seeds .* which has none; give --scope all"):
        planned(tmp_path, path, scope="sites")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("option", "flag"), [({"new_share": 0.5}, "--new-share"), ({"beyond": True}, "--beyond")])
def test_what_goes_with_a_list_means_nothing_without_one(tmp_path: Path, option: dict[str, Any], flag: str) -> None:
    with pytest.raises(UsageError, match=f"^{flag} means nothing without --worklist"):
        plan(CrawlOptions(urls=(HERE,), out=tmp_path / "out", **option), 1)
