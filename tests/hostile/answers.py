"""Answers that are nothing but right, and the parts that evil ones are made of."""

import gzip
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from html import escape

HTML = b"Content-Type: text/html; charset=utf-8\r\n"
OK = b"HTTP/1.1 200 OK\r\n" + HTML
BODY = b"<!doctype html><title>a page</title><p>" + b"Some words of no consequence. " * 20


def answer(body: bytes = BODY, *header_lines: str, status: str = "200 OK", content_type: str = "text/html") -> bytes:
    """A whole HTTP/1.1 answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *header_lines]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def page(links: Iterable[str], title: str = "a page") -> bytes:
    """An HTML page with links."""
    items = "".join(f'<li><a href="{escape(link)}">{number}</a>\n' for number, link in enumerate(links))
    return f"<!doctype html><title>{escape(title)}</title><ul>\n{items}</ul>\n".encode()


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


PREPARED: list[Callable[[], bytes]] = []
"""What takes long to make: it is made before the server starts, or others would seem slow because of it."""


def prepared(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """Makes bytes that are made once, and early."""
    made = cache(make)
    PREPARED.append(made)
    return made


@prepared
def gzip_of_64_mebibytes() -> bytes:
    """Zeros, 64 MiB of them, packed by gzip."""
    return gzip.compress(bytes(64 << 20), mtime=0)


@prepared
def zlib_of_64_mebibytes() -> bytes:
    """Zeros, 64 MiB of them, packed in zlib's format."""
    return zlib.compress(bytes(64 << 20))
