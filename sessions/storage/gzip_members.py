"""Gzip members as a WARC file has them: one a record, compressed, or stored where the data is compressed already."""

from struct import pack

from isal import igzip_lib, isal_zlib

_BLOCK_BYTES = 0xFFFF
_FULL_BLOCK = pack("<BHH", 0, _BLOCK_BYTES, 0)
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def compressed_member(data: bytes) -> bytes:
    """A gzip member of ``data``, compressed at the quickest level."""
    member: bytes = igzip_lib.compress(data, 1, flag=igzip_lib.COMP_GZIP)
    return member


def stored_member(data: bytes) -> bytes:
    """A gzip member that holds ``data`` uncompressed (RFC 1951, section 3.2.4)."""
    parts, start = [_HEADER], 0
    while len(data) - start > _BLOCK_BYTES:
        parts += (_FULL_BLOCK, data[start : start + _BLOCK_BYTES])
        start += _BLOCK_BYTES
    last = data[start:]
    end = pack("<II", isal_zlib.crc32(data), len(data) & 0xFFFFFFFF)
    parts += (pack("<BHH", 1, len(last), len(last) ^ 0xFFFF), last, end)
    return b"".join(parts)
