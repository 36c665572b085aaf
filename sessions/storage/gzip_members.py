"""Gzip members as a WARC file has them: one a record, compressed, or stored where the data is compressed already."""

from collections.abc import Iterator
from struct import pack

from isal import igzip_lib, isal_zlib

_BLOCK_BYTES = 0xFFFF
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def compressed_member(data: bytes) -> bytes:
    """A gzip member of ``data``, compressed at the quickest level."""
    member: bytes = igzip_lib.compress(data, 1, flag=igzip_lib.COMP_GZIP)
    return member


def stored_member(data: bytes) -> bytes:
    """A gzip member that holds ``data`` uncompressed (RFC 1951, section 3.2.4)."""
    parts = [_HEADER]
    for start, stop, is_last in _blocks(len(data)):
        size = stop - start
        parts.append(pack("<BHH", is_last, size, size ^ 0xFFFF))
        parts.append(data[start:stop])
    parts.append(pack("<II", isal_zlib.crc32(data), len(data) & 0xFFFFFFFF))
    return b"".join(parts)


def _blocks(length: int) -> Iterator[tuple[int, int, bool]]:
    for start in range(0, max(1, length), _BLOCK_BYTES):
        stop = min(start + _BLOCK_BYTES, length)
        yield start, stop, stop == length
