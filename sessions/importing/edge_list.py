"""Links as text: a line for each, two page numbers with tabs or spaces between; a line that begins with # is a comment.

The text is scanned by compiled code, a block of lines at a time, at some hundred megabytes a second.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled
from sessions.importing.gzip_files import LONGEST_LINE, pieces
from sessions.importing.source import at_offset, in_line
from sessions.progress import Progress, quiet

Numbers = npt.NDArray[np.int64]

_BLOCK_BYTES = 8 << 20
_SHORTEST_LINE = len("0 1\n")
_FINE, _NO_PAIR, _TOO_LARGE, _NO_PAGE = range(4)
_LARGEST = (1 << 63) - 1
_SHOWN = 100

_TAB, _LINE_FEED, _RETURN, _SPACE, _HASH, _ZERO, _NINE = (ord(character) for character in "\t\n\r #09")


def read_edges(path: Path, pages: int | None = None, progress: Progress = quiet) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield sources and targets of the links in a file, in its order, some at a time: int64[m] each.

    Raises SourceError for a line that is neither a pair of numbers nor a comment nor empty; and, if it is given how
    many ``pages`` there are, for one that has a larger number than theirs, which begin at 0.
    """
    line = 1
    total = path.stat().st_size if path.exists() else 0
    for read, block in _blocks(path):
        text = np.frombuffer(block, np.uint8)
        room = len(text) // _SHORTEST_LINE + 1
        pairs = np.empty((2, room), np.int64)
        count, passed, wrong, at = _scan(text, pairs, _LARGEST if pages is None else pages - 1)
        if wrong != _FINE:
            raise in_line(path, line + passed, _complaint(block, at, wrong, pages))
        yield pairs[0, :count], pairs[1, :count]
        line += passed
        progress("reading links", read, total)


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """The file in blocks of whole lines, each with how much of the file was read by then."""
    waiting: list[bytes] = []
    size = read = 0
    for origin, read, data, _ in pieces(path):
        waiting.append(data)
        size += len(data)
        if size >= _BLOCK_BYTES:
            whole, newline, rest = b"".join(waiting).rpartition(b"\n")
            if len(rest) > LONGEST_LINE:
                raise at_offset(
                    path, origin, f"in a line of more than {LONGEST_LINE:,} bytes; is this a list of links?"
                )
            yield read, whole + newline
            waiting, size = [rest], len(rest)
    yield read, b"".join(waiting)


def _complaint(block: bytes, at: int, wrong: int, pages: int | None) -> str:
    text = block[at : at + _SHOWN].partition(b"\n")[0].strip().decode("utf-8", "replace")
    if wrong == _TOO_LARGE:
        return f"a page number in {text!r} is larger than {_LARGEST}"
    if wrong == _NO_PAGE:
        return f"{text!r} has a number that is no page's; " + (
            f"pages are 0 to {pages - 1}" if pages else "there are none"
        )
    return f"{text!r} is not a pair of page numbers"


@compiled
def _scan(text: npt.NDArray[np.uint8], pairs: Numbers, last_page: int) -> tuple[int, int, int, int]:
    """Read lines of uint8 text into int64[2, room]: (pairs, lines before the wrong one or all, what is wrong, where).

    The place of a wrong line is the index of its first byte.
    """
    count = lines = at = 0
    end = len(text)
    while at < end:
        begin = at
        column = 0
        while at < end and text[at] != _LINE_FEED:
            byte = text[at]
            if byte in (_SPACE, _TAB, _RETURN):
                at += 1
            elif _ZERO <= byte <= _NINE and column < 2:
                value = 0
                while at < end and _ZERO <= text[at] <= _NINE:
                    digit = (text[at] & 0xFF) - _ZERO  # int64
                    if value > (_LARGEST - digit) // 10:
                        return count, lines, _TOO_LARGE, begin
                    value = value * 10 + digit
                    at += 1
                if value > last_page:
                    return count, lines, _NO_PAGE, begin
                pairs[column, count] = value
                column += 1
            elif byte == _HASH and column == 0:
                while at < end and text[at] != _LINE_FEED:
                    at += 1
            else:
                return count, lines, _NO_PAIR, begin
        if column == 1:
            return count, lines, _NO_PAIR, begin
        count += column >> 1
        lines += 1
        at += 1
    return count, lines, _FINE, at
