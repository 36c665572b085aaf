"""Files as they are meant: what is compressed with gzip is unpacked, whatever the file's name says."""

from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib

from sessions.importing.source import at_offset, in_line, unreadable

LONGEST_LINE = 1 << 20
"""Bytes of a line; a file with longer ones is no list of anything."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_FORMAT = 31
_READ_BYTES = 1 << 16  # what follows a gzip member is copied once for each member in a read
_PIECE_BYTES = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Piece(NamedTuple):
    """Some bytes of a file's content.

    ``origin`` is the offset in the file at which they stand or, if they were ``packed``, at which their gzip member
    begins: a piece never spans two members.  ``read`` is how much of the file was read by then.
    """

    origin: int
    read: int
    data: bytes
    packed: bool


def pieces(path: Path) -> Iterator[Piece]:
    """A file's content, unpacked, in pieces of at most 1 MiB; the file may be a pipe.

    Raises SourceError if the file cannot be read, or its compressed data are damaged or end too early.
    """
    try:
        with FileIO(path) as file:
            start = b""
            while len(start) < len(_GZIP_MAGIC) and (more := file.read(_READ_BYTES)):
                start += more
            yield from _unzipped(path, start, file) if start.startswith(_GZIP_MAGIC) else _as_it_is(start, file)
    except OSError as error:
        raise unreadable(path, error) from error


def _as_it_is(data: bytes, file: FileIO) -> Iterator[Piece]:
    at = 0
    while data:
        yield Piece(at, at + len(data), data, False)
        at += len(data)
        data = file.read(_PIECE_BYTES)


def _unzipped(path: Path, raw: bytes, file: FileIO) -> Iterator[Piece]:
    inflater = None
    member, read = 0, len(raw)
    while raw:
        has_more = False  # whether the inflater has yet to give of what it has taken in
        while raw or has_more:
            if inflater is None:
                raw = raw.lstrip(b"\0")  # tape blocks and some disk images are padded with zeros
                if not raw:
                    break
                member = read - len(raw)
                if not raw.startswith(_GZIP_MAGIC[: len(raw)]):
                    raise at_offset(path, member, "what follows the compressed data is not compressed")
                inflater = isal_zlib.decompressobj(_GZIP_FORMAT)
            try:
                data = inflater.decompress(raw, _PIECE_BYTES)
            except isal_zlib.error as error:  # type: ignore[misc]  # its stub declares an instance
                raise at_offset(path, member, f"a damaged gzip member begins here ({error})") from error
            if data:
                yield Piece(member, read, data, True)
            has_more = len(data) == _PIECE_BYTES and not inflater.eof
            raw = inflater.unconsumed_tail
            if inflater.eof:
                raw, inflater = inflater.unused_data, None
        raw = file.read(_READ_BYTES)
        read += len(raw)
    if inflater is not None:
        raise at_offset(path, read, f"the file ends in the middle of the gzip member that begins at offset {member}")


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a text file with their numbers from 1, without line ends and a byte-order mark.

    Raises SourceError as `pieces` does, and for a line of more than `LONGEST_LINE` bytes.
    """
    number, rest = 0, b""
    for piece in pieces(path):
        *whole, rest = (rest + piece.data).split(b"\n")
        for line in whole:
            number += 1
            yield number, _stripped(line, number)
        if len(rest) > LONGEST_LINE:
            raise in_line(path, number + 1, f"longer than {LONGEST_LINE:,} bytes; is this a text file?")
    if rest:
        yield number + 1, _stripped(rest, number + 1)


def _stripped(line: bytes, number: int) -> bytes:
    line = line.removesuffix(b"\r")
    return line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
