"""GBK and GB18030: pairs of bytes by a table, and four bytes by ranges of code points."""

import bisect
from collections.abc import Iterator, Sequence

from scripts.checks.encoding_standard.steps import (
    BROKEN,
    END,
    Encode,
    Index,
    Queue,
    code_at,
    code_or_broken,
    first_pointers,
    two_bytes,
)

_OF_2005 = {
    **{0xE78D + n: 0xA6D9 + n for n in range(7)},
    **{0xE794: 0xA6EC, 0xE795: 0xA6ED, 0xE796: 0xA6F3, 0xE81E: 0xFE59, 0xE826: 0xFE61, 0xE82B: 0xFE66},
    **{0xE82C: 0xFE67, 0xE832: 0xFE6D, 0xE843: 0xFE7E, 0xE854: 0xFE90, 0xE864: 0xFEA0},
}


class Gb18030:
    """The steps over the table of pairs, and ``ranges`` of (first pointer, first code point), ascending."""

    def __init__(self, index: Index, ranges: Sequence[tuple[int, int]]) -> None:
        self._index = index
        self._range_pointers = [pointer for pointer, _ in ranges]
        self._range_codes = [code for _, code in ranges]

    def decode(self, queue: Queue) -> Iterator[int]:
        """The code points of a document."""
        while (byte := queue.read()) != END:
            if byte < 0x80:
                yield byte
            elif byte == 0x80:
                yield 0x20AC
            elif byte <= 0xFE:
                yield from self._after_lead(queue, byte)
            else:
                yield BROKEN

    def encoder(self, *, is_gbk: bool) -> Encode:
        """What encodes a code point: in GBK there are pairs only, and the euro has a byte of its own."""
        pointers = first_pointers(self._index)

        def encode(code: int) -> bytes | None:
            if code == 0xE5E5:
                return None
            if is_gbk and code == 0x20AC:
                return b"\x80"
            if code in _OF_2005:
                return _OF_2005[code].to_bytes(2, "big")
            if code in pointers:
                return two_bytes(pointers[code], 190, 0x81, lambda trail: trail + (0x40 if trail < 0x3F else 0x41))
            return None if is_gbk else self._four_bytes(code)

        return encode

    def _after_lead(self, queue: Queue, first: int) -> Iterator[int]:
        second = queue.read()
        if 0x30 <= second <= 0x39:
            yield from self._after_two(queue, first, second)
            return
        code = None
        if 0x40 <= second <= 0x7E or 0x80 <= second <= 0xFE:
            code = code_at(self._index, (first - 0x81) * 190 + second - (0x40 if second < 0x7F else 0x41))
        yield from code_or_broken(queue, code, second)

    def _after_two(self, queue: Queue, first: int, second: int) -> Iterator[int]:
        """The code point of four bytes; what cannot be one is read again from the second byte on."""
        third = queue.read()
        if third == END:
            yield BROKEN
            return
        if not 0x81 <= third <= 0xFE:
            queue.restore(second, third)
            yield BROKEN
            return
        fourth = queue.read()
        if fourth == END:
            yield BROKEN
        elif 0x30 <= fourth <= 0x39:
            pointer = ((first - 0x81) * 10 + second - 0x30) * 1260 + (third - 0x81) * 10 + fourth - 0x30
            code = self._ranges_code(pointer)
            yield BROKEN if code is None else code
        else:
            queue.restore(second, third, fourth)
            yield BROKEN

    def _ranges_code(self, pointer: int) -> int | None:
        if 39419 < pointer < 189000 or pointer > 1237575:
            return None
        if pointer == 7457:
            return 0xE7C7
        at = bisect.bisect_right(self._range_pointers, pointer) - 1
        return self._range_codes[at] + pointer - self._range_pointers[at]

    def _four_bytes(self, code: int) -> bytes:
        at = bisect.bisect_right(self._range_codes, code) - 1
        pointer = 7457 if code == 0xE7C7 else self._range_pointers[at] + code - self._range_codes[at]
        tens, fourth = divmod(pointer, 10)
        twelves, third = divmod(tens, 126)
        first, second = divmod(twelves, 10)
        return bytes([first + 0x81, second + 0x30, third + 0x81, fourth + 0x30])
