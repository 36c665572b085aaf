"""Finding pages in WARC files of all sorts, and what a stored response says when it is sent again."""

import gzip
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.localweb.generate.make import MadeWeb
from sessions.localweb.serve.response import Response, read_response
from sessions.storage.warc import ROBOTS, Exchange
from sessions.storage.warc_file import Place, WarcFile
from sessions.storage.warc_index import IndexEntry, NotAWarcError, build_index, read_block
from tests.sessions.conftest import WriteWarc
from tests.sessions.localweb.support.warcs import record_bytes, response

_A, _B = "http://a.example/", "http://b.example/x?y=1"


def _answer(path: Path, url: str) -> Response:
    return read_response(build_index([path]).entries[url])


@pytest.mark.parametrize("name", ["x.warc", "x.warc.gz"])
def test_foreign_records_are_found_and_read(write_warc: WriteWarc, name: str) -> None:
    path = write_warc(
        [
            record_bytes("warcinfo", "x", b"software: hand\r\n"),
            record_bytes("response", "<http://A.example:80/#top>", response(b"one", "Content-Type: text/html")),
            record_bytes("request", _B, b"GET /x?y=1 HTTP/1.1\r\n\r\n"),
            record_bytes("response", _B, response(b"two"), version="1.1"),
            record_bytes("response", "dns:b.example", b"1.2.3.4"),
        ],
        name,
    )
    index = build_index([path])
    assert index.warnings == []
    assert index.roots() == [_A]
    assert index.rootless() == {"b.example": _B}
    assert index.seeds() == sorted([_A, _B])
    assert index.sites() == {"a.example", "b.example"}
    assert {url: read_response(entry).body for url, entry in index.entries.items()} == {_A: b"one", _B: b"two"}


def test_the_last_record_of_a_url_counts_over_files_too(write_warc: WriteWarc) -> None:
    paths = [
        write_warc([record_bytes("response", _A, response(body)) for body in bodies], name)
        for name, bodies in (("1.warc.gz", (b"a", b"b")), ("2.warc.gz", (b"c", b"d")))
    ]
    index = build_index(paths)
    assert [read_response(entry).body for entry in index.entries.values()] == [b"d"]


def test_robots_txt_files_of_a_crawl_answer_where_no_page_does(tmp_path: Path) -> None:
    warc = WarcFile(tmp_path / "own.warc.gz")
    page = Exchange(url=_A, fetched=0.0, response_head=b"HTTP/1.1 200 OK\r\n\r\n", body=b"page")
    warc.append(page)
    for url in (_A, "http://c.example/robots.txt", _B):
        warc.append(page._replace(url=url, body=b"rules", purpose=ROBOTS))
    warc.append(page._replace(url=_B))
    warc.close()
    index = build_index([warc.path])
    assert index.entries.keys() == {_A, _B}
    assert index.sites() == {"a.example", "b.example"}
    assert index.roots() == [_A]
    bodies = {url: read_response(entry).body for url, entry in index.answers().items()}
    assert bodies == {_A: b"page", "http://c.example/robots.txt": b"rules", _B: b"page"}
    assert all(index.find(url) == entry for url, entry in index.answers().items())
    assert index.find("http://c.example/") is None


def test_our_own_files_are_read(tmp_path: Path) -> None:
    warc = WarcFile(tmp_path / "own.warc.gz")
    body = gzip.compress(b"text " * 50_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Crawler-Transfer-Encoding: chunked\r\n\r\n"
    for url in (_A, _B):
        warc.append(
            Exchange(url=url, fetched=0.0, response_head=head, body=body, request_head=b"GET / HTTP/1.1\r\n\r\n")
        )
    warc.close()
    found = _answer(tmp_path / "own.warc.gz", _B)
    assert found.body == body
    assert found.headers == ((b"Content-Encoding", b"gzip"),)


def test_a_revisit_answers_with_the_body_it_refers_to(write_warc: WriteWarc) -> None:
    path = write_warc(
        [
            record_bytes("response", _A, response(b"same", "X: 1"), "WARC-Payload-Digest: sha1:S"),
            record_bytes("revisit", _B, response(b"", "X: 2"), "WARC-Payload-Digest: sha1:S"),
            record_bytes("revisit", "http://c.example/", response(b"", "X: 3"), f"WARC-Refers-To-Target-URI: {_A}"),
            record_bytes("revisit", "http://d.example/", response(b"", status="304 Not Modified")),
        ]
    )
    index = build_index([path])
    answers = {url: read_response(entry) for url, entry in index.entries.items()}
    assert {url: (answer.body, answer.header(b"x")) for url, answer in answers.items()} == {
        _A: (b"same", b"1"),
        _B: (b"same", b"2"),
        "http://c.example/": (b"same", b"3"),
    }


@pytest.mark.parametrize("name", ["x.warc", "x.warc.gz"])
@pytest.mark.parametrize("cut", [1, 20, 60, 200])
def test_a_file_cut_off_serves_what_is_before(write_warc: WriteWarc, name: str, cut: int) -> None:
    first = record_bytes("response", _A, response(b"one" * 100))
    second = record_bytes("response", _B, response(bytes(range(256)) * 4))
    whole = write_warc([first], "first-" + name).stat().st_size
    path = write_warc([first, second], name)
    path.write_bytes(path.read_bytes()[: -cut - 4])  # the two empty lines that end a plain record are no loss
    index = build_index([path])
    assert list(index.entries) == [_A]
    assert index.warnings == [f"{path} is cut off or damaged at offset {whole}; serving what is before"]


def test_damage_in_the_middle_ends_a_file(made: MadeWeb, tmp_path: Path) -> None:
    data = bytearray(made.path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 50] = b"x" * 50
    path = tmp_path / "damaged.warc.gz"
    path.write_bytes(data)
    index = build_index([path])
    assert 0 < len(index.entries) < made.pages
    assert len(index.warnings) == 1
    for entry in index.entries.values():
        read_response(entry)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8bhello", gzip.compress(b"hello"), b"WARC/nonsense"])
def test_what_is_no_warc_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "strange"
    path.write_bytes(content)
    with pytest.raises(NotAWarcError, match=str(path)):
        build_index([path])


def test_a_warc_compressed_in_one_piece_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "piece.warc.gz"
    path.write_bytes(gzip.compress(record_bytes("response", _A, response(b"x")) * 20))
    with pytest.raises(NotAWarcError, match="one piece"):
        build_index([path])


def test_a_file_that_changed_is_noticed(write_warc: WriteWarc) -> None:
    path = write_warc([record_bytes("response", _A, response(b"x" * 100))])
    (entry,) = build_index([path]).entries.values()
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match=str(path)):
        read_block(entry.head)


