"""The records of a WARC file that someone else may have written, one after the other, or where it is broken.

Plain or compressed, a gzip member for each record or one for many.  Nothing is skipped in silence: what is neither a
record nor the line ends between two is an error with its offset, and so is a file that ends within a record.
(FastWARC, which reads this project's own files, looks for the next record behind such a place.)
"""

from collections import deque
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from sessions.importing.gzip_files import pieces
from sessions.importing.source import SourceError, at_offset
from sessions.progress import Progress, quiet

MOST_BLOCK_BYTES = 256 << 20
"""How much of a record's block is kept in memory."""

_MOST_HEAD_BYTES = 1 << 20
_MOST_DIGITS = 18
_MAGIC = b"WARC/"
_LINE_ENDS = b"\r\n"


class Record(NamedTuple):
    """A record: where it begins, its header fields by name in lower case, and its block.

    ``offset`` is in bytes of the file; in a compressed one, that of the gzip member which the record begins in.
    ``block`` is empty for a record of a kind that nobody asked for, and holds no more than `MOST_BLOCK_BYTES` of the
    ``block_bytes`` that the record has.
    """

    offset: int
    kind: str
    fields: dict[str, str]
    block: bytes
    block_bytes: int


def records(path: Path, kinds: Collection[str], progress: Progress = quiet) -> Iterator[Record]:
    """Read a WARC file's records; blocks only of these ``kinds`` (WARC-Type).

    Raises SourceError if it is no WARC file, or damaged, or ends in the middle of a record.
    """
    content = _Content(path, progress)
    is_first = True
    while content.skip_line_ends():
        offset = content.offset
        if not content.starts_with(_MAGIC):
            if is_first:
                raise SourceError(f"{path}: is not a WARC file")
            raise at_offset(path, offset, f"a record should begin {_inside(content)}here, and does not")
        is_first = False
        fields = _fields(content, offset)
        size = _block_bytes(path, offset, fields)
        kind = fields.get("warc-type", "").lower()
        block, read = content.take(size, MOST_BLOCK_BYTES if kind in kinds else 0)
        if read < size:
            text = f"the file ends in the middle of the record that begins at offset {offset}"
            raise at_offset(path, content.read, f"{text}: {size - read:,} bytes are missing")
        yield Record(offset, kind, fields, block, size)
    if is_first:
        raise SourceError(f"{path}: is not a WARC file")


def _inside(content: "_Content") -> str:
    return "in the gzip member " if content.is_compressed else ""


def _fields(content: "_Content", offset: int) -> dict[str, str]:
    """Read a record's header up to its empty line; of several fields of a name the first counts."""
    fields: dict[str, str] = {}
    name, left = "", _MOST_HEAD_BYTES
    while (line := content.take_line(left)).strip():
        left -= len(line)
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in (" ", "\t"):  # goes on from the line before
            fields[name] = f"{fields.get(name, '')} {text.strip()}"
            continue
        name, _, value = text.partition(":")
        name = name.strip().lower()
        fields.setdefault(name, value.strip())
    if not line.endswith(b"\n"):
        why = "has a header without end" if content.has_more else "breaks off in its header"
        raise at_offset(content.path, offset, f"the record that begins here {why}")
    return fields


def _block_bytes(path: Path, offset: int, fields: dict[str, str]) -> int:
    text = fields.get("content-length", "")
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise at_offset(path, offset, f"the record that begins here has Content-Length {text!r}")
    return int(text)


class _Content:
    """A file's unpacked content, read from front to back; it knows where in the file the next byte comes from."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self.path = path
        self.is_compressed = False
        self.read = 0
        self._pieces = pieces(path)
        self._progress = progress
        self._total = path.stat().st_size if path.exists() else 0
        self._buffer = bytearray()
        self._taken = 0
        self._filled = 0
        self._origins: deque[tuple[int, int]] = deque()

    @property
    def offset(self) -> int:
        """Where the next byte comes from: in a compressed file, the beginning of its gzip member."""
        while len(self._origins) > 1 and self._origins[1][0] <= self._taken:
            self._origins.popleft()
        if not self._origins:
            return 0
        start, origin = self._origins[0]
        return origin if self.is_compressed else origin + self._taken - start

    @property
    def has_more(self) -> bool:
        """Whether anything is left."""
        return bool(self._buffer) or self._fill()

    def skip_line_ends(self) -> bool:
        """Go to the next byte that ends no line; False if there is none."""
        while True:
            ends = 0
            while ends < len(self._buffer) and self._buffer[ends] in _LINE_ENDS:
                ends += 1
            self._drop(ends)
            if self._buffer:
                return True
            if not self._fill():
                return False

    def starts_with(self, text: bytes) -> bool:
        """Whether this comes next."""
        while len(self._buffer) < len(text) and self._fill():
            pass
        return self._buffer.startswith(text)

    def take_line(self, most: int) -> bytes:
        """The next line with its end, or without if it is longer than ``most`` bytes or the content ends."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0 and len(self._buffer) < most:
            searched = len(self._buffer)
            if not self._fill():
                break
        size = end + 1 if 0 <= end < most else min(len(self._buffer), most)
        line = bytes(self._buffer[:size])
        self._drop(size)
        return line

    def take(self, size: int, most: int) -> tuple[bytes, int]:
        """The first ``most`` of the next ``size`` bytes, and how many there were of those."""
        parts: list[bytes] = []
        kept = read = 0
        while read < size and (self._buffer or self._fill()):
            step = min(size - read, len(self._buffer))
            if kept < most:
                parts.append(bytes(self._buffer[: min(step, most - kept)]))
                kept += len(parts[-1])
            self._drop(step)
            read += step
        return b"".join(parts), read

    def _fill(self) -> bool:
        piece = next(self._pieces, None)
        if piece is None:
            return False
        if not piece.packed or not self._origins or self._origins[-1][1] != piece.origin:
            self._origins.append((self._filled, piece.origin))
        self.is_compressed = piece.packed
        self._filled += len(piece.data)
        self._buffer += piece.data
        self.read = piece.read
        self._progress(f"reading {self.path.name}", piece.read, self._total)
        return True

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        self._taken += size
