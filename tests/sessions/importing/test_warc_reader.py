"""The records of WARC files, whole and broken."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing import warc_reader
from sessions.importing.source import SourceError
from sessions.importing.warc_reader import Record, records
from sessions.storage.stored_head import stored_head
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile


def record(kind: str, block: bytes, *lines: str, version: str = "1.0", end: bytes = b"\r\n\r\n") -> bytes:
    head = "\r\n".join((f"WARC/{version}", f"WARC-Type: {kind}", *lines, f"Content-Length: {len(block)}", "", ""))
    return head.encode() + block + end


def written(folder: Path, parts: Sequence[bytes], form: str) -> tuple[Path, list[int]]:
    """A file of these records in one of three forms, and where each begins."""
    path = folder / f"x.warc{'' if form == 'plain' else '.gz'}"
    if form == "members":
        parts = [gzip.compress(part) for part in parts]
    data = b"".join(parts)
    path.write_bytes(gzip.compress(data) if form == "one piece" else data)
    starts = [sum(map(len, parts[:index])) for index in range(len(parts))]
    return path, [0] * len(parts) if form == "one piece" else starts


def read(path: Path, kinds: Sequence[str] = ("response",)) -> list[Record]:
    return list(records(path, kinds))


FORMS = ["plain", "members", "one piece"]
blocks = st.one_of(st.binary(max_size=50), st.just(b"\r\n"), st.just(record("response", b"inner")))
kinds = st.sampled_from(["response", "request", "warcinfo", "revisit", "Response"])


@given(st.lists(st.tuples(kinds, blocks), min_size=1, max_size=6), st.sampled_from(FORMS))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, bytes]], form: str
) -> None:
    path, starts = written(tmp_path_factory.mktemp("any"), [record(*part) for part in parts], form)
    found = read(path)
    assert [one.offset for one in found] == starts
    for one, (kind, block) in zip(found, parts, strict=True):
        assert (one.kind, one.block_bytes) == (kind.lower(), len(block))
        assert one.block == (block if kind.lower() == "response" else b"")


def test_own_files_are_read(tmp_path: Path) -> None:
    file = WarcFile(tmp_path / "own.warc.gz")
    head = stored_head([b"HTTP/1.1 200 OK\r\n"], 4)
    place = file.append(Exchange("http://a.example/", 0.0, head, b"body", b"GET / HTTP/1.1\r\n\r\n", "192.0.2.1"))
    file.close()
    info, response, request = read(file.path)
    assert (info.kind, response.kind, request.kind) == ("warcinfo", "response", "request")
    assert response.offset == place.offset
    assert response.block == head + b"body"
    assert response.fields["warc-target-uri"] == "http://a.example/"
    assert response.fields["warc-ip-address"] == "192.0.2.1"


def test_headers_as_others_write_them(tmp_path: Path) -> None:
    first = record(
        "response", b"one", "WARC-Target-URI:  http://a.example/ ", "warc-type: request", "X: a\r\n  b\r\n\tc"
    )
    second = b"WARC/1.1\nWARC-Type: response\nContent-Length: 3\n\ntwo"
    path, _ = written(tmp_path, [first + b"\r\n\r\n", second], "plain")
    one, two = read(path)
    assert (one.kind, one.fields["warc-target-uri"], one.fields["x"]) == ("response", "http://a.example/", "a b c")
    assert (two.offset, two.block) == (len(first) + 4, b"two")


@pytest.mark.parametrize("form", FORMS)
def test_of_a_large_block_only_the_beginning_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(warc_reader, "MOST_BLOCK_BYTES", 1000)
    block = bytes(range(250)) * 20_000
    path, _ = written(tmp_path, [record("response", block), record("response", b"next")], form)
    large, small = read(path)
    assert (large.block, large.block_bytes) == (block[:1000], len(block))
    assert small.block == b"next"


@given(st.lists(blocks, min_size=1, max_size=4), st.sampled_from(FORMS), st.data())
def test_a_file_that_is_cut_off(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], form: str, data: st.DataObject
) -> None:
    path, starts = written(tmp_path_factory.mktemp("any"), [record("response", part) for part in parts], form)
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    found = []
    try:
        for one in records(path, ["response"]):
            found.append(one.block)  # noqa: PERF401 - what came before the error counts
        message = ""
    except SourceError as error:
        message = str(error)
    assert found == parts[: len(found)]
    if form == "plain":  # nothing tells where a plain file should end, if it ends with a record
        ends = [start + len(record("response", part)) - 4 for start, part in zip(starts, parts, strict=True)]
        assert message or any(0 <= path.stat().st_size - end <= 4 for end in ends)
    else:
        assert message or path.stat().st_size in starts
    assert not message or message.startswith(f"{path}: ")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", r"a record should begin .*here, and does not"),
        (record("response", b"x", "Content-Length: many"), "begins here has Content-Length 'many'"),
        (record("response", b"x", "Content-Length: -1"), "begins here has Content-Length '-1'"),
        (record("response", b"x", "Content-Length: " + "9" * 30), "begins here has Content-Length '999"),
        (b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", "begins here has Content-Length ''"),
        (b"WARC/1.0\r\nWARC-Type: resp", "the record that begins here breaks off in its header"),
        (b"WARC/1.0\r\n" + b"X: y\r\n" * 200_000, "the record that begins here has a header without end"),
        (b"WARC/1.0\r\nX: " + b"y" * (2 << 20), "the record that begins here has a header without end"),
        (b"WARC/1.0\r\nContent-Length: 99\r\n\r\nshort", r"begins at offset \d+: 94 bytes are missing"),
        (b"WARC/1.0\r\nContent-Length: 999999999999999\r\n\r\nshort", r"999,999,999,999,994 bytes are missing"),
    ],
)
def test_broken_records_are_named(tmp_path: Path, form: str, broken: bytes, message: str) -> None:
    path, starts = written(tmp_path, [record("response", b"fine"), broken], form)
    with pytest.raises(SourceError, match=message) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: offset {starts[1]}: ") or f"begins at offset {starts[1]}: " in text


@pytest.mark.parametrize("data", [b"", b"\r\n\r\n", b"<html>", b"WARC", gzip.compress(b""), gzip.compress(b"text")])
def test_what_is_no_warc_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=f"^{path}: is not a WARC file$"):
        read(path)


def test_a_wrong_length_is_noticed_at_the_next_record(tmp_path: Path) -> None:
    first = record("response", b"0123456789").replace(b"Content-Length: 10", b"Content-Length: 5")
    path, _ = written(tmp_path, [first, record("response", b"next")], "plain")
    with pytest.raises(SourceError, match=f"offset {first.index(b'56789')}: a record should begin here"):
        read(path)
