"""Seeds with a few edits: what byte-level fuzzers do, as a strategy of hypothesis.

An edit is one integer, from whose hash its kind, place, length and what is put there are taken: hypothesis takes time
by the number of its choices, and prefers small integers.
"""

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from xxhash import xxh3_64_intdigest

MOST_EDITS = 5
LONGEST = 1 << 18
"""How long an input becomes by edits that repeat: long enough for what takes quadratic time to be noticed."""

_KINDS, _PLACE_BITS, _SIZE_BITS, _TIMES_BITS = 32, 20, 16, 17
EDITS = st.lists(st.integers(0, (1 << 32) - 1), max_size=MOST_EDITS).map(tuple)


def mutated(
    seeds: Sequence[bytes],
    tokens: Sequence[bytes],
    longest: int = LONGEST,
    edits: SearchStrategy[tuple[int, ...]] = EDITS,
) -> SearchStrategy[bytes]:
    """One of the seeds after some edits, which put in bytes, pieces of the seed itself, or one of ``tokens``."""
    return st.builds(lambda seed, numbers: edited(seed, numbers, tokens, longest), st.sampled_from(list(seeds)), edits)


def edited(data: bytes, numbers: Sequence[int], tokens: Sequence[bytes], longest: int = LONGEST) -> bytes:
    """The data after the edits that the numbers stand for."""
    for number in numbers:
        data = _edited(data, number, tokens, longest)
    return data


def _edited(data: bytes, number: int, tokens: Sequence[bytes], longest: int) -> bytes:
    number, kind = divmod(xxh3_64_intdigest(number.to_bytes(4)), _KINDS)
    number, place = divmod(number, 1 << _PLACE_BITS)
    what, size = divmod(number, 1 << _SIZE_BITS)
    place = place * (len(data) + 1) >> _PLACE_BITS
    size = 1 + (size >> 3) % (16 if size % 8 else len(data) + 1)
    token = tokens[what % len(tokens)]
    before, piece, after = data[:place], data[place : place + size], data[place + size :]
    match kind >> 1:
        case 0 | 1 | 2 | 14:
            return before + token + piece + after
        case 3 | 4:
            return before + token + after
        case 5 | 6:
            return before + after
        case 7 | 8:
            return before + bytes(byte ^ 1 << what % 8 for byte in piece[:1]) + piece[1:] + after
        case 9 | 10:
            return before + what.to_bytes(8, "little")[: min(3, len(piece))] + piece[3:] + after
        case 11 | 12:
            there = what % (len(data) + 1)
            return data[:there] + piece + data[there:]
        case 13:
            repeated = piece if kind & 1 else token
            room = max(0, longest - len(data)) // max(1, len(repeated))
            return before + repeated * min(what % (1 << _TIMES_BITS), room) + after
        case _ if kind & 1:
            return before
        case _:
            return data
