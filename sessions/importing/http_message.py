"""An HTTP response as the block of a WARC record holds it: header lines and body, the transfer encoding taken off."""

import re
from typing import NamedTuple

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(rb"\r?\n(?![ \t])")  # a line that begins with a space goes on from the one before
_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)")
_LEAST_STATUS = 100
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_CUT_SIZE = re.compile(rb"[0-9a-fA-F]{0,15}[ \t]*(?:;[^\n]*)?\r?")
_CHUNK_END = re.compile(rb"\r?\n?")


class Message(NamedTuple):
    """A response: its status, its header lines (the status line first) without line ends, its body.

    ``is_cut``: the body is chunked, and its last chunk is missing.
    """

    status: int
    head: list[bytes]
    body: bytes
    is_cut: bool


def parse_response(block: bytes) -> Message | None:
    """Take a response apart; None if it does not begin with a status line."""
    end = _HEAD_END.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block.rstrip(b"\r\n"), b"")
    match = _STATUS.match(head)
    if match is None or int(match[1]) < _LEAST_STATUS:
        return None
    lines = _LINE_END.split(head)
    is_cut = False
    if any(_is_chunked(line) for line in lines):
        body, is_cut = without_chunks(body)
    return Message(int(match[1]), lines, body, is_cut)


def without_chunks(body: bytes) -> tuple[bytes, bool]:
    """A chunked body put together, and whether it breaks off; what is not chunked comes back as it is.

    Many archives store bodies unchunked beside a header that says they are chunked.
    """
    parts: list[bytes] = []
    at = 0
    while match := _CHUNK.match(body, at):
        size, start = int(match[1], 16), match.end()
        if size == 0:
            return b"".join(parts), False
        parts.append(body[start : start + size])
        if len(parts[-1]) < size:
            return b"".join(parts), True
        at = _end_of_line(body, start + size)
    if parts and _CUT_SIZE.fullmatch(body, at):
        return b"".join(parts), True
    return body, False


def _end_of_line(body: bytes, at: int) -> int:
    match = _CHUNK_END.match(body, at)
    return match.end() if match else at


def _is_chunked(line: bytes) -> bool:
    name, _, value = line.partition(b":")
    return name.strip().lower() == b"transfer-encoding" and b"chunked" in value.lower()
