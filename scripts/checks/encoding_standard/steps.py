"""What the standard's decoders and encoders share: bytes that are read and put back, and looking things up in tables.

A table ("index") maps a pointer to a code point, or to None.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

Index = Sequence[int | None]
Indexes = Mapping[str, Index]
"""The standard's tables by their names."""
Encode = Callable[[int], bytes | None]
"""Bytes of a code point beyond ASCII; None if the encoding has none."""

BROKEN = 0xFFFD
"""The code point that stands for what cannot be decoded."""
END = -1


class Queue:
    """Bytes to be decoded; what was read can be put back."""

    def __init__(self, content: bytes) -> None:
        self._rest = bytearray(reversed(content))

    def read(self) -> int:
        """The next byte, or the end."""
        return self._rest.pop() if self._rest else END

    def restore(self, *content: int) -> None:
        """Put bytes back, the first of which is read first; the end needs not be put back."""
        self._rest.extend(byte for byte in reversed(content) if byte != END)


def code_at(index: Index, pointer: int) -> int | None:
    """The code point of a pointer; None beyond the table, too."""
    return index[pointer] if 0 <= pointer < len(index) else None


def first_pointers(index: Index, left_out: range = range(0)) -> dict[int, int]:
    """The first pointer of each code point."""
    pointers: dict[int, int] = {}
    for pointer, code in enumerate(index):
        if code is not None and pointer not in left_out:
            pointers.setdefault(code, pointer)
    return pointers


def lead_bytes(queue: Queue, is_lead: Callable[[int], bool], *others: int) -> Iterator[tuple[int, int]]:
    """Pairs of lead byte and the byte (or end) after it; (0, code) of what stands alone, broken or not.

    Beyond ASCII ``others`` stand alone, and what is of half width in Shift_JIS.
    """
    while (byte := queue.read()) != END:
        if is_lead(byte):
            yield byte, queue.read()
        else:
            is_alone = byte < 0x80 or byte in others or (others and 0xA1 <= byte <= 0xDF)
            yield 0, byte if is_alone else BROKEN


def code_or_broken(queue: Queue, code: int | None, byte: int) -> Iterator[int]:
    """A code point, if there is one; else something broken, and a byte of ASCII is read again."""
    if code is None and 0 <= byte < 0x80:
        queue.restore(byte)
    yield BROKEN if code is None else code


def two_bytes(pointer: int | None, trails: int, lead: int, trail: Callable[[int], int]) -> bytes | None:
    """The bytes of a pointer in a table with so many trail bytes for each lead byte, the first of which is ``lead``."""
    if pointer is None:
        return None
    return bytes([pointer // trails + lead, trail(pointer % trails)])


def reference(code: int) -> bytes:
    """A character that cannot be encoded, as a query has it: ``&#N;``, percent-encoded."""
    return b"%%26%%23%d%%3B" % code
