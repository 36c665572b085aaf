"""The codes for whole numbers in which WebGraph writes its files, read from a stream of bits, highest bit first.

Every function is compiled.  It reads a number at a position in bits, of a stream of ``end`` bits in an array of bytes,
and returns the number with the position after it; the number is `BROKEN` where the stream ends too early, or holds a
number too large for any graph (2^62 at the latest).

Boldi and Vigna: The WebGraph framework I (WWW 2004), and Codes for the World-Wide Web (Internet Mathematics 2, 2005).
"""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled, inlined

Bytes = npt.NDArray[np.uint8]

BROKEN = -1

_MOST_BITS = 62


class Code(IntEnum):
    """A way to write a whole number of at least 0; the parameter of zeta and Golomb codes stands apart."""

    GAMMA = 1
    DELTA = 2
    UNARY = 3
    ZETA = 4
    NIBBLE = 5
    GOLOMB = 6


_GAMMA, _DELTA, _UNARY, _ZETA, _NIBBLE, _GOLOMB = map(int, Code)


@compiled
def read_binary(data: Bytes, end: int, position: int, width: int) -> tuple[int, int]:
    """A number that is written in ``width`` bits."""
    if width > _MOST_BITS or position + width > end:
        return BROKEN, position
    value = 0
    while width > 0:
        inside = position & 7
        taken = min(8 - inside, width)
        piece = (data[position >> 3] & (0xFF >> inside)) >> (8 - inside - taken)
        value = value << taken | piece
        position += taken
        width -= taken
    return value, position


@compiled
def read_unary(data: Bytes, end: int, position: int) -> tuple[int, int]:
    """The number of zeros before the next one."""
    start = position
    while position < end:
        rest = data[position >> 3] & (0xFF >> (position & 7))
        if rest == 0:
            position = (position | 7) + 1
            continue
        position |= 7
        while rest > 1:
            rest >>= 1
            position -= 1
        if position >= end:
            break
        return position - start, position + 1
    return BROKEN, position


@inlined
def _below_highest(data: Bytes, end: int, position: int, width: int) -> tuple[int, int]:
    """The number, less one, whose highest bit comes after so many others, which are read; BROKEN for no ``width``."""
    if width < 0:
        return BROKEN, position
    rest, position = read_binary(data, end, position, width)
    if rest < 0:
        return BROKEN, position
    return (1 << width | rest) - 1, position


@compiled
def read_gamma(data: Bytes, end: int, position: int) -> tuple[int, int]:
    """Unary the number of bits, then the bits; of the number plus one, without its highest bit."""
    width, position = read_unary(data, end, position)
    return _below_highest(data, end, position, width)


@compiled
def read_delta(data: Bytes, end: int, position: int) -> tuple[int, int]:
    """Like gamma, the number of bits being written in gamma."""
    width, position = read_gamma(data, end, position)
    return _below_highest(data, end, position, width)


@compiled
def read_zeta(data: Bytes, end: int, position: int, k: int) -> tuple[int, int]:
    """Unary the number h of k-bit steps, then the offset from 2^hk in minimal binary; of the number plus one."""
    steps, position = read_unary(data, end, position)
    if steps < 0 or steps * k + k > _MOST_BITS:
        return BROKEN, position
    least = 1 << steps * k
    rest, position = read_binary(data, end, position, steps * k + k - 1)
    if rest < 0:
        return BROKEN, position
    if rest < least:
        return rest + least - 1, position
    last, position = read_binary(data, end, position, 1)
    if last < 0:
        return BROKEN, position
    return (rest << 1 | last) - 1, position


@compiled
def read_nibble(data: Bytes, end: int, position: int) -> tuple[int, int]:
    """Three bits at a time, a one before the last three."""
    value = 0
    while value >> (_MOST_BITS - 3) == 0:
        group, position = read_binary(data, end, position, 4)
        if group < 0:
            break
        value = value << 3 | (group & 7)
        if group & 8:
            return value, position
    return BROKEN, position


@compiled
def read_golomb(data: Bytes, end: int, position: int, modulus: int) -> tuple[int, int]:
    """Unary the quotient by the modulus, then the remainder in minimal binary."""
    quotient, position = read_unary(data, end, position)
    if quotient < 0 or quotient > (1 << _MOST_BITS) // modulus - 1:
        return BROKEN, position
    width = 0
    while modulus >> (width + 1):
        width += 1
    short = (1 << (width + 1)) - modulus
    rest, position = read_binary(data, end, position, width)
    if rest < 0:
        return BROKEN, position
    if rest >= short:
        last, position = read_binary(data, end, position, 1)
        if last < 0:
            return BROKEN, position
        rest = (rest << 1 | last) - short
    return quotient * modulus + rest, position


@compiled
def read_coded(data: Bytes, end: int, position: int, code: int, k: int) -> tuple[int, int]:
    """A number in one of the codes of `Code`; ``k`` of at least 1 is the parameter of zeta, and Golomb's modulus."""
    if code == _GAMMA:
        return read_gamma(data, end, position)
    if code == _ZETA:
        return read_zeta(data, end, position, k)
    if code == _UNARY:
        return read_unary(data, end, position)
    if code == _DELTA:
        return read_delta(data, end, position)
    if code == _NIBBLE:
        return read_nibble(data, end, position)
    return read_golomb(data, end, position, k)
