"""URL batches as they travel between ranks: URLs that both sides know as their numbers, the others as text.

What all ranks know is the URL table of a partition map.  Without one, a batch travels as `crawler.urls.front_coding`
writes it.  With one, a batch is the length of its numbered section (uint32, 0 if there is none), that section, and the
front-coded rest.  The section: a checksum (uint64: xxh3 of what follows in it), the length of the numbers (uint32), the
numbers as `partition.map.url_numbers` writes them, then depths (uint16), hops (uint8) and flags (uint8), each as one
column, compressed if they are `_LEAST_COMPRESSED` bytes or more.
"""

from collections.abc import Sequence
from itertools import pairwise
from struct import calcsize, error, pack, unpack_from
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from xxhash import xxh3_64_intdigest

from crawler.urls.batch import UrlBatch, empty_batch, joined
from crawler.urls.batch_columns import BatchColumns, kept_bounds
from crawler.urls.front_coding import decode, encode_all, encoded_sizes
from partition.map.url_numbers import Numbers, decode_numbers, encode_all_numbers
from sessions.url import Hashes, url_hashes

Encoded = tuple[bytes, int]
"""A batch as it travels, and how many of its URLs go as numbers."""
Counts = npt.NDArray[np.int64]


class Weights(NamedTuple):
    """Of m batches, int64[m] each: the ``bytes`` that travel, and how many of the URLs go as ``numbers``."""

    bytes: Counts
    numbers: Counts

    @classmethod
    def of(cls, encoded: Sequence[Encoded]) -> "Weights":
        """What some batches weigh as they travel."""
        return cls(
            np.array([len(payload) for payload, _ in encoded], np.int64),
            np.array([numbers for _, numbers in encoded], np.int64),
        )


_LENGTH = "<I"
_CHECKSUM = "<Q"
_COLUMNS = tuple(map(np.dtype, ("<u2", "u1", "u1")))
_BEHIND_ALL = np.iinfo(np.int64).max
_BYTES_PER_ROW = sum(dtype.itemsize for dtype in _COLUMNS)
_CODEC = pa.Codec("zstd", compression_level=1)
_LEAST_COMPRESSED = 64
"""Fewer bytes would hardly become less, and compressing takes longer than all the rest of such a section."""


class KnownUrls(Protocol):
    """URLs that every rank knows by the same numbers."""

    def numbers(self, hashes: Hashes, urls: Sequence[str]) -> Numbers:
        """The number of each URL, -1 if it has none: int64[n] for uint64[n] and n texts."""
        ...

    def urls_of(self, numbers: Numbers) -> list[str]:
        """The URLs that have these numbers.  Raises KeyError for a number that none has."""
        ...


class Wire:
    """How the ranks of a crawl write batches to each other; ``known`` must be the same on all of them."""

    def __init__(self, known: KnownUrls | None = None) -> None:
        self._known = known

    def encode(self, batch: UrlBatch) -> Encoded:
        """A batch as it travels, and how many of its URLs go as numbers; no bytes at all for an empty batch."""
        return self.encode_all(batch, [0, len(batch)])[0]

    def encode_all(self, batch: UrlBatch, bounds: Sequence[int]) -> list[Encoded]:
        """What `encode` makes of each piece of a batch that is cut at these ``bounds``."""
        return _encoded(batch, bounds, self._numbers(batch))

    def weigh_and_arrange(self, batch: UrlBatch, bounds: Sequence[int]) -> tuple[Weights, UrlBatch]:
        """What `encode_all` makes of each piece of a batch weighs, and the batch with each in the order of decoding."""
        numbers = self._numbers(batch)
        batches = BatchColumns.of(batch, bounds)
        weights = weights_of(batches, numbers)
        if numbers is None:
            return weights, batch
        order = np.lexsort((np.where(numbers < 0, _BEHIND_ALL, numbers), batches.batch_of_each))
        return weights, batch.take(order)

    def decode(self, data: bytes | memoryview) -> UrlBatch:
        """The batch that another rank encoded: what came as numbers first.  Raises ValueError if it is damaged."""
        if self._known is None or not len(data):
            return decode(data)
        view = memoryview(data)
        try:
            (length,) = unpack_from(_LENGTH, view)
            end = calcsize(_LENGTH) + length
            if end > len(view):
                raise ValueError("it breaks off")
            numbered = self._from_section(view[calcsize(_LENGTH) : end]) if length else empty_batch()
        except (pa.ArrowException, OSError, KeyError, ValueError, error) as damage:
            raise ValueError(f"damaged batch of numbered URLs ({len(view)} bytes): {damage}") from damage
        return joined([numbered, decode(view[end:])])

    def _numbers(self, batch: UrlBatch) -> Numbers | None:
        return self._known.numbers(batch.hashes, batch.urls) if self._known is not None and len(batch) else None

    def _from_section(self, section: memoryview) -> UrlBatch:
        assert self._known is not None
        (checksum,) = unpack_from(_CHECKSUM, section)
        content = section[calcsize(_CHECKSUM) :]
        if xxh3_64_intdigest(content) != checksum:
            raise ValueError("checksum mismatch")
        (length,) = unpack_from(_LENGTH, content)
        end = calcsize(_LENGTH) + length
        numbers = decode_numbers(content[calcsize(_LENGTH) : end])
        size = len(numbers) * _BYTES_PER_ROW
        plain = bytes(content[end:])
        if size >= _LEAST_COMPRESSED:
            plain = _CODEC.decompress(plain, decompressed_size=size, asbytes=True)
        if len(plain) != size:
            raise ValueError("its columns are too short")
        columns = []
        offset = 0
        for dtype in _COLUMNS:
            columns.append(np.frombuffer(plain, dtype, len(numbers), offset))
            offset += len(numbers) * dtype.itemsize
        urls = self._known.urls_of(numbers)
        return UrlBatch(urls, url_hashes(urls), *columns)


