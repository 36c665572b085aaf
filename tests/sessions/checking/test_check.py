"""Whole sessions, good ones and odd ones; the test_check_*.py files break them one place at a time."""

import shutil
from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.schema import NOFOLLOW
from sessions.session import SessionError
from tests.sessions.support.breaking import edit_epoch, edit_header, edit_rows
from tests.sessions.support.builder import HOME, OTHERS, PAGES, Crawl, small_session


def test_accepts_a_good_session(good_session: Path) -> None:
    findings = check_session(good_session)
    assert findings.problems == {}
    assert findings.is_good
    assert findings.checked == {
        "ranks": 2,
        "epochs": 3,
        "pages": 14,
        "links": 31,
        "urls": 21,
        "nearer": 2,
        "outcomes": 3,
        "frontier": 4,
        "robots": 2,
        "exchanges": 2,
        "referrals": 2,
        "rests": 2,
        "external_sites": 4,
        "external_urls": 6,
        "warc_files": 2,
        "records": 30,
        "responses": 14,
        "revisits": 0,
    }
    assert findings.notes == ["2 content digests not verified: body cut off, damaged, or in an encoding unknown here"]


def test_checking_changes_nothing(good_session: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in good_session.rglob("*")}
    check_session(good_session)
    assert {path: path.stat().st_mtime_ns for path in good_session.rglob("*")} == before


def test_accepts_a_killed_session_and_says_how_far_it_is_committed(tmp_path: Path) -> None:
    small_session(tmp_path / "killed", end=None)
    findings = check_session(tmp_path / "killed")
    assert findings.problems == {}
    assert "committed as far as epoch 3, superstep 6" in findings.notes[0]


def test_mentions_what_a_killed_run_leaves(session_copy: Path) -> None:
    (session_copy / "rank-0000" / ".links-run.partial").write_bytes(b"half a table")
    (session_copy / "rank-0001" / "pages-000004-run.parquet").write_bytes(b"of an epoch that not all closed")
    (session_copy / "epochs" / ".000004.json.partial").write_text("{")
    (warc,) = (session_copy / "rank-0001").glob("*.warc.gz")
    with open(warc, "ab") as file:
        file.write(b"\x1f\x8b\x08 the tail of a record")
    findings = check_session(session_copy)
    assert findings.problems == {}
    assert [note.partition(": ")[0] for note in findings.notes[:-1]] == [
        f"rank-0001/{warc.name}",
        "rank-0000/.links-run.partial",
        "rank-0001/pages-000004-run.parquet",
        "epochs/.000004.json.partial",
    ]


def test_accepts_a_session_without_epochs(tmp_path: Path) -> None:
    Crawl(tmp_path / "new").close()
    findings = check_session(tmp_path / "new")
    assert findings.problems == {}
    assert findings.notes[0] == "not ended (killed, or still running); nothing is committed"
    assert findings.checked["pages"] == 0


def test_accepts_a_complete_session_without_bodies(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "bare", ranks=1, store_bodies=False)
    crawl.ranks[0].discover([HOME, PAGES[0]])
    crawl.ranks[0].fetch(HOME, b"home", links=[(PAGES[0], 0)])
    crawl.ranks[0].fetch(PAGES[0], b"page")
    crawl.commit("complete")
    findings = check_session(tmp_path / "bare")
    assert findings.problems == {}
    assert findings.checked["records"] == 0


def nofollow_session(path: Path, *, honour_nofollow: bool) -> None:
    """A page that says noindex and has no body, with a link that says nofollow to a URL that nobody discovered."""
    crawl = Crawl(path, ranks=1, honour_nofollow=honour_nofollow)
    crawl.ranks[0].discover([HOME])
    crawl.ranks[0].fetch(HOME, b"home", links=[(PAGES[0], NOFOLLOW)], is_kept=False, noindex=True)
    crawl.ranks[0].discover([PAGES[1]])
    crawl.ranks[0].fetch(PAGES[1], b"page")
    crawl.commit("complete")
    crawl.close()


def test_nofollow_and_noindex_leave_gaps_where_they_are_honoured(tmp_path: Path) -> None:
    nofollow_session(tmp_path / "honoured", honour_nofollow=True)
    assert check_session(tmp_path / "honoured").problems == {}
    nofollow_session(tmp_path / "ignored", honour_nofollow=False)
    assert check_session(tmp_path / "ignored").problems.keys() == {"warc_file_is_committed", "links_lead_to_urls"}


def test_nothing_else_may_be_missing_where_they_are_honoured(tmp_path: Path) -> None:
    nofollow_session(tmp_path / "s", honour_nofollow=True)
    edit_rows(tmp_path / "s", "links", lambda rows: rows[0].update(flags=0), epoch=1)
    edit_rows(tmp_path / "s", "pages", lambda rows: rows[0].update(noindex=False), epoch=1)
    assert check_session(tmp_path / "s").problems.keys() == {"warc_file_is_committed", "links_lead_to_urls"}


