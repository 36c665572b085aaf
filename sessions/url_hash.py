"""The 64-bit xxh3 of short strings, compiled: `sessions.url.url_hash` for loops that are compiled themselves.

The algorithm is that of the xxHash specification (XXH3, version 0.8, seed 0) for inputs of 1 to 240 bytes.
"""

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled

SHORTEST, LONGEST = 1, 240
"""Bytes of the strings that `xxh3_of` hashes.  Few URLs are longer."""

_SECRET_BYTES = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e"
    "e03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a"
    "51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8f"
    "f8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_SECRET = np.frombuffer(_SECRET_BYTES, np.uint8)
_WORDS = np.frombuffer(_SECRET_BYTES, "<u8")
_FLIP_LOW, _FLIP_HIGH = _WORDS[3] ^ _WORDS[4], _WORDS[5] ^ _WORDS[6]
_FLIP_OF_8, _FLIP_OF_3 = _WORDS[1] ^ _WORDS[2], (_WORDS[0] ^ (_WORDS[0] >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
_PRIME, _AVALANCHE = np.uint64(0x9E3779B185EBCA87), np.uint64(0x165667919E3779F9)
_PRIME_OF_8 = np.uint64(0x9FB21C651E98DF25)
_PRIMES_OF_3 = np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9)
_LOW, _BYTE = np.uint64(0xFFFFFFFF), np.uint64(0xFF)
_1, _2, _3, _4, _8 = (np.uint64(number) for number in (1, 2, 3, 4, 8))
_16, _24, _32, _37 = (np.uint64(number) for number in (16, 24, 32, 37))
_15, _28, _29, _33, _35, _40, _49 = (np.uint64(number) for number in (15, 28, 29, 33, 35, 40, 49))

Bytes = npt.NDArray[np.uint8]


@compiled
def xxh3_of(text: Bytes, start: int, stop: int) -> np.uint64:
    """The hash of the SHORTEST to LONGEST bytes from ``start`` to ``stop``."""
    size = np.uint64(stop - start)
    if size <= 3:
        return _of_3(text, start, stop)
    if size <= 8:
        return _of_8(text, start, stop)
    if size <= 16:
        low, high = _read(text, start) ^ _FLIP_LOW, _read(text, stop - 8) ^ _FLIP_HIGH
        return _avalanche(size + _swapped(low) + high + _folded(low, high))
    if size <= 128:
        return _avalanche(size * _PRIME + _of_few(text, start, stop))
    total = size * _PRIME
    for step in range(8):
        total += _mixed(text, start + 16 * step, 16 * step)
    rest = _mixed(text, stop - 16, 136 - 17)
    for step in range(8, (stop - start) // 16):
        rest += _mixed(text, start + 16 * step, 16 * (step - 8) + 3)
    return _avalanche(_avalanche(total) + rest)


@compiled
def _of_3(text: Bytes, start: int, stop: int) -> np.uint64:
    """The hash of 1 to 3 bytes."""
    size = stop - start
    first, middle, last = text[start], text[start + size // 2], text[stop - 1]
    word = np.uint64(first) << _16 | np.uint64(middle) << _24 | np.uint64(last) | np.uint64(size) << _8
    word ^= _FLIP_OF_3
    word = (word ^ (word >> _33)) * _PRIMES_OF_3[0]
    word = (word ^ (word >> _29)) * _PRIMES_OF_3[1]
    return np.uint64(word ^ (word >> _32))


@compiled
def _of_8(text: Bytes, start: int, stop: int) -> np.uint64:
    """The hash of 4 to 8 bytes."""
    word = (_read_4(text, stop - 4) + (_read_4(text, start) << _32)) ^ _FLIP_OF_8
    word ^= (word << _49 | word >> _15) ^ (word << _24 | word >> _40)
    word *= _PRIME_OF_8
    word ^= (word >> _35) + np.uint64(stop - start)
    word *= _PRIME_OF_8
    return np.uint64(word ^ (word >> _28))


@compiled
def _of_few(text: Bytes, start: int, stop: int) -> np.uint64:
    """The sum for 17 to 128 bytes: from both ends to the middle."""
    total = _mixed(text, start, 0) + _mixed(text, stop - 16, 16)
    for step in range(1, (stop - start + 31) // 32):
        total += _mixed(text, start + 16 * step, 32 * step)
        total += _mixed(text, stop - 16 * (step + 1), 32 * step + 16)
    return total


@compiled
def _read_4(text: Bytes, at: int) -> np.uint64:
    """Four bytes, little-endian."""
    p = np.uint64(at)
    word = np.uint64(text[p]) | np.uint64(text[p + _1]) << _8
    return word | np.uint64(text[p + _2]) << _16 | np.uint64(text[p + _3]) << _24


@compiled
def _read(text: Bytes, at: int) -> np.uint64:
    """Eight bytes, little-endian.  (With an unsigned place, and written out, this is one load.)"""
    p = np.uint64(at)
    word = np.uint64(text[p]) | np.uint64(text[p + _1]) << _8
    word |= np.uint64(text[p + _2]) << _16 | np.uint64(text[p + _3]) << _24
    p += _4
    high = np.uint64(text[p]) | np.uint64(text[p + _1]) << _8
    high |= np.uint64(text[p + _2]) << _16 | np.uint64(text[p + _3]) << _24
    return word | high << _32


@compiled
def _swapped(word: np.uint64) -> np.uint64:
    """The eight bytes in the other order."""
    swapped = word & _BYTE
    for _ in range(7):
        word >>= _8
        swapped = swapped << _8 | (word & _BYTE)
    return swapped


@compiled
def _mixed(text: Bytes, at: int, secret: int) -> np.uint64:
    low, high = _read(text, at) ^ _read(_SECRET, secret), _read(text, at + 8) ^ _read(_SECRET, secret + 8)
    return _folded(low, high)


@compiled
def _folded(one: np.uint64, other: np.uint64) -> np.uint64:
    """The lower and the upper half of a product of 128 bits, one laid over the other."""
    one_low, one_high, other_low, other_high = one & _LOW, one >> _32, other & _LOW, other >> _32
    crossed = one_high * other_low + (one_low * other_low >> _32)
    middle = (crossed & _LOW) + one_low * other_high
    return (one * other) ^ (one_high * other_high + (crossed >> _32) + (middle >> _32))


@compiled
def _avalanche(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _37)) * _AVALANCHE
    return word ^ (word >> _32)
