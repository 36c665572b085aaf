"""WARC files as they are written, read back by warcio, FastWARC and gzip."""

import gzip
import random
import zlib
from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from xxhash import xxh3_64

from sessions.storage.stored_head import stored_head
from sessions.storage.warc import IDENTICAL, NOT_MODIFIED, PURPOSE, ROBOTS, Exchange, Revisit, members_of
from sessions.storage.warc_digest import sha1_label
from sessions.storage.warc_file import Place, WarcFile, WarcSeries
from sessions.version import software_version
from tests.sessions.checking.test_check_warc import accepted_by_warcio

REQUEST = b"GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"
TEXT = b"<p>a page</p>\n" * 3000
GZIP = b"Content-Encoding: gzip\r\n"


def exchange(
    body: bytes, headers: Sequence[bytes] = (), status: bytes = b"HTTP/1.1 200 OK\r\n", **more: Any
) -> Exchange:
    lines = [status, *headers]
    return Exchange("http://a.example/x", 1767323045.123456, stored_head(lines, len(body)), body, REQUEST, **more)


BODIES = {
    "identity": exchange(TEXT),
    "gzip": exchange(gzip.compress(TEXT), [GZIP]),
    "deflate": exchange(zlib.compress(TEXT), [b"content-encoding: deflate\r\n"]),
    "empty": exchange(b"", status=b"HTTP/1.1 204 No Content\r\n"),
    "empty, said to be gzip": exchange(b"", [GZIP], b"HTTP/1.1 304 Not Modified\r\n"),
    "chunked": exchange(TEXT, [b"Transfer-Encoding: chunked\r\n"]),
    "truncated": exchange(TEXT[:500], [b"Content-Length: 42000\r\n"], truncated="length"),
    "truncated gzip": exchange(gzip.compress(TEXT)[:50], [GZIP, b"Content-Length: 99\r\n"], truncated="disconnect"),
    "over 64 KiB": exchange(random.Random(1).randbytes(200_000)),
    "stored, 64 KiB less 1": exchange(random.Random(2).randbytes(65_535), [GZIP]),
    "stored, over 64 KiB": exchange(gzip.compress(random.Random(3).randbytes(200_000)), [GZIP]),
    "h2": exchange(TEXT, [b"content-type: text/html\r\n"], b"HTTP/2 200 \r\n", protocol="h2"),
    "like a header": exchange(b"HTTP/1.1 500\r\n\r\nWARC/1.1\r\n\r\n", ip="2001:db8::1"),
    "line ends only": exchange(b"\r\n\r\n\r\n"),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Place]]:
    """A file with every kind of body, and where each response stands."""
    series = WarcSeries(tmp_path_factory.mktemp("warc"), "all")
    places = {name: series.append(members_of(one)) for name, one in BODIES.items()}
    ((name, _, _),) = series.sync()
    series.close()
    return series._folder / name, places


def test_warcio_accepts_all_kinds_of_bodies(written: tuple[Path, dict[str, Place]]) -> None:
    assert accepted_by_warcio(written[0])


@pytest.mark.parametrize("kind", BODIES)
def test_warcio_accepts_a_file_of_its_own(tmp_path: Path, kind: str) -> None:
    file = WarcFile(tmp_path / "one.warc.gz")
    file.append(BODIES[kind])
    file.close()
    assert accepted_by_warcio(file.path)


@pytest.mark.parametrize("kind", BODIES)
def test_a_record_is_read_back_from_its_place(written: tuple[Path, dict[str, Place]], kind: str) -> None:
    path, places = written
    place = places[kind]
    assert place.file == path.name
    with open(path, "rb") as file:
        file.seek(place.offset)
        member = file.read(place.length)
    record = gzip.decompress(member)
    assert record.endswith(BODIES[kind].response_head + BODIES[kind].body + b"\r\n\r\n")


def test_records_stand_where_fastwarc_finds_them(written: tuple[Path, dict[str, Place]]) -> None:
    path, places = written
    found = []
    for record in ArchiveIterator(str(path), parse_http=False):
        assert record.verify_block_digest(consume=False)
        found.append((str(record.record_type), record.stream_pos))
    assert [kind for kind, _ in found] == ["warcinfo"] + ["response", "request"] * len(BODIES)
    assert [offset for kind, offset in found if kind == "response"] == [place.offset for place in places.values()]


