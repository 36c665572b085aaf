"""HTTP responses as WARC records hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing.http_message import Message, parse_response, without_chunks

OK = b"HTTP/1.1 200 OK\r\n"


def chunked(parts: list[bytes]) -> bytes:
    return b"".join(b"%x;a=b\r\n%b\r\n" % (len(part), part) for part in parts if part) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (OK + b"A: b\r\n\r\nbody\r\n\r\nmore", Message(200, [OK[:-2], b"A: b"], b"body\r\n\r\nmore", False)),
        (b"HTTP/1.0 404\n\nbody", Message(404, [b"HTTP/1.0 404"], b"body", False)),
        (b"HTTP/2 301 \r\nLocation: /\r\n\r\n", Message(301, [b"HTTP/2 301 ", b"Location: /"], b"", False)),
        (OK + b"A: b\r\n c\r\n\r\n", Message(200, [OK[:-2], b"A: b\r\n c"], b"", False)),
        (OK + b"A: b\r\n", Message(200, [OK[:-2], b"A: b"], b"", False)),
        (OK.strip(), Message(200, [OK[:-2]], b"", False)),
    ],
)
def test_responses(block: bytes, message: Message) -> None:
    assert parse_response(block) == message


@pytest.mark.parametrize(
    "block",
    [b"", b"<html>", b"HTTP/1.1 OK\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/1.1 099 x\r\n\r\n", b"\r\n\r\n" + OK],
)
def test_what_is_no_response(block: bytes) -> None:
    assert parse_response(block) is None


@given(st.lists(st.binary(max_size=300)))
def test_chunks_are_put_together(parts: list[bytes]) -> None:
    block = OK + b"transfer-encoding: gzip, Chunked\r\n\r\n" + chunked(parts)
    message = parse_response(block)
    assert message is not None
    assert (message.body, message.is_cut) == (b"".join(parts), False)
    assert message.head[1] == b"transfer-encoding: gzip, Chunked"


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1), st.data())
def test_chunks_that_break_off(parts: list[bytes], data: st.DataObject) -> None:
    whole = chunked(parts)
    end = data.draw(st.integers(len(b"1;a=b\r\n") + 1, len(whole) - len(b"0\r\n\r\n")))
    body, is_cut = without_chunks(whole[:end])
    assert b"".join(parts).startswith(body)
    assert is_cut


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"text\r\nmore", b"12 apples\r\n", b"2\r\nab\r\nnot a chunk", b"\r\n5\r\n"]
)
def test_what_is_not_chunked_is_left_as_it_is(body: bytes) -> None:
    assert without_chunks(body) == (body, False)
    message = parse_response(OK + b"Transfer-Encoding: chunked\r\n\r\n" + body)
    assert message is not None
    assert message.body == body
