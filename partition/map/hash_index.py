"""The hashes of all known URLs in ascending order, and where among them a hash stands.

The leading bits of a hash name its bucket; only the other bits are stored, in whole bytes.  Nothing of a hash is lost:
a hash is found if and only if it was put in, so two URLs are taken for one only where their 64-bit hashes are equal,
as everywhere in this project.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from partition.map.packed_integers import PackedIntegers, packed, packed_bytes
from sessions.url import Hashes

Positions = npt.NDArray[np.int64]

_HASH_BITS = 64
_OFFSET_BYTES = 4


def bucket_bits_for(count: int) -> int:
    """How many leading bits name a bucket where ``count`` hashes are to take the fewest bytes: 8, 16 or 24."""
    return min((8, 16, 24), key=lambda bits: order_bytes(count, bits))


def order_bytes(count: int, bucket_bits: int) -> int:
    """The bytes that ``count`` hashes take with so many bucket bits."""
    return _offsets_bytes(bucket_bits) + packed_bytes(count, _rest_bytes(bucket_bits))


def order_of(hashes: Hashes, bucket_bits: int) -> bytes:
    """Ascending, distinct hashes as they are stored: where each bucket begins (uint32), then the packed rests."""
    buckets = hashes >> np.uint64(_HASH_BITS - bucket_bits)
    offsets = np.searchsorted(buckets, np.arange((1 << bucket_bits) + 1, dtype=np.uint64))
    return offsets.astype("<u4").tobytes() + packed(hashes, _rest_bytes(bucket_bits))


class HashOrder:
    """``count`` hashes that `order_of` has put into ``buffer``, which is not copied: it may be a mapped file."""

    def __init__(self, buffer: Any, count: int, bucket_bits: int) -> None:
        view = memoryview(buffer)
        begin = _offsets_bytes(bucket_bits)
        self._offsets = np.frombuffer(view[:begin], "<u4")
        self._rests = PackedIntegers(view[begin:], count, _rest_bytes(bucket_bits))
        self._shift = np.uint64(_HASH_BITS - bucket_bits)
        self._rest_mask = np.uint64((1 << (_HASH_BITS - bucket_bits)) - 1)

    def __len__(self) -> int:
        return len(self._rests)

    def find(self, hashes: Hashes) -> Positions:
        """Where each hash stands in the order, -1 if it does not: int64[n] for uint64[n]."""
        if not len(self) or not len(hashes):
            return np.full(len(hashes), -1, np.int64)
        buckets = (hashes >> self._shift).astype(np.intp)
        positions, ends = self._offsets[buckets].astype(np.int64), self._offsets[buckets + 1].astype(np.int64)
        wanted = hashes & self._rest_mask
        # A binary search in all buckets at once: as many rests as a step is long are passed if the last is too small.
        step = (1 << int((ends - positions).max()).bit_length()) >> 1
        last = len(self) - 1
        while step:
            further = positions + step
            passes = further <= ends
            passes &= self._rests.take(np.minimum(further - 1, last)) < wanted
            positions = np.where(passes, further, positions)
            step >>= 1
        is_there = positions < ends
        is_there &= self._rests.take(np.minimum(positions, last)) == wanted
        return np.where(is_there, positions, -1)


def _offsets_bytes(bucket_bits: int) -> int:
    return _OFFSET_BYTES * ((1 << bucket_bits) + 1)


def _rest_bytes(bucket_bits: int) -> int:
    return (_HASH_BITS - bucket_bits) // 8