def test_record_headers(written: tuple[Path, dict[str, Place]]) -> None:
    path, _ = written
    with open(path, "rb") as file:
        records = [(record.rec_type, record.rec_headers) for record in WarcioIterator(file, no_record_parse=True)]
    information = records[0][1]
    assert information.get_header("WARC-Filename") == path.name
    responses = dict(zip(BODIES, records[1::2], strict=True))
    requests = dict(zip(BODIES, records[2::2], strict=True))
    for kind, one in BODIES.items():
        kind_of_record, headers = responses[kind]
        assert kind_of_record == "response"
        assert headers.get_header("WARC-Target-URI") == one.url
        assert headers.get_header("WARC-Date") == "2026-01-02T03:04:05.123456Z"
        assert headers.get_header("WARC-Truncated") == (one.truncated or None)
        assert headers.get_header("WARC-Protocol") == (one.protocol or None)
        assert headers.get_header("WARC-IP-Address") == (one.ip or None)
        assert headers.get_header("WARC-Payload-Digest") == "sha1:" + b32encode(sha1(one.body).digest()).decode()
        concurrent = requests[kind][1].get_header("WARC-Concurrent-To")
        assert concurrent == headers.get_header("WARC-Record-ID")
    ids = [headers.get_header("WARC-Record-ID") for _, headers in records]
    assert len(set(ids)) == len(ids)


def test_a_file_says_who_wrote_it_and_how(tmp_path: Path) -> None:
    file = WarcFile(
        tmp_path / "one.warc.gz", {"robots": "RFC 9309", "operator": "me@a.example\r\nX: y", "hostname": ""}
    )
    file.close()
    assert accepted_by_warcio(file.path)
    information = next(iter(ArchiveIterator(str(file.path))))
    fields = dict(line.split(": ", 1) for line in information.reader.read().decode().splitlines())
    assert fields.pop("software") == f"cutweb/{software_version()}"
    assert fields == {
        "robots": "RFC 9309",
        "operator": "me@a.example X: y",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
    }


def test_every_record_names_the_one_that_says_who_wrote_it(tmp_path: Path) -> None:
    series = WarcSeries(tmp_path, "run-0000", roll_over=250_000, information={"robots": "RFC 9309"})
    members = [series.prepare(BODIES["over 64 KiB"]) for _ in range(2)]
    for one in members:
        series.append(one)
    for _ in range(3):
        series.append(series.prepare(BODIES["over 64 KiB"]._replace(revisit=None)))
    series.close()
    ids = []
    for path in sorted(tmp_path.iterdir()):
        information, *records = [
            dict(record.headers.items()) for record in ArchiveIterator(str(path), parse_http=False)
        ]
        assert {record["WARC-Warcinfo-ID"] for record in records} == {information["WARC-Record-ID"]}
        assert "WARC-Warcinfo-ID" not in information
        ids.append(information["WARC-Record-ID"])
    assert len(set(ids)) == len(ids) == 3


@pytest.mark.parametrize("revisit", [None, Revisit(IDENTICAL, "http://a.example/first", 1700000000.75)])
def test_what_belongs_to_no_page_is_marked(tmp_path: Path, revisit: Revisit | None) -> None:
    file = WarcFile(tmp_path / "one.warc.gz")
    file.append(BODIES["identity"]._replace(purpose=ROBOTS, revisit=revisit))
    file.append(BODIES["identity"])
    file.close()
    assert accepted_by_warcio(file.path)
    purposes = [record.headers.get(PURPOSE) for record in ArchiveIterator(str(file.path), parse_http=False)]
    assert purposes == [None, ROBOTS, ROBOTS, None, None]


def test_no_request_record_without_a_request(tmp_path: Path) -> None:
    file = WarcFile(tmp_path / "one.warc.gz")
    file.append(Exchange("http://a.example/", 0.0, stored_head([b"HTTP/1.1 200 OK\r\n"], 0), b""))
    file.close()
    types = [record.record_type for record in ArchiveIterator(str(file.path))]
    assert types == [WarcRecordType.warcinfo, WarcRecordType.response]


def test_compressed_bodies_are_stored_and_others_compressed(written: tuple[Path, dict[str, Place]]) -> None:
    _, places = written
    assert places["identity"].length < len(TEXT) / 10
    for kind in ("gzip", "stored, over 64 KiB"):
        assert len(BODIES[kind].body) < places[kind].length < len(BODIES[kind].body) + 1000


