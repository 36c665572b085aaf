"""Duplicates and unchanged pages with their revisit records; each invariant of theirs, broken, is noticed."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.storage.warc import IDENTICAL, NOT_MODIFIED, Revisit
from sessions.url import url_hash
from tests.sessions.checking.test_check_warc import accepted_by_warcio
from tests.sessions.support.breaking import Breakage, Rows, edit_members, edit_rows, warc_name
from tests.sessions.support.builder import START, Crawl

FIRST, AGAIN, PACKED, UNCHANGED = (f"http://a.example/{name}" for name in ("first", "again", "packed", "unchanged"))
BODY = b"<p>the same everywhere</p>" * 20
EARLIER = 1700000000.5
# in rank 0's file: the information record, then a response or revisit and a request for each page
AGAIN_REVISIT, UNCHANGED_REVISIT = 3, 7


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session with a duplicate, one that came in another encoding, and an unchanged page."""
    crawl = Crawl(tmp_path / "session", ranks=1)
    (rank,) = crawl.ranks
    rank.discover([FIRST, AGAIN, PACKED, UNCHANGED])
    rank.fetch(FIRST, BODY)
    rank.fetch(AGAIN, BODY, revisit=Revisit(IDENTICAL, FIRST, START + 0.5), duplicate_of=url_hash(FIRST))
    rank.fetch(
        PACKED,
        gzip.compress(BODY),
        content=BODY,
        lines=[b"Content-Encoding: gzip"],
        duplicate_of=url_hash(FIRST),
    )
    rank.fetch(
        UNCHANGED,
        status_line=b"HTTP/1.1 304 Not Modified",
        revisit=Revisit(NOT_MODIFIED, UNCHANGED, EARLIER),
        unchanged_since=datetime.fromtimestamp(EARLIER, UTC),
        content_digest=bytes(20),
    )
    crawl.commit()
    crawl.commit()
    crawl.commit("complete")
    crawl.close()
    return crawl.path


def rows(number: int, **values: object) -> Breakage:
    """Change a page's row, and commit that."""

    def change(pages: Rows) -> None:
        pages[number].update(values)

    return lambda session: edit_rows(session, "pages", change, epoch=1)


def record(number: int, old: bytes, new: bytes) -> Breakage:
    """Change a record's header, and commit that."""

    def change(found: list[bytes]) -> None:
        data = gzip.decompress(found[number])
        assert old in data
        found[number] = gzip.compress(data.replace(old, new, 1), 0)

    def breakage(session: Path) -> str:
        edit_members(session, change)
        return warc_name(session)

    return breakage


def told_by_the_page(breakage: Breakage) -> Breakage:
    """A record changed, which is told by the page that has it."""

    def both(session: Path) -> str:
        breakage(session)
        return next((session / "rank-0000").glob("pages-*.parquet")).relative_to(session).as_posix()

    return both


BREAKAGES: dict[str, tuple[str, Breakage]] = {
    "a duplicate of a page that is not there": ("duplicates_are_alike", rows(2, duplicate_of=7)),
    "a duplicate of a page with another content": ("duplicates_are_alike", rows(2, duplicate_of=url_hash(UNCHANGED))),
    "a duplicate of other length": ("duplicates_are_alike", rows(1, decoded_bytes=7)),
    "an unchanged page that came": ("unchanged_is_not_modified", rows(3, status=200)),
    "a revisit of a page that is no duplicate": ("revisit_is_the_pages", rows(1, duplicate_of=None)),
    "a revisit of another page": ("revisit_is_the_pages", rows(1, duplicate_of=url_hash(PACKED))),
    "an unchanged page whose row does not say it": ("revisit_is_the_pages", rows(3, unchanged_since=None)),
    "an unknown profile": (
        "revisit_is_the_pages",
        told_by_the_page(record(AGAIN_REVISIT, b"identical-payload-digest", b"something-else")),
    ),
    "an unchanged page of another": (
        "revisit_is_the_pages",
        told_by_the_page(
            record(UNCHANGED_REVISIT, b"Refers-To-Target-URI: http://a", b"Refers-To-Target-URI: http://b")
        ),
    ),
    "a revisit of another payload": (
        "revisits_repeat_responses",
        record(AGAIN_REVISIT, b"WARC-Payload-Digest: sha1:", b"WARC-Payload-Digest: sha1:AA"),
    ),
    "a revisit of no response": (
        "revisits_repeat_responses",
        record(AGAIN_REVISIT, b"Refers-To-Target-URI: http://a", b"Refers-To-Target-URI: http://b"),
    ),
}


def test_revisits_are_accepted_and_counted(session: Path) -> None:
    findings = check_session(session)
    assert findings.is_good, findings.problems
    assert (findings.checked["responses"], findings.checked["revisits"]) == (2, 2)
    assert not findings.notes
    assert accepted_by_warcio(session / warc_name(session))


@pytest.mark.parametrize(("kind", "breakage"), BREAKAGES.values(), ids=BREAKAGES.keys())
def test_finds(session: Path, kind: str, breakage: Breakage) -> None:
    file = breakage(session)
    findings = check_session(session)
    assert file in {problem.file for problem in findings.problems.get(kind, [])}, findings.problems
