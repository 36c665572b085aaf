"""Numbers of URLs as they travel: ascending, so that the differences are small, in as many bytes as each needs.

Layout: a byte that says how (0 as they are, 1 compressed), then the differences as variable-length integers of 7 bits
a byte, low bits first, the top bit set in all bytes but an integer's last (LEB128); the first number counts from 0.
If zstd makes that shorter, it stands there compressed, after its plain length (uint32).
"""

from itertools import pairwise
from struct import calcsize, error, pack, unpack_from

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Numbers = npt.NDArray[np.int64]

_PLAIN, _COMPRESSED = b"\0", b"\1"
_LENGTH = "<I"
_CODEC = pa.Codec("zstd", compression_level=3)
_BITS = 7
_MORE = 0x80
_LONGEST = 9


def encode_numbers(numbers: Numbers) -> bytes:
    """Ascending numbers >= 0, int64[n], as bytes; a number may stand there more than once."""
    return encode_all_numbers(numbers, np.array([0, len(numbers)]))[0]


def encode_all_numbers(numbers: Numbers, bounds: npt.NDArray[np.int64]) -> list[bytes]:
    """What `encode_numbers` makes of each of m sequences that stand one after the other in ``numbers``, int64[n].

    Sequence i is ``bounds[i]`` to ``bounds[i + 1]``, int64[m + 1].
    """
    differences = np.diff(numbers, prepend=0)
    firsts = bounds[:-1][bounds[1:] > bounds[:-1]]
    differences[firsts] = numbers[firsts]
    plain, ends = _as_varints(differences.astype(np.uint64))
    cuts = np.concatenate([np.zeros(1, np.int64), ends])[bounds].tolist()
    return [_shorter(plain[start:end]) for start, end in pairwise(cuts)]


def _shorter(plain: bytes) -> bytes:
    if not plain:
        return b""
    compressed: bytes = _CODEC.compress(plain, asbytes=True)
    if calcsize(_LENGTH) + len(compressed) < len(plain):
        return _COMPRESSED + pack(_LENGTH, len(plain)) + compressed
    return _PLAIN + plain


def decode_numbers(data: bytes | memoryview) -> Numbers:
    """The numbers that `encode_numbers` wrote: int64[n].  Raises ValueError if it did not write this."""
    view = memoryview(data)
    if not len(view):
        return np.empty(0, np.int64)
    try:
        if view[:1] == _PLAIN:
            plain = bytes(view[1:])
        elif view[:1] == _COMPRESSED:
            (size,) = unpack_from(_LENGTH, view, 1)
            plain = _CODEC.decompress(view[1 + calcsize(_LENGTH) :], decompressed_size=size, asbytes=True)
        else:
            raise ValueError("they begin with an unknown byte")
        return np.cumsum(_from_varints(plain))
    except (pa.ArrowException, OSError, MemoryError, ValueError, error) as damage:
        raise ValueError(f"damaged numbers of URLs ({len(view)} bytes): {damage}") from damage


def _as_varints(values: npt.NDArray[np.uint64]) -> tuple[bytes, npt.NDArray[np.int64]]:
    """Integers one after the other, and where each ends."""
    sizes = np.ones(len(values), np.int64)
    for size in range(1, _LONGEST):
        sizes += values >= np.uint64(1 << (_BITS * size))
    ends = np.cumsum(sizes)
    starts = ends - sizes
    written = np.empty(int(sizes.sum()), np.uint8)
    for place in range(int(sizes.max(initial=0))):
        is_so_long = sizes > place
        bits = (values[is_so_long] >> np.uint64(_BITS * place)) & np.uint64(_MORE - 1)
        is_not_last = sizes[is_so_long] > place + 1
        written[starts[is_so_long] + place] = bits.astype(np.uint8) | (is_not_last * np.uint8(_MORE))
    return written.tobytes(), ends


def _from_varints(plain: bytes) -> npt.NDArray[np.int64]:
    read = np.frombuffer(plain, np.uint8)
    lasts = np.flatnonzero(read < _MORE)
    if not len(lasts) or lasts[-1] != len(read) - 1:
        raise ValueError("they break off")
    sizes = np.diff(lasts, prepend=-1)
    if sizes.max() > _LONGEST:
        raise ValueError("one is too long")
    values = np.zeros(len(lasts), np.int64)
    starts = lasts - sizes + 1
    for place in range(int(sizes.max())):
        is_so_long = sizes > place
        bits = (read[starts[is_so_long] + place] & np.uint8(_MORE - 1)).astype(np.int64)
        values[is_so_long] |= bits << (_BITS * place)
    return values