@given(st.binary(max_size=300), st.sampled_from([1, 1000]), st.booleans())
def test_any_body_survives(tmp_path_factory: pytest.TempPathFactory, seed: bytes, times: int, is_gzip: bool) -> None:
    body = seed * times
    file = WarcFile(tmp_path_factory.mktemp("any") / "one.warc.gz")
    file.append(exchange(body, [GZIP] if is_gzip else []))
    file.close()
    (read,) = [record.reader.read() for record in ArchiveIterator(str(file.path), record_types=WarcRecordType.response)]
    assert read == body
    assert file.path.stat().st_size == file.length


def test_length_and_checksum_grow_with_the_file(tmp_path: Path) -> None:
    file = WarcFile(tmp_path / "one.warc.gz")
    lengths = []
    for one in BODIES.values():
        file.append(one)
        length, checksum = file.sync()
        data = file.path.read_bytes()
        assert (length, checksum) == (len(data), xxh3_64(data).hexdigest())
        lengths.append(length)
    assert lengths == sorted(set(lengths))
    file.close()


def test_nothing_reaches_the_file_before_a_flush_but_whole_records(tmp_path: Path) -> None:
    file = WarcFile(tmp_path / "one.warc.gz")
    file.append(BODIES["gzip"])
    assert file.path.stat().st_size == 0
    file.flush()
    assert file.path.stat().st_size == file.length
    file.append(BODIES["stored, over 64 KiB"])
    file.close()
    assert file.path.stat().st_size == file.length


def test_an_existing_file_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "one.warc.gz").write_bytes(b"")
    with pytest.raises(FileExistsError):
        WarcFile(tmp_path / "one.warc.gz")


def test_a_series_rolls_over_and_tells_what_grew(tmp_path: Path) -> None:
    series = WarcSeries(tmp_path, "run-0003", roll_over=250_000)
    assert series.sync() == []
    places = [series.append(members_of(BODIES["over 64 KiB"])) for _ in range(5)]
    assert [place.file for place in places] == [f"run-0003-0000{number}.warc.gz" for number in (0, 0, 1, 1, 2)]
    grown = series.sync()
    assert [name for name, _, _ in grown] == [f"run-0003-0000{number}.warc.gz" for number in range(3)]
    for name, length, checksum in grown:
        data = (tmp_path / name).read_bytes()
        assert (length, checksum) == (len(data), xxh3_64(data).hexdigest())
    series.append(members_of(BODIES["empty"]))
    assert [name for name, _, _ in series.sync()] == ["run-0003-00002.warc.gz"]
    series.close()
    assert all(map(accepted_by_warcio, sorted(tmp_path.iterdir())))


@pytest.mark.parametrize("profile", [IDENTICAL, NOT_MODIFIED])
@pytest.mark.parametrize("kind", BODIES)
def test_a_revisit_stands_for_a_response_whose_body_is_elsewhere(tmp_path: Path, kind: str, profile: str) -> None:
    first = "http://b.example/first"
    whole = BODIES[kind]
    file = WarcFile(tmp_path / "one.warc.gz")
    file.append(whole._replace(url=first, fetched=1700000000.75))
    file.append(whole._replace(revisit=Revisit(profile, first, 1700000000.75)))
    file.close()
    assert accepted_by_warcio(file.path)
    with open(file.path, "rb") as stream:
        _, response, _, revisit, request = (
            (record.rec_type, record.rec_headers, record.raw_stream.read())
            for record in WarcioIterator(stream, no_record_parse=True)
        )
    assert (response[0], revisit[0], request[0]) == ("response", "revisit", "request")
    header = revisit[1].get_header
    assert header("WARC-Profile") == profile
    assert header("WARC-Refers-To-Target-URI") == first
    assert header("WARC-Refers-To-Date") == response[1].get_header("WARC-Date")
    digest = response[1].get_header("WARC-Payload-Digest")
    assert header("WARC-Payload-Digest") == (digest if profile == IDENTICAL else None)
    assert revisit[2] == whole.response_head


def test_a_digest_that_is_known_is_not_computed_again(tmp_path: Path) -> None:
    file = WarcFile(tmp_path / "one.warc.gz")
    file.append(BODIES["identity"]._replace(payload_digest=bytes(20)))
    file.close()
    assert sha1_label(bytes(20)) in gzip.decompress(file.path.read_bytes())
