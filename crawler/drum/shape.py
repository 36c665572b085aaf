"""How a DRUM divides its memory.

The buffers of the buckets take a quarter of the budget, as 2Mk bytes.  Both k and M grow with the root of the budget:
256 MiB are 256 buckets with buffers of 128 KiB, 64 MiB are 128 with 64 KiB.  The buffers are given back before a
merge, so half of the budget can be one bucket's records while they are sorted and played: that bounds r.  What is
left is for blocks of files, for records that wait to be distributed, and for the arrays in between.  Where a merge goes
on in pieces, the next batch fills its buffers meanwhile, and a bucket has three eighths.
"""

from typing import NamedTuple

from crawler.drum.kind import Kind
from crawler.drum.put_records import record_type

_KEY_BITS = 64
_BYTES_BESIDE_A_RECORD = 112
"""In a merge, beside the record itself: its key and place, both again while they are sorted, and scans."""


class Shape(NamedTuple):
    """k ``buckets`` (a power of two) with two buffers of ``buffer`` bytes each; the rest are bounds.

    A bucket has at most ``bucket`` records when it is merged; files are streamed in blocks of ``block`` bytes, which
    also bounds the aux of one call of ``answer``; ``batch`` records are looked up at a time while all is in memory,
    and as many wait before they are distributed to the buckets; ``table`` bytes may the table in memory take,
    together with what its growth needs.
    """

    buckets: int
    buffer: int
    bucket: int
    block: int
    batch: int
    table: int

    @property
    def prefix_bits(self) -> int:
        """How many leading bits of a key name its bucket."""
        return self.buckets.bit_length() - 1

    @property
    def other_bits(self) -> int:
        """How many bits of a key follow those."""
        return _KEY_BITS - self.prefix_bits


def shape_for(budget: int, kind: Kind, *, in_pieces: bool = False) -> Shape:
    """Return the shape that keeps a DRUM of this kind, which may merge ``in_pieces``, within ``budget`` bytes."""
    buckets = 1 << max(1, (budget.bit_length() - 1) // 2 - 6)
    record = record_type(kind).itemsize
    in_merge = record + 2 * kind.value.itemsize + _BYTES_BESIDE_A_RECORD
    return Shape(
        buckets=buckets,
        buffer=max(64, budget // (8 * buckets)),
        bucket=max(8, budget * (3 if in_pieces else 4) // 8 // in_merge),
        block=min(1 << 22, max(512, budget // 64)),
        batch=max(8, budget // 8 // in_merge),
        table=budget * 7 // 8,
    )
