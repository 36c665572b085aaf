"""Each invariant of WARC files and of the pages in them, broken: the check must say so and name the file."""

import gzip
import random
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from warcio.checker import Checker

from sessions.checking.check import Findings, check_session
from sessions.checking.read_tables import read_rows
from sessions.session import Session
from tests.sessions.support.breaking import (
    LAST_RECORD,
    Breakage,
    Rows,
    edit_epoch,
    edit_members,
    edit_rows,
    flip,
    members,
    replace_warc,
    warc_name,
)

# in rank 0's file: the information record, then a response and a request for each page in order of fetching
HOME_RESPONSE, HOME_REQUEST, GZIP_RESPONSE, GZIP_REQUEST = 1, 2, 3, 4


def on_disk(change: Callable[[Path], object]) -> Breakage:
    """Do something to a WARC file behind the commit record's back."""

    def breakage(session: Path) -> str:
        name = warc_name(session)
        change(session / name)
        return name

    return breakage


def recommitted(change: Callable[[list[bytes]], object]) -> Breakage:
    """Change a WARC file's gzip members, and commit that."""
    return lambda session: edit_members(session, change)


def edited(number: int, old: bytes, new: bytes) -> Breakage:
    """Change a record's bytes, of which there stay as many, in a sound gzip member of its own."""
    assert len(old) == len(new)

    def change(found: list[bytes]) -> None:
        record = gzip.decompress(found[number])
        assert old in record
        found[number] = gzip.compress(record.replace(old, new, 1), 0)

    return recommitted(change)


def pages(change: Callable[[Rows], object]) -> Breakage:
    """Change the pages of rank 0's second epoch, and commit that."""
    return lambda session: edit_rows(session, "pages", change)


def swap_offsets(rows: Rows) -> None:
    rows[0]["warc_offset"], rows[1]["warc_offset"] = rows[1]["warc_offset"], rows[0]["warc_offset"]


def merge(found: list[bytes], first: int, last: int) -> None:
    found[first : last + 1] = [gzip.compress(b"".join(map(gzip.decompress, found[first : last + 1])))]


def cut_last_record(session: Path, bytes_left_out: int) -> str:
    path = session / warc_name(session)
    return replace_warc(session, path.read_bytes()[:-bytes_left_out])


def forgotten_file(session: Path) -> str:
    for epoch in (1, 2, 3):
        edit_epoch(session, lambda record: record["ranks"][0].update(warc=[]), epoch)
    return "rank-0000/pages-000002-20260102T030405-abcdef.parquet"


def shrunk(session: Path) -> str:
    replace_warc(session, b"")
    return LAST_RECORD


def two_pages(session: Path) -> str:
    edit_rows(session, "pages", lambda rows: rows[0].update(warc_offset=rows[1]["warc_offset"]))
    return warc_name(session)


BREAKAGES: dict[str, tuple[str, Breakage]] = {
    "a bit flipped in a compressed body": ("records_are_readable", on_disk(lambda path: flip(path, 5_000))),
    "a bit flipped in the last checksum": ("warc_is_as_committed", on_disk(lambda path: flip(path, -6))),
    "a bit flipped in a gzip header": ("warc_is_as_committed", on_disk(lambda path: flip(path, 4))),
    "a file gone": ("warc_is_as_committed", on_disk(Path.unlink)),
    "a file cut": (
        "warc_is_as_committed",
        on_disk(lambda path: path.write_bytes(path.read_bytes()[:-40])),
    ),
    "a file that was never committed": ("warc_file_is_committed", forgotten_file),
    "a file that shrank": ("warcs_grow", shrunk),
    "a body changed": ("payload_digest_is_valid", edited(HOME_RESPONSE, b"<p>home", b"<p>hole")),
    "a response's header changed": ("block_digest_is_valid", edited(HOME_RESPONSE, b"200 OK", b"200 KO")),
    "a request changed": ("block_digest_is_valid", edited(GZIP_REQUEST, b"GET /", b"PUT /")),
    "the information changed": ("block_digest_is_valid", edited(0, b"cutweb", b"cobweb")),
    "a payload digest lost": ("payload_digest_is_valid", edited(HOME_RESPONSE, b"WARC-Payload-", b"WARC-Playload")),
    "two records in a member": ("record_has_its_own_member", recommitted(lambda found: merge(found, 3, 4))),
    "all records in a member": (
        "record_has_its_own_member",
        recommitted(lambda found: merge(found, 0, len(found) - 1)),
    ),
    "no compression": (
        "record_has_its_own_member",
        lambda session: replace_warc(session, gzip.decompress((session / warc_name(session)).read_bytes())),
    ),
    "a member that is no record": (
        "records_are_readable",
        recommitted(lambda found: found.insert(3, gzip.compress(b"?"))),
    ),
    "an empty member": ("records_are_readable", recommitted(lambda found: found.insert(3, gzip.compress(b"")))),
    "an empty member at the end": ("records_are_readable", recommitted(lambda found: found.append(gzip.compress(b"")))),
    "rubbish between records": ("records_are_readable", recommitted(lambda found: found.insert(3, b"rubbish"))),
    "a record cut short": ("records_are_readable", lambda session: cut_last_record(session, 30)),
    "a checksum cut off": ("records_are_readable", lambda session: cut_last_record(session, 4)),
    "a response without a page": ("response_has_page", recommitted(lambda found: found.append(found[HOME_RESPONSE]))),
    "a response with two pages": ("response_has_page", two_pages),
    "a page without a response": ("page_has_response", pages(lambda rows: rows[2].update(warc_offset=10**9))),
    "a page that leads to a request": ("page_has_response", pages(lambda rows: rows[2].update(warc_offset=0))),
    "a page that leads between records": (
        "page_has_response",
        pages(lambda rows: rows[2].update(warc_offset=rows[2]["warc_offset"] + 1)),
    ),
    "two pages that lead to each other's response": ("target_uri_is_the_pages", pages(swap_offsets)),
    "a page of other bytes": ("bytes_are_the_payloads", pages(lambda rows: rows[2].update(bytes=1))),
    "a page of another status": ("status_is_the_responses", pages(lambda rows: rows[2].update(status=404))),
    "a gzip page of another content": (
        "content_is_the_decoded_body",
        pages(lambda rows: rows[0].update(content_digest=bytes(20))),
    ),
    "a raw deflate page of another content": (
        "content_is_the_decoded_body",
        pages(lambda rows: rows[2].update(content_digest=bytes(20))),
    ),
    "a plain page of another content": (
        "content_is_the_decoded_body",
        pages(lambda rows: rows[4].update(content_digest=bytes(20))),
    ),
    "a page of other decoded bytes": (
        "content_is_the_decoded_body",
        pages(lambda rows: rows[1].update(decoded_bytes=1)),
    ),
    "a page without a content digest": (
        "content_is_the_decoded_body",
        pages(lambda rows: rows[1].update(content_digest=None)),
    ),
}


