"""Records of WARC files as they stand, and with other fields; warcio is the judge of what is written."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from sessions.storage.warc import IDENTICAL, Exchange, Revisit
from sessions.storage.warc_digest import sha1_label
from sessions.storage.warc_file import WarcFile
from sessions.storage.warc_members import WarcMember, member_at, warc_members

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
REQUEST = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"


def written(path: Path, bodies: list[bytes]) -> list[int]:
    """A file with a page for each body and a revisit of the first; where their records begin."""
    file = WarcFile(path)
    places = [
        file.append(Exchange(f"http://a.example/{number}", 1e9 + number, HEAD % len(body), body, REQUEST))
        for number, body in enumerate(bodies)
    ]
    first = Revisit(IDENTICAL, "http://a.example/0", 1e9)
    places.append(
        file.append(Exchange("http://b.example/", 2e9, HEAD % len(bodies[0]), bodies[0], REQUEST, revisit=first))
    )
    file.close()
    return [place.offset for place in places]


@given(st.lists(st.binary(max_size=200_000), min_size=1, max_size=4))
def test_every_record_is_found_where_it_stands(tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes]) -> None:
    path = tmp_path_factory.mktemp("warc") / "a.warc.gz"
    offsets = written(path, bodies)
    found = list(warc_members(path, path.stat().st_size))
    assert b"".join(member.raw for member in found) == path.read_bytes()
    kinds = [member.field("warc-type") for member in found]
    assert kinds == ["warcinfo", *["response", "request"] * len(bodies), "revisit", "request"]
    responses = found[1::2]
    assert [member.offset for member in responses] == offsets
    assert [member.block.partition(b"\r\n\r\n")[2] for member in responses[:-1]] == bodies
    assert member_at(path, offsets[-1]) == responses[-1]


def test_a_revisit_becomes_a_response(tmp_path: Path) -> None:
    path, body = tmp_path / "a.warc.gz", b"<p>the same" * 99
    offsets = written(path, [body])
    revisit = member_at(path, offsets[-1])
    fields = {"WARC-Type": "response", "WARC-Profile": None, "WARC-Refers-To-Target-URI": None}
    raw = revisit.with_fields(fields, revisit.block + body)
    record = next(iter(ArchiveIterator(BytesIO(raw), check_digests="raise")))
    assert record.rec_type == "response"
    assert record.content_stream().read() == body
    assert record.rec_headers.get_header("WARC-Target-URI") == "http://b.example/"
    assert record.rec_headers.get_header("WARC-Payload-Digest") == sha1_label_of(body)
    assert record.rec_headers.get_header("WARC-Record-ID") == revisit.field("WARC-Record-ID")
    assert record.rec_headers.get_header("WARC-Profile") is None


def sha1_label_of(body: bytes) -> str:
    from hashlib import sha1

    return sha1_label(sha1(body).digest()).decode()


@pytest.mark.parametrize("cut", [1, 40])
def test_a_file_that_breaks_off_is_told_of(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.warc.gz"
    written(path, [b"body"])
    data = path.read_bytes()
    path.write_bytes(data[:-cut])
    with pytest.raises(ValueError, match=r"a\.warc\.gz: the record at offset \d+ breaks off"):
        list(warc_members(path, len(data)))


def test_a_damaged_member_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    offsets = written(path, [b"body" * 50])
    data = bytearray(path.read_bytes())
    data[offsets[0] + 30] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(ValueError, match="no readable record at offset"):
        list(warc_members(path, len(data)))


def test_a_field_that_is_not_there_is_empty() -> None:
    assert WarcMember(0, b"", (b"WARC/1.1", b"WARC-Type: response"), b"").field("WARC-Date") == ""
