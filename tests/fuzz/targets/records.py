"""Response heads: stored in a WARC file, they come back as one record of the right length, from any reader."""

from io import BytesIO

from fastwarc.warc import ArchiveIterator
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from crawler.network.web import Request, Response
from crawler.pages.page_row import page_row
from crawler.pages.response_reader import read
from sessions.storage.stored_head import protocol_of, stored_head
from sessions.storage.warc import IDENTICAL, Exchange, Revisit, members_of
from sessions.url import canonical, url_hash
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import made_web, urls
from tests.fuzz.target import Target, alone

Kept = tuple[str, bytes, bytes, str, str, bool]
"""URL, head, body, IP address, why it is truncated, and whether the body is another record's."""

TOKENS = [
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\r\n",
        b"\r\n ",
        b"\r\n\t",
        b":",
        b" : ",
        b"Content-Length: 5\r\n",
        b"Content-Length : 7\r\n",
    ),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"transfer-encoding:gzip, chunked\r\n",
        b"Content-Encoding: gzip\r\n",
        b"\0",
        b"\xff",
    ),
    *(
        b"WARC/1.1\r\n",
        b"WARC-Type: response\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/2 200\r\n",
        b"HTTP/3 200",
        b"HTTP/1.0 ",
    ),
    *(
        b"\x0b",
        b"\x0c",
        b"\x1c",
        b"\x85",
        b"\xe2\x80\xa8",
        b"Content-Length: \r\n 5\r\n",
        b"CONTENT-LENGTH:",
        b"0",
        b"1e3",
    ),
]
HEADS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
    b"HTTP/2 200\r\ncontent-type: text/html\r\ncontent-length: 5\r\n\r\n",
    b"HTTP/1.0 404 \r\nContent-Length: 5\r\nContent-Length: 5\r\nX-Folded: a\r\n b\r\n\r\n",
    b"HTTP/1.1 301 Moved\r\nLocation: //x/\r\nContent-Length: 0\r\n\r\n",
]
BODIES = [
    b"",
    b"hello",
    b"WARC/1.1\r\nWARC-Type: response\r\n\r\n",
    b"\r\n\r\n",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"\x1f\x8b\x08\0",
]
IPS = ["", "192.0.2.1", "2001:db8::1"]


def lines_of(head: bytes) -> list[bytes]:
    """A head as libcurl tells it (8.23): what has no colon is an error to it, and folded lines are unfolded.

    A fold before any field is a field that begins with a blank.
    """
    lines: list[bytes] = []
    for line in head.split(b"\n"):
        if line in (b"", b"\r"):
            break
        if len(lines) > 1 and line.startswith((b" ", b"\t")):
            lines[-1] = lines[-1].rstrip() + b" " + line.strip() + b"\r\n"
        elif not lines or b":" in line:
            lines.append(line + b"\n")
    return lines or [b"HTTP/1.1 200 OK\r\n"]


def check(kept: Kept) -> str:
    """One record for the response and one for the request, with the fields that were written and no others."""
    text, head, body, ip, truncated, is_duplicate = kept
    url = canonical(text) or "http://a.example/"
    response = Response(
        Request(url, None),
        200,
        lines_of(head),
        body,
        ip=ip,
        truncated=truncated,
        request_head=b"GET / HTTP/1.1\r\n\r\n",
    )
    page_row(url_hash(url), response, read(response, 1 << 20), run="fuzz")
    come_back(response, is_duplicate=is_duplicate)
    return "revisit" if is_duplicate else "response"


def come_back(response: Response, *, is_duplicate: bool = False) -> None:
    """Store a response, read it with two readers, and compare."""
    url, body = response.request.url, response.body
    revisit = Revisit(IDENTICAL, url, 1.7e9) if is_duplicate else None
    exchange = Exchange(
        url=url,
        fetched=response.started,
        response_head=stored_head(response.head, len(body)),
        body=body,
        request_head=response.request_head,
        ip=response.ip,
        truncated=response.truncated,
        protocol=protocol_of(response.head),
        revisit=revisit,
    )
    members = members_of(exchange)
    expected = _expected_fields(exchange)
    stored = b"" if revisit else body
    file = members.response + members.request
    kinds = [expected["WARC-Type"], "request"] if exchange.request_head else [expected["WARC-Type"]]

    records = [
        (dict(record.headers), record.content_length, record.reader.read())
        for record in ArchiveIterator(BytesIO(file), parse_http=False)
    ]
    assert [fields["WARC-Type"] for fields, _, _ in records] == kinds
    fields, length, block = records[0]
    assert block == exchange.response_head + stored
    assert length == len(block)
    assert {name: fields.get(name) for name in expected} == expected
    assert len(fields) == len(expected) + len(_COMPUTED) + (revisit is None or revisit.profile == IDENTICAL)

    parsed = next(iter(ArchiveIterator(BytesIO(file), parse_http=True)))
    assert parsed.http_headers is not None
    assert {value for name, value in parsed.http_headers if name.lower() == "content-length"} == {str(len(body))}
    assert parsed.reader.read() == stored

    types = []
    for number, record in enumerate(WarcioIterator(BytesIO(file))):
        types.append(record.rec_type)
        assert record.rec_headers["WARC-Target-URI"] == url
        if not number:
            assert record.raw_stream.read() == stored
            length = [value for name, value in record.http_headers.headers if name.lower() == "content-length"]
            assert set(length) == {str(len(body))}
            assert record.http_headers.get_header("Transfer-Encoding") is None
    assert types == kinds


_COMPUTED = ("WARC-Record-ID", "WARC-Date", "WARC-Block-Digest", "Content-Length")


def _expected_fields(exchange: Exchange) -> dict[str, str]:
    fields = {
        "WARC-Type": "revisit" if exchange.revisit else "response",
        "WARC-Target-URI": exchange.url,
        "Content-Type": "application/http; msgtype=response",
        "WARC-IP-Address": exchange.ip,
        "WARC-Truncated": exchange.truncated,
        "WARC-Protocol": exchange.protocol,
    }
    if exchange.revisit is not None:
        fields["WARC-Profile"] = exchange.revisit.profile
        fields["WARC-Refers-To-Target-URI"] = exchange.revisit.url
        fields["WARC-Refers-To-Date"] = "2023-11-14T22:13:20.000000Z"
    return {name: value for name, value in fields.items() if value}


def _inputs() -> st.SearchStrategy[Kept]:
    heads = [*HEADS, *(kept.head for kept in made_web()[:20])]
    spellings = [url.encode("utf-8", "replace") for url in urls() if len(url) < 500]
    return st.builds(
        lambda url, head, body, ip, truncated, is_duplicate: (url, head, body, ip, truncated, is_duplicate),
        mutated(spellings, TOKENS, longest=1 << 10).map(lambda url: url.decode("utf-8", "replace")),
        mutated(heads, TOKENS, longest=1 << 14),
        st.one_of(st.sampled_from(BODIES), mutated(BODIES, TOKENS, longest=1 << 17)),
        st.sampled_from(IPS),
        st.sampled_from(["", "length", "time"]),
        st.booleans(),
    )


TARGET = Target("records", st.deferred(_inputs), alone(check), share=0.08)
