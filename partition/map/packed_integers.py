"""Integers of 1 to 8 bytes one after the other, read in place."""

from typing import Any

import numpy as np
import numpy.typing as npt

_WORD = 8


def width_for(largest: int) -> int:
    """Bytes that an integer up to ``largest`` takes."""
    return max(1, (largest.bit_length() + 7) // 8)


def packed(values: npt.NDArray[np.uint64], width: int) -> bytes:
    """The ``width`` low bytes of each value, little-endian."""
    words = values.astype("<u8").view(np.uint8).reshape(-1, _WORD)
    return words[:, :width].tobytes()


def packed_bytes(count: int, width: int) -> int:
    """The bytes of ``count`` packed values and the padding with which `PackedIntegers` reads them."""
    return count * width + _WORD - width


class PackedIntegers:
    """``count`` packed integers and padding, so that 8 bytes can be read at the last; ``buffer`` is not copied."""

    def __init__(self, buffer: Any, count: int, width: int) -> None:
        # A word begins at every integer and overlaps with the next ones; what is theirs is masked away.
        self._words: npt.NDArray[np.uint64] = np.ndarray((count,), "<u8", buffer, 0, (width,))
        self._mask = np.uint64((1 << (8 * width)) - 1)

    def __len__(self) -> int:
        return len(self._words)

    def take(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The integers at these positions: uint64[n] for int64[n] in [0, count)."""
        return self._words[positions] & self._mask