def _encoded(batch: UrlBatch, bounds: Sequence[int], numbers: Numbers | None) -> list[Encoded]:
    if not len(batch):
        return [(b"", 0)] * (len(bounds) - 1)
    return encode_numbered(BatchColumns.of(batch, bounds), numbers)


def encode_numbered(batches: BatchColumns, numbers: Numbers | None) -> list[Encoded]:
    """What `Wire.encode` makes of each batch whose URLs have these numbers, -1 where one has none: int64[n].

    ``numbers`` None is for ranks that know no URLs in common.
    """
    if numbers is None:
        return [(text, 0) for text in encode_all(batches)]
    is_known = numbers >= 0
    counts = np.diff(kept_bounds(batches.bounds, is_known)).tolist()
    sections = _numbered_sections(batches.where(is_known), numbers[is_known])
    texts = encode_all(batches.where(~is_known))
    return [
        (pack(_LENGTH, len(section)) + section + text if section or text else b"", count)
        for section, text, count in zip(sections, texts, counts, strict=True)
    ]


def weights_of(batches: BatchColumns, numbers: Numbers | None) -> Weights:
    """What `encode_numbered` makes of batches weighs."""
    if numbers is None:
        return Weights(encoded_sizes(batches), np.zeros(len(batches), np.int64))
    is_known = numbers >= 0
    counts = np.diff(kept_bounds(batches.bounds, is_known))
    sections = _numbered_sections(batches.where(is_known), numbers[is_known])
    sizes = np.fromiter(map(len, sections), np.int64, len(sections)) + encoded_sizes(batches.where(~is_known))
    return Weights(np.where(sizes, calcsize(_LENGTH) + sizes, 0), counts)


def _numbered_sections(batches: BatchColumns, numbers: Numbers) -> list[bytes]:
    """The section of each batch, all of whose URLs have numbers; no bytes for an empty batch."""
    order = np.lexsort((numbers, batches.batch_of_each))
    coded = encode_all_numbers(numbers[order], batches.bounds)
    given: tuple[npt.NDArray[Any], ...] = (batches.depths, batches.hops, batches.flags)
    columns = [
        (memoryview(column[order].astype(dtype).tobytes()), dtype.itemsize)
        for column, dtype in zip(given, _COLUMNS, strict=True)
    ]
    return [
        _section(of_batch, b"".join(column[start * size : end * size] for column, size in columns)) if of_batch else b""
        for of_batch, (start, end) in zip(coded, pairwise(batches.bounds.tolist()), strict=True)
    ]


def _section(coded: bytes, plain: bytes) -> bytes:
    columns: bytes = plain if len(plain) < _LEAST_COMPRESSED else _CODEC.compress(plain, asbytes=True)
    content = pack(_LENGTH, len(coded)) + coded + columns
    return pack(_CHECKSUM, xxh3_64_intdigest(content)) + content
