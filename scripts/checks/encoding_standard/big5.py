"""Big5."""

from collections.abc import Iterator

from scripts.checks.encoding_standard.steps import (
    Encode,
    Index,
    Queue,
    code_at,
    code_or_broken,
    first_pointers,
    lead_bytes,
    two_bytes,
)

_PAIRS = {1133: (0xCA, 0x304), 1135: (0xCA, 0x30C), 1164: (0xEA, 0x304), 1166: (0xEA, 0x30C)}
_LAST = {0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345}


def decode_big5(queue: Queue, index: Index) -> Iterator[int]:
    """The code points of a document; four pointers stand for a letter and a combining accent."""
    for lead, byte in lead_bytes(queue, lambda byte: 0x81 <= byte <= 0xFE):
        pointer = -1
        if 0x40 <= byte <= 0x7E or 0xA1 <= byte <= 0xFE:
            pointer = (lead - 0x81) * 157 + byte - (0x40 if byte < 0x7F else 0x62)
        if not lead:
            yield byte
        elif pointer in _PAIRS:
            yield from _PAIRS[pointer]
        else:
            yield from code_or_broken(queue, code_at(index, pointer), byte)


def big5_encoder(index: Index) -> Encode:
    """What encodes a code point: never by the Hong Kong extensions, and by the last pointer of six box characters."""
    pointers = first_pointers(index, range((0xA1 - 0x81) * 157))
    pointers |= {code: pointer for pointer, code in enumerate(index) if code in _LAST}
    return lambda code: two_bytes(pointers.get(code), 157, 0x81, lambda trail: trail + (0x40 if trail < 0x3F else 0x62))