@pytest.mark.parametrize(("kind", "breakage"), BREAKAGES.values(), ids=BREAKAGES.keys())
def test_finds(session_copy: Path, kind: str, breakage: Breakage) -> None:
    file = breakage(session_copy)
    findings = check_session(session_copy)
    assert file in {problem.file for problem in findings.problems.get(kind, [])}, findings.problems


def test_names_the_record(session_copy: Path) -> None:
    edited(HOME_RESPONSE, b"<p>home", b"<p>hole")(session_copy)
    (problem,) = check_session(session_copy).problems["payload_digest_is_valid"]
    information = members((session_copy / problem.file).read_bytes())[0]
    assert problem.row == len(information)


def test_pages_before_the_damage_are_still_compared(session_copy: Path) -> None:
    """Of what lies behind a damaged record nothing is known, so nothing is said."""
    flip(session_copy / warc_name(session_copy), -100)
    edit_rows(session_copy, "pages", lambda rows: rows[0].update(bytes=1))
    findings = check_session(session_copy)
    assert {"records_are_readable", "bytes_are_the_payloads"} <= findings.problems.keys()
    assert not {"page_has_response", "response_has_page"} & findings.problems.keys()


def test_what_cannot_be_decoded_is_not_held_against_a_page(session_copy: Path) -> None:
    def change(rows: Rows) -> None:
        for number in (3, 5):  # in zstd, and cut off
            rows[number].update(content_digest=bytes(20))

    edit_rows(session_copy, "pages", change)
    assert "content_is_the_decoded_body" not in check_session(session_copy).problems


def test_records_stand_where_the_writer_said(good_session: Path) -> None:
    """FastWARC's record positions are the places that the crawler recorded: here, those of every second member."""
    rows = read_rows(Session.open(good_session), "pages", Findings().add, lambda *_: None)
    assert rows is not None
    lengths = map(len, members((good_session / warc_name(good_session)).read_bytes()))
    starts = list(accumulate(lengths, initial=0))
    assert rows["warc_offset"][rows.rank(0)].tolist() == starts[1:-1:2]


class _Arguments:
    def __init__(self, path: Path) -> None:
        self.inputs = [str(path)]
        self.verbose = False


def accepted_by_warcio(path: Path) -> bool:
    """The verdict of ``warcio check``."""
    try:
        return bool(Checker(_Arguments(path)).process_all() == 0)
    except Exception:  # warcio has no word of its own for what is not gzip at all
        return False


def test_warcio_agrees_on_a_good_file(good_session: Path) -> None:
    assert all(map(accepted_by_warcio, good_session.rglob("*.warc.gz")))


def test_whatever_warcio_refuses_is_found(session_copy: Path) -> None:
    """Flip bits at random places: what warcio objects to, and what it overlooks, is a problem here."""
    path = session_copy / warc_name(session_copy)
    whole = path.read_bytes()
    random_places = random.Random(20260102).sample(range(len(whole)), 60)
    refused = 0
    for place in random_places:
        flip(path, place)
        refused += not accepted_by_warcio(path)
        kinds = check_session(session_copy).problems.keys()
        assert "warc_is_as_committed" in kinds
        path.write_bytes(whole)
    assert refused > 30


@pytest.mark.parametrize("seed", range(4))
def test_damage_that_was_committed_never_stops_the_check(session_copy: Path, seed: int) -> None:
    """Records that were damaged before their file was committed: the check goes through, and sees what warcio sees."""
    random_bits = np.random.default_rng(seed)
    path = session_copy / warc_name(session_copy)
    whole = path.read_bytes()
    for _ in range(20):
        data = bytearray(whole)
        for place in random_bits.integers(0, len(data), 3):
            data[place] ^= 1 << random_bits.integers(0, 8)
        replace_warc(session_copy, bytes(data))
        is_good = check_session(session_copy).is_good
        assert accepted_by_warcio(path) or not is_good