def test_counts_overlap_where_the_finder_owns_a_url(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "overlapping", assignment="partition, discoverer")
    for rank in crawl.ranks:
        rank.discover([HOME, *OTHERS])
        rank.fetch(HOME, b"home", links=[(url, 0) for url in OTHERS])
        rank.settle(OTHERS[0], "failed", "dns")
    crawl.commit("signal")
    crawl.close()
    findings = check_session(tmp_path / "overlapping")
    assert findings.problems == {}
    assert findings.overlap == 1


def test_overlap_is_wrong_where_urls_have_one_owner(tmp_path: Path) -> None:
    test_counts_overlap_where_the_finder_owns_a_url(tmp_path)
    edit_header(tmp_path / "overlapping", lambda header: header.update(assignment="page-hash"))
    findings = check_session(tmp_path / "overlapping")
    unique = {"urls_are_unique", "pages_are_unique", "outcomes_are_unique", "frontier_is_unique", "links_are_distinct"}
    assert findings.problems.keys() == unique
    assert findings.counts["urls_are_unique"] == 9


def test_a_rank_never_overlaps_with_itself(tmp_path: Path) -> None:
    test_counts_overlap_where_the_finder_owns_a_url(tmp_path)
    name = edit_rows(tmp_path / "overlapping", "urls", lambda rows: rows.append(rows[2]), rank=1, epoch=1)
    (problem,) = check_session(tmp_path / "overlapping").problems["urls_are_unique"]
    assert (problem.file, problem.row) == (name, 9)


def test_in_cross_over_ranks_fetch_what_others_own(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "crossed", mode="cross-over")
    for rank in crawl.ranks:
        rank.discover([HOME])
        rank.fetch(HOME, b"home")
    crawl.commit("complete")
    crawl.close()
    findings = check_session(tmp_path / "crossed")
    assert (findings.problems, findings.overlap) == ({}, 1)
    edit_header(tmp_path / "crossed", lambda header: header["configuration"].update(mode="exchange"))
    assert check_session(tmp_path / "crossed").problems.keys() == {"urls_are_unique", "pages_are_unique"}


def test_behind_firewalls_links_may_lead_nowhere(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "walled", ranks=1, mode="firewall")
    crawl.ranks[0].discover([HOME])
    crawl.ranks[0].fetch(HOME, b"home", links=[(OTHERS[0], 0)])
    crawl.commit("complete")
    crawl.close()
    assert check_session(tmp_path / "walled").problems == {}
    edit_header(tmp_path / "walled", lambda header: header["configuration"].update(mode="exchange"))
    assert check_session(tmp_path / "walled").problems.keys() == {"links_lead_to_urls"}


def test_a_session_from_before_exchanges_were_recorded_is_as_good(session_copy: Path) -> None:
    for rank, epoch in ((0, 2), (1, 2)):
        edit_epoch(session_copy, lambda record, rank=rank: record["ranks"][rank]["tables"].pop("exchanges"), epoch)  # type: ignore[misc]
    findings = check_session(session_copy)
    assert findings.problems == {}
    assert findings.checked["exchanges"] == 0


def test_keeps_a_few_problems_of_a_kind_and_counts_the_rest(session_copy: Path) -> None:
    edit_rows(session_copy, "pages", lambda rows: [row.update(site="c.example") for row in rows])
    findings = check_session(session_copy, most=3)
    assert len(findings.problems["site_of_url"]) == 3
    assert findings.counts["site_of_url"] == 8
    assert [problem.row for problem in findings.problems["site_of_url"]] == [0, 1, 2]


def test_findings_for_machines(session_copy: Path) -> None:
    name = edit_rows(session_copy, "pages", lambda rows: rows[4].update(status=99))
    told = check_session(session_copy).as_dict()
    assert not told["good"]
    problem = {"kind": "status_in_range", "file": name, "row": 4, "text": "status 99 is not in 100-999"}
    assert problem in told["problems"]
    assert told["counts"]["status_in_range"] == 1


def test_tells_how_far_it_is(good_session: Path) -> None:
    told: list[tuple[str, int, int]] = []
    check_session(good_session, progress=lambda *step: told.append(step))
    assert {what for what, _, _ in told} >= {"pages", "links", "urls", "warc"}
    assert all(done <= total for _, done, total in told)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 999}', "\x00\x01"])
def test_what_is_no_session(tmp_path: Path, content: str) -> None:
    (tmp_path / "session.json").write_text(content)
    with pytest.raises(SessionError, match=r"session\.json"):
        check_session(tmp_path)


def test_an_empty_folder_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no such file"):
        check_session(tmp_path)


def test_a_session_that_lost_its_folders(session_copy: Path) -> None:
    for folder in ("rank-0000", "rank-0001"):
        shutil.rmtree(session_copy / folder)
    findings = check_session(session_copy)
    assert findings.problems.keys() == {"table_file", "warc_is_as_committed"}
    assert "table files are damaged, so no table was read" in findings.notes
