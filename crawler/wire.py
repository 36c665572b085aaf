"""URL batches as they travel between ranks: URLs that both sides know as their numbers, the others as text.

What all ranks know is the URL table of a partition map.  Without one, a batch travels as `crawler.frontcoding` writes
it.  With one, a batch is the length of its numbered section (uint32, 0 if there is none), that section, and the
front-coded rest.  The section: a checksum (uint64: xxh3 of what follows in it), the length of the numbers (uint32),
the numbers as `partition.map.numbering` writes them, then compressed depths (uint16), hops (uint8) and flags (uint8),
each as one column.
"""

from struct import calcsize, error, pack, unpack_from
from typing import Protocol

import numpy as np
import pyarrow as pa
from xxhash import xxh3_64_intdigest

from crawler.frontcoding import decode, encode
from crawler.urlbatch import Mask, UrlBatch, empty_batch, joined
from partition.map.numbering import Numbers, decode_numbers, encode_numbers
from sessions.url import Hashes, url_hashes

_LENGTH = "<I"
_CHECKSUM = "<Q"
_COLUMNS = tuple(map(np.dtype, ("<u2", "u1", "u1")))
_BYTES_PER_ROW = sum(dtype.itemsize for dtype in _COLUMNS)
_CODEC = pa.Codec("zstd", compression_level=1)


class KnownUrls(Protocol):
    """URLs that every rank knows by the same numbers."""

    def numbers(self, hashes: Hashes) -> Numbers:
        """The number of each URL, -1 if it has none: int64[n] for uint64[n]."""
        ...

    def urls_of(self, numbers: Numbers) -> list[str]:
        """The URLs that have these numbers.  Raises KeyError for a number that none has."""
        ...


class Wire:
    """How the ranks of a crawl write batches to each other; ``known`` must be the same on all of them."""

    def __init__(self, known: KnownUrls | None = None) -> None:
        self._known = known

    def encode(self, batch: UrlBatch) -> tuple[bytes, int]:
        """A batch as it travels, and how many of its URLs go as numbers; no bytes at all for an empty batch."""
        if self._known is None or not len(batch):
            return encode(batch), 0
        numbers = self._known.numbers(batch.hashes)
        is_known = numbers >= 0
        count = int(np.count_nonzero(is_known))
        section = _numbered_section(numbers, batch, is_known) if count else b""
        return pack(_LENGTH, len(section)) + section + encode(batch.where(~is_known)), count

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
        return joined([batch for batch in (numbered, decode(view[end:])) if len(batch)])

    def _from_section(self, section: memoryview) -> UrlBatch:
        assert self._known is not None
        (checksum,) = unpack_from(_CHECKSUM, section)
        content = section[calcsize(_CHECKSUM) :]
        if xxh3_64_intdigest(content) != checksum:
            raise ValueError("the checksum is another")
        (length,) = unpack_from(_LENGTH, content)
        end = calcsize(_LENGTH) + length
        numbers = decode_numbers(content[calcsize(_LENGTH) : end])
        size = len(numbers) * _BYTES_PER_ROW
        plain = _CODEC.decompress(content[end:], decompressed_size=size, asbytes=True)
        if len(plain) != size:
            raise ValueError("its columns are too short")
        columns = []
        offset = 0
        for dtype in _COLUMNS:
            columns.append(np.frombuffer(plain, dtype, len(numbers), offset))
            offset += len(numbers) * dtype.itemsize
        urls = self._known.urls_of(numbers)
        return UrlBatch(urls, url_hashes(urls), *columns)


def _numbered_section(numbers: Numbers, batch: UrlBatch, is_known: Mask) -> bytes:
    places = np.flatnonzero(is_known)
    places = places[np.argsort(numbers[places], kind="stable")]
    coded = encode_numbers(numbers[places])
    plain = batch.depths[places].astype(_COLUMNS[0]).tobytes()
    plain += batch.hops[places].tobytes() + batch.flags[places].tobytes()
    compressed: bytes = _CODEC.compress(plain, asbytes=True)
    content = pack(_LENGTH, len(coded)) + coded + compressed
    return pack(_CHECKSUM, xxh3_64_intdigest(content)) + content
