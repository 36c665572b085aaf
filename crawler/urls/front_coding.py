"""The binary form of a URL batch, on the wire and on disk: front-coded text, then compressed.

Front coding writes of each URL only what differs from the one before (Witten, Moffat and Bell, "Managing Gigabytes",
section 4.1).  It pays when neighbours are alike, so `encode` is given sorted batches where order does not matter.
The hashes are not written: the reader computes them again from the text.

Layout: bytes before compression (uint64), a checksum (uint64: xxh3 of what follows, seeded with the number before
it), then compressed: count (uint32), text bytes (uint64), then per URL prefix length (uint32), suffix length (uint32),
depth (uint16), hops (uint8), flags (uint8), each as one column, then the suffixes.
"""

from itertools import pairwise
from struct import calcsize, error, pack, unpack_from
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from xxhash import xxh3_64_intdigest

from crawler.urls.batch import Depths, Flags, Hops, UrlBatch, empty_batch
from crawler.urls.batch_columns import BatchColumns, Places
from partition.assignment.url_prefixes import shared_prefixes
from sessions.hash_arrays import concatenated_ranges
from sessions.url import url_hashes

_HEADER = "<IQ"
_ENVELOPE = "<QQ"
_CODEC = pa.Codec("zstd", compression_level=3)  # a twentieth less than at 1, in the same time


def encode(batch: UrlBatch) -> bytes:
    """The batch in its binary form; no bytes at all for an empty batch."""
    return encode_all(BatchColumns.of(batch))[0]


def encode_all(batches: BatchColumns) -> list[bytes]:
    """What `encode` makes of each batch: front coding is done for all at once, only compression one by one."""
    coded = _front_coded(batches)
    columns = [
        (memoryview(column.tobytes()), column.itemsize)
        for column in (coded.prefixes, coded.suffixes, batches.depths.astype("<u2"), batches.hops, batches.flags)
    ]
    text = memoryview(coded.text)
    return [
        _sealed(
            pack(_HEADER, end - start, text_end - text_start),
            *(column[start * size : end * size] for column, size in columns),
            text[text_start:text_end],
        )
        if end > start
        else b""
        for (start, end), (text_start, text_end) in zip(
            pairwise(batches.bounds.tolist()), pairwise(coded.bounds.tolist()), strict=True
        )
    ]


def _sealed(*pieces: bytes | memoryview) -> bytes:
    plain = b"".join(pieces)
    compressed: bytes = _CODEC.compress(plain, asbytes=True)
    return pack(_ENVELOPE, len(plain), xxh3_64_intdigest(compressed, len(plain))) + compressed


def decode(data: bytes | memoryview) -> UrlBatch:
    """The batch that `encode` wrote.  Raises ValueError if ``data`` is damaged."""
    if not len(data):
        return empty_batch()
    try:
        size, checksum = unpack_from(_ENVELOPE, data)
        compressed = memoryview(data)[calcsize(_ENVELOPE) :]
        if xxh3_64_intdigest(compressed, size) != checksum:
            raise ValueError("checksum mismatch")
        plain = _CODEC.decompress(compressed, decompressed_size=size, asbytes=True)
        count, text_bytes = unpack_from(_HEADER, plain)
        columns = _columns(plain, count)
        start = len(plain) - text_bytes
        urls = _front_decoded(columns.prefixes, columns.suffixes, plain[start:])
    except (pa.ArrowException, OSError, ValueError, IndexError, error) as damage:
        raise ValueError(f"damaged batch of URLs ({len(data)} bytes): {damage}") from damage
    return UrlBatch(urls, url_hashes(urls), columns.depths, columns.hops, columns.flags)


class _Columns(NamedTuple):
    prefixes: npt.NDArray[np.uint32]
    suffixes: npt.NDArray[np.uint32]
    depths: Depths
    hops: Hops
    flags: Flags


def _columns(plain: bytes, count: int) -> _Columns:
    offset = calcsize(_HEADER)
    columns = []
    for dtype in map(np.dtype, ("<u4", "<u4", "<u2", "u1", "u1")):
        columns.append(np.frombuffer(plain, dtype, count, offset))
        offset += count * dtype.itemsize
    return _Columns(*columns)


class _FrontCoded(NamedTuple):
    """Lengths of the prefixes and suffixes, the suffixes one after the other, and where each batch's begin and end."""

    prefixes: npt.NDArray[np.uint32]
    suffixes: npt.NDArray[np.uint32]
    text: bytes
    bounds: Places


def _front_coded(batches: BatchColumns) -> _FrontCoded:
    prefixes = shared_prefixes(batches.text, batches.starts, batches.lengths)
    is_empty = batches.bounds[1:] == batches.bounds[:-1]
    prefixes[batches.bounds[:-1][~is_empty]] = 0  # the first of a batch shares nothing with the batch before
    suffixes = batches.lengths - prefixes
    text = batches.text[concatenated_ranges(batches.starts + prefixes, suffixes)].tobytes()
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(suffixes)])[batches.bounds]
    return _FrontCoded(prefixes.astype("<u4"), suffixes.astype("<u4"), text, bounds)


def _front_decoded(prefixes: npt.NDArray[np.uint32], suffixes: npt.NDArray[np.uint32], text: bytes) -> list[str]:
    urls = []
    url = b""
    start = 0
    for shared, length in zip(prefixes.tolist(), suffixes.tolist(), strict=True):
        url = url[:shared] + text[start : start + length]
        start += length
        urls.append(url.decode())
    return urls
