"""The binary form of a URL batch, on the wire and on disk: front-coded text, compressed unless it is short.

Front coding writes of each URL only what differs from the one before (Witten, Moffat and Bell, "Managing Gigabytes",
section 4.1).  It pays when neighbours are alike, so `encode` is given sorted batches where order does not matter.
The hashes are not written: the reader computes them again from the text.

Layout: bytes before compression (uint64), a checksum (uint64: xxh3 of what follows, seeded with the number before
it), then, compressed if that many bytes are `LEAST_COMPRESSED` or more: count (uint32), text bytes (uint64), then per
URL prefix length (uint32), suffix length (uint32), depth (uint16), hops (uint8), flags (uint8), each as one column,
then the suffixes.
"""

from collections.abc import Sequence
from struct import calcsize, error, pack, unpack_from
from typing import Any, NamedTuple

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
_CODEC = pa.Codec("zstd", compression_level=3)  # less than at 1, in the same time
_COLUMNS = tuple(map(np.dtype, ("<u4", "<u4", "<u2", "u1", "u1")))
_BYTES_PER_URL = sum(dtype.itemsize for dtype in _COLUMNS)
LEAST_COMPRESSED = 256
"""Fewer bytes, a few URLs, are written as they are: to compress them saves little, and takes as long as the rest."""


def encode(batch: UrlBatch) -> bytes:
    """The batch in its binary form; no bytes at all for an empty batch."""
    return encode_all(BatchColumns.of(batch))[0]


def encode_all(batches: BatchColumns) -> list[bytes]:
    """What `encode` makes of each batch: front coding is done for all at once, only compression one by one."""
    coded = _front_coded(batches)
    return _written(batches, coded, range(len(batches)))


def encoded_sizes(batches: BatchColumns) -> Places:
    """How many bytes `encode_all` makes of each batch, int64[m]; of those that are short nothing is written."""
    coded = _front_coded(batches)
    counts = np.diff(batches.bounds)
    plain = calcsize(_HEADER) + _BYTES_PER_URL * counts + np.diff(coded.bounds)
    sizes = np.where(counts, calcsize(_ENVELOPE) + plain, 0)
    are_long = np.flatnonzero(plain >= LEAST_COMPRESSED)
    if len(are_long):
        sizes[are_long] = [len(data) for data in _written(batches, coded, are_long.tolist())]
    return sizes


def _written(batches: BatchColumns, coded: "_FrontCoded", which: Sequence[int]) -> list[bytes]:
    """Some of the batches, by number."""
    given: tuple[npt.NDArray[Any], ...] = (coded.prefixes, coded.suffixes, batches.depths, batches.hops, batches.flags)
    columns = [
        (memoryview(column.astype(dtype, copy=False).tobytes()), dtype.itemsize)
        for column, dtype in zip(given, _COLUMNS, strict=True)
    ]
    text = memoryview(batches.text[concatenated_ranges(batches.starts + coded.prefixes, coded.suffixes)].tobytes())
    urls, texts = batches.bounds.tolist(), coded.bounds.tolist()
    written = []
    for batch in which:
        start, end, text_start, text_end = urls[batch], urls[batch + 1], texts[batch], texts[batch + 1]
        header = pack(_HEADER, end - start, text_end - text_start)
        pieces = [column[start * size : end * size] for column, size in columns]
        written.append(_sealed(header, *pieces, text[text_start:text_end]) if end > start else b"")
    return written


def _sealed(*pieces: bytes | memoryview) -> bytes:
    plain = b"".join(pieces)
    content: bytes = plain if len(plain) < LEAST_COMPRESSED else _CODEC.compress(plain, asbytes=True)
    return pack(_ENVELOPE, len(plain), xxh3_64_intdigest(content, len(plain))) + content


def decode(data: bytes | memoryview) -> UrlBatch:
    """The batch that `encode` wrote.  Raises ValueError if ``data`` is damaged."""
    if not len(data):
        return empty_batch()
    try:
        size, checksum = unpack_from(_ENVELOPE, data)
        content = memoryview(data)[calcsize(_ENVELOPE) :]
        if xxh3_64_intdigest(content, size) != checksum:
            raise ValueError("checksum mismatch")
        plain = bytes(content)
        if size >= LEAST_COMPRESSED:
            plain = _CODEC.decompress(content, decompressed_size=size, asbytes=True)
        if len(plain) != size:
            raise ValueError("it breaks off")
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
    for dtype in _COLUMNS:
        columns.append(np.frombuffer(plain, dtype, count, offset))
        offset += count * dtype.itemsize
    return _Columns(*columns)


class _FrontCoded(NamedTuple):
    """Lengths of the prefixes and suffixes, and where each batch's suffixes begin and end, one after the other."""

    prefixes: Places
    suffixes: Places
    bounds: Places


def _front_coded(batches: BatchColumns) -> _FrontCoded:
    prefixes = shared_prefixes(batches.text, batches.starts, batches.lengths)
    is_empty = batches.bounds[1:] == batches.bounds[:-1]
    prefixes[batches.bounds[:-1][~is_empty]] = 0  # the first of a batch shares nothing with the batch before
    suffixes = batches.lengths - prefixes
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(suffixes)])[batches.bounds]
    return _FrontCoded(prefixes, suffixes, bounds)


def _front_decoded(prefixes: npt.NDArray[np.uint32], suffixes: npt.NDArray[np.uint32], text: bytes) -> list[str]:
    urls = []
    url = b""
    start = 0
    for shared, length in zip(prefixes.tolist(), suffixes.tolist(), strict=True):
        url = url[:shared] + text[start : start + length]
        start += length
        urls.append(url.decode())
    return urls
