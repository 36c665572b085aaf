"""Header blocks describe the body that is stored, however the server's were written."""

import pytest

from sessions.storage.stored_head import protocol_of, stored_head


@pytest.mark.parametrize(
    ("lines", "body_bytes", "head"),
    [
        (["HTTP/1.1 200 OK", "A: b"], 5, ["HTTP/1.1 200 OK", "A: b", "Content-Length: 5"]),
        (["HTTP/1.1 200 OK", "content-length: 5"], 5, ["HTTP/1.1 200 OK", "content-length: 5"]),
        (
            ["HTTP/1.1 200 OK", "Content-Length: 9"],
            5,
            ["HTTP/1.1 200 OK", "X-Crawler-Content-Length: 9", "Content-Length: 5"],
        ),
        (
            ["HTTP/1.0 200 OK", "Transfer-Encoding: chunked"],
            5,
            ["HTTP/1.0 200 OK", "X-Crawler-Transfer-Encoding: chunked", "Content-Length: 5"],
        ),
        (
            ["HTTP/1.1 200 OK", "Content-Length: 5", "content-length: 5"],
            5,
            ["HTTP/1.1 200 OK", "Content-Length: 5", "X-Crawler-content-length: 5"],
        ),
        (
            ["HTTP/1.1 200 OK", "Content-Length: 9", "Content-Length: 5", "Content-Length: 5"],
            5,
            [
                "HTTP/1.1 200 OK",
                "X-Crawler-Content-Length: 9",
                "Content-Length: 5",
                "X-Crawler-Content-Length: 5",
            ],
        ),
        (["HTTP/1.1 200 OK", "Content-Length : 5"], 5, ["HTTP/1.1 200 OK", "Content-Length: 5"]),
        (
            ["HTTP/1.1 200 OK", "Content-Length: 5, 5", "Transfer-Encoding: chunked"],
            5,
            [
                "HTTP/1.1 200 OK",
                "X-Crawler-Content-Length: 5, 5",
                "X-Crawler-Transfer-Encoding: chunked",
                "Content-Length: 5",
            ],
        ),
        (["HTTP/2 404 "], 0, ["HTTP/1.1 404 ", "Content-Length: 0"]),
        (["HTTP/3 200"], 0, ["HTTP/1.1 200", "Content-Length: 0"]),
        (["HTTP/1.1 200 OK", ""], 0, ["HTTP/1.1 200 OK", "Content-Length: 0"]),
    ],
)
def test_stored_heads(lines: list[str], body_bytes: int, head: list[str]) -> None:
    stored = stored_head([f"{line}\r\n".encode() for line in lines], body_bytes).decode()
    *kept, end, rest = stored.split("\r\n")
    assert (end, rest) == ("", "")
    assert [line.rstrip() for line in kept] == [line.rstrip() for line in head]


def test_protocols() -> None:
    lines = (b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/2 200\r\n", b"HTTP/3 200\r\n")
    assert [protocol_of([line]) for line in lines] == ["", "", "h2", "h3"]


def test_header_lines_end_as_the_format_wants_however_they_came() -> None:
    head = stored_head([b"HTTP/1.1 200 OK\n", b"Content-Type: text/html\n", b"Content-Length: 2\n"], 2)
    assert head == b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n"
