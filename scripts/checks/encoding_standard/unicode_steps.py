"""The decoders of UTF-8 and UTF-16, and of encodings that the standard replaces."""

from collections.abc import Iterator

from scripts.checks.encoding_standard.steps import BROKEN, END, Queue


def decode_replacement(queue: Queue) -> Iterator[int]:
    """One broken code point for a whole document."""
    if queue.read() != END:
        yield BROKEN


def decode_utf_8(queue: Queue) -> Iterator[int]:
    """The code points of a document."""
    needed = code = 0
    lower, upper = 0x80, 0xBF
    while True:
        byte = queue.read()
        if byte == END:
            if needed:
                yield BROKEN
            return
        if needed:
            if not lower <= byte <= upper:
                needed, lower, upper = 0, 0x80, 0xBF
                queue.restore(byte)
                yield BROKEN
                continue
            lower, upper = 0x80, 0xBF
            code = code << 6 | byte & 0x3F
            needed -= 1
            if not needed:
                yield code
        elif byte < 0x80:
            yield byte
        elif 0xC2 <= byte <= 0xDF:
            needed, code = 1, byte & 0x1F
        elif 0xE0 <= byte <= 0xEF:
            lower, upper = {0xE0: 0xA0}.get(byte, lower), {0xED: 0x9F}.get(byte, upper)
            needed, code = 2, byte & 0xF
        elif 0xF0 <= byte <= 0xF4:
            lower, upper = {0xF0: 0x90}.get(byte, lower), {0xF4: 0x8F}.get(byte, upper)
            needed, code = 3, byte & 0x7
        else:
            yield BROKEN


def decode_utf_16(queue: Queue, *, is_big_endian: bool) -> Iterator[int]:
    """The code points of a document."""
    surrogate = 0
    while (byte := queue.read()) != END:
        other = queue.read()
        if other == END:
            yield BROKEN
            return
        unit = byte << 8 | other if is_big_endian else other << 8 | byte
        if surrogate:
            lead, surrogate = surrogate, 0
            if 0xDC00 <= unit <= 0xDFFF:
                yield 0x10000 + ((lead - 0xD800) << 10) + unit - 0xDC00
                continue
            queue.restore(byte, other)
            yield BROKEN
        elif 0xD800 <= unit <= 0xDBFF:
            surrogate = unit
        else:
            yield BROKEN if 0xDC00 <= unit <= 0xDFFF else unit
    if surrogate:
        yield BROKEN
