"""Similarity hash of a page's text: pages that say nearly the same have hashes that differ in few bits.

Charikar 2002; Manku, Jain and Das Sarma, WWW 2007.  The features are the runs of three words that the text has; each
has a hash of 64 bits, and a bit of the page's hash is what most of its features have there.
"""

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled, inlined

HASHED_BYTES = 16 << 20
"""How much of a document is looked at."""

_BITS = 64
_MOST_IN_PLANES = 255
_FACTORS = (np.uint64(0x1E3779B97F4A7C15), np.uint64(0x5851F42D4C957F2D), np.uint64(0x2545F4914F6CDD1D))
_LESS_THAN, _MORE_THAN = ord("<"), ord(">")
_COMMENT = np.frombuffer(b"!--", np.uint8)
_END_OF_COMMENT = np.frombuffer(b"-->", np.uint8)
_SCRIPT = np.frombuffer(b"script", np.uint8)
_STYLE = np.frombuffer(b"style", np.uint8)
_END_OF_SCRIPT = np.frombuffer(b"</script", np.uint8)
_END_OF_STYLE = np.frombuffer(b"</style", np.uint8)


def simhash(document: bytes) -> int | None:
    """The 64-bit similarity hash of an HTML document; None if it has no text.

    Text is what stands outside of tags, comments, scripts and style sheets, as bytes; words are what white space and
    tags divide, and ASCII letters have no case.  Character references count as they are written.
    """
    value, features = _simhash(np.frombuffer(document[:HASHED_BYTES], np.uint8))
    return int(value) & (1 << _BITS) - 1 if features else None


@compiled
def _simhash(text: npt.NDArray[np.uint8]) -> tuple[int, int]:
    """The hash, and of how many features."""
    ones = np.zeros(_BITS, np.int64)
    # How many of the last features have a bit is counted for all bits at once, in binary, a variable for each digit.
    p0 = p1 = p2 = p3 = p4 = p5 = p6 = p7 = 0
    in_planes = features = words = 0
    before = last = 0
    place, end = 0, len(text)
    while place < end:
        start, byte, word = place, 0, 0
        while place < end:
            byte = text[place]
            if byte <= 0x20 or byte == _LESS_THAN:
                break
            word = (word << 9 | word >> 55 & 511) ^ (byte + 0x20 if 0x41 <= byte <= 0x5A else byte)
            place += 1
        if place > start:
            words += 1
            if words >= 3:
                p0, p1, p2, p3, p4, p5, p6, p7 = _added(_feature(before, last, word), p0, p1, p2, p3, p4, p5, p6, p7)
                features += 1
                in_planes += 1
                if in_planes == _MOST_IN_PLANES:
                    _count(ones, p0, p1, p2, p3, p4, p5, p6, p7)
                    p0 = p1 = p2 = p3 = p4 = p5 = p6 = p7 = in_planes = 0
            before, last = last, word
        elif byte == _LESS_THAN:
            place = _behind_markup(text, place)
        else:
            place += 1
    if 0 < words < 3:  # the text is a feature
        return _feature(0, before, last), 1
    _count(ones, p0, p1, p2, p3, p4, p5, p6, p7)
    return _majority(ones, features), features


@compiled
def _majority(ones: npt.NDArray[np.int64], features: int) -> int:
    """The bits that most of the features have."""
    value = 0
    for bit in range(_BITS):
        if 2 * ones[bit] > features:
            value |= 1 << bit
    return value


@inlined
def _added(
    carry: int, p0: int, p1: int, p2: int, p3: int, p4: int, p5: int, p6: int, p7: int
) -> tuple[int, int, int, int, int, int, int, int]:
    """The planes with a feature's bits added to them, ``carry`` at first, then what is carried to the next digit."""
    p0, carry = p0 ^ carry, p0 & carry
    p1, carry = p1 ^ carry, p1 & carry
    p2, carry = p2 ^ carry, p2 & carry
    p3, carry = p3 ^ carry, p3 & carry
    p4, carry = p4 ^ carry, p4 & carry
    p5, carry = p5 ^ carry, p5 & carry
    p6, carry = p6 ^ carry, p6 & carry
    return p0, p1, p2, p3, p4, p5, p6, p7 ^ carry


@compiled
def _feature(first: int, second: int, third: int) -> int:
    """A hash of three words, by their hashes."""
    mixed = (np.uint64(first) * _FACTORS[0] + np.uint64(second)) * _FACTORS[1] + np.uint64(third)
    mixed = (mixed ^ _shifted(mixed, 32)) * _FACTORS[2]
    mixed = (mixed ^ _shifted(mixed, 29)) * _FACTORS[1]
    return int(np.int64(mixed ^ _shifted(mixed, 32)))


@compiled
def _shifted(number: np.uint64, bits: int) -> np.uint64:
    """The bits shifted down; copies of the highest bit follow, as in the first hashes that were recorded."""
    return np.uint64(np.int64(number) >> bits)


@compiled
def _count(ones: npt.NDArray[np.int64], p0: int, p1: int, p2: int, p3: int, p4: int, p5: int, p6: int, p7: int) -> None:
    """Add to each bit's count the number whose binary digits it has in the planes."""
    for bit in range(_BITS):
        low = (p0 >> bit & 1) + 2 * (p1 >> bit & 1) + 4 * (p2 >> bit & 1) + 8 * (p3 >> bit & 1)
        high = (p4 >> bit & 1) + 2 * (p5 >> bit & 1) + 4 * (p6 >> bit & 1) + 8 * (p7 >> bit & 1)
        ones[bit] += low + 16 * high


@compiled
def _behind_markup(text: npt.NDArray[np.uint8], place: int) -> int:
    """Where text goes on after the tag, comment, script or style sheet that begins here."""
    place, end = place + 1, len(text)
    byte = text[place] | 0x20 if place < end else 0
    if byte == _COMMENT[0] | 0x20 and _stands_at(text, place, _COMMENT):
        return _behind(text, place + len(_COMMENT), _END_OF_COMMENT)
    if byte == _SCRIPT[0]:
        if _stands_at(text, place, _SCRIPT):
            return _behind_tag(text, _behind(text, _behind_tag(text, place), _END_OF_SCRIPT))
        if _stands_at(text, place, _STYLE):
            return _behind_tag(text, _behind(text, _behind_tag(text, place), _END_OF_STYLE))
    return _behind_tag(text, place)


@compiled
def _behind_tag(text: npt.NDArray[np.uint8], place: int) -> int:
    """The place behind the end of the tag that stands here."""
    end = len(text)
    while place < end and text[place] != _MORE_THAN:
        place += 1
    return min(place + 1, end)


@compiled
def _behind(text: npt.NDArray[np.uint8], place: int, mark: npt.NDArray[np.uint8]) -> int:
    """The place behind the next ``mark``, or the end."""
    while place < len(text):
        if text[place] == mark[0] and _stands_at(text, place, mark):
            return place + len(mark)
        place += 1
    return len(text)


@compiled
def _stands_at(text: npt.NDArray[np.uint8], place: int, mark: npt.NDArray[np.uint8]) -> bool:
    """Does ``mark`` stand here?  ASCII letters have no case; ``mark`` has its letters in lower case."""
    if place + len(mark) > len(text):
        return False
    for offset in range(len(mark)):
        byte = text[place + offset]
        if byte != mark[offset] and not (0x41 <= byte <= 0x5A and byte + 0x20 == mark[offset]):
            return False
    return True