def _served(write_warc: WriteWarc, block: bytes) -> Response:
    return _answer(write_warc([record_bytes("response", _A, block)]), _A)


def test_headers_of_the_connection_are_dropped(write_warc: WriteWarc) -> None:
    served = _served(
        write_warc,
        response(
            b"body",
            "Connection: keep-alive",
            "Keep-Alive: timeout=5",
            "Content-Length: 99",
            "X-Crawler-Transfer-Encoding: chunked",
            "Set-Cookie: a",
            "set-cookie: b",
            "Folded: one",
            "  two",
            "no colon here",
        ),
    )
    assert served.head == (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\r\nFolded: one two\r\nContent-Length: 4\r\n"
    )


@pytest.mark.parametrize(
    ("encoding", "body", "is_kept"),
    [
        ("gzip", gzip.compress(b"x"), True),
        ("GZIP", gzip.compress(b"x"), True),
        ("gzip", b"<html>", False),
        ("br", b"\x8b\x02\x80hello\x03", True),
        ("br", b"<html>\n", False),
        ("deflate", zlib.compress(b"hello" * 9), True),
        ("zstd", b"\x28\xb5\x2f\xfd...", True),
        ("identity", b"x", False),
        ("gzip", b"", False),
    ],
)
def test_an_encoding_the_body_is_not_in_is_dropped(
    write_warc: WriteWarc, encoding: str, body: bytes, is_kept: bool
) -> None:
    served = _served(write_warc, response(body, f"Content-Encoding: {encoding}"))
    assert bool(served.header(b"content-encoding")) == is_kept
    assert served.body == body


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde"),
        (b"abcde", b"abcde"),
        (b"<html>", b"<html>"),
        (b"", b""),
        (b"0\r\n\r\n", b""),
    ],
)
def test_chunks_are_put_together_if_they_are_chunks(write_warc: WriteWarc, stored: bytes, body: bytes) -> None:
    served = _served(write_warc, response(stored, "Transfer-Encoding: chunked"))
    assert (served.body, served.headers) == (body, ())


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=6))
def test_any_chunks_are_put_together(tmp_path_factory: pytest.TempPathFactory, chunks: list[bytes]) -> None:
    stored = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    path = tmp_path_factory.mktemp("chunks") / "x.warc"
    path.write_bytes(record_bytes("response", _A, response(stored, "Transfer-Encoding: chunked")))
    assert _answer(path, _A).body == b"".join(chunks)


def test_http2_and_bare_status_lines_become_http1(write_warc: WriteWarc) -> None:
    assert _served(write_warc, b"HTTP/2 200\nX: y\n\nbody").head == (b"HTTP/1.1 200 \r\nX: y\r\nContent-Length: 4\r\n")


@pytest.mark.parametrize("block", [b"", b"<html>", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n"])
def test_what_is_no_response_is_refused(write_warc: WriteWarc, block: bytes) -> None:
    with pytest.raises(ValueError, match="status line"):
        _served(write_warc, block)


@pytest.mark.parametrize(("value", "delay"), [("0.3", 0.3), ("-1", 0.0), ("soon", 0.0), ("nan", 0.0), ("1e9", 3600.0)])
def test_the_delay_header(value: str, delay: float) -> None:
    assert Response(200, b"OK", ((b"X-Cutweb-Delay", value.encode()),), b"").delay == delay


def test_entries_of_ordinary_pages_have_one_place(made: MadeWeb) -> None:
    index = build_index([made.path])
    entry = index.entries[made.seeds[0]]
    assert entry == IndexEntry(entry.head, entry.head)
    assert isinstance(entry.head, Place)
    assert entry.head.file == str(made.path)
