"""n operations as they were put: the fixed-width part as one structured array, and the aux strings."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Kind, Operations, Values
from sessions.url import Hashes

Records = npt.NDArray[Any]
"""Structured array: key uint64, value, operation uint8, notes, aux uint32 (length of the aux in bytes)."""


def record_type(kind: Kind) -> np.dtype[Any]:
    """The dtype of a record."""
    return np.dtype([("key", "<u8"), ("value", kind.value), ("operation", "u1"), ("notes", kind.note), ("aux", "<u4")])


def as_given(
    kind: Kind, keys: Hashes, operation: int | Operations, values: Values | None, notes: Values | None
) -> tuple[Hashes, Operations, Values, Values]:
    """The columns of a call of `Drum.put`, all of one length.  Raises ValueError or TypeError if they do not fit."""
    keys = np.asarray(keys)
    if keys.dtype != np.uint64 or keys.ndim != 1:
        raise TypeError(f"keys are uint64[n], not {keys.dtype} in {keys.ndim} dimensions")
    if isinstance(operation, int):
        least = most = operation
        operations = np.empty(len(keys), np.uint8)
        operations.fill(operation)
    else:
        operations = np.broadcast_to(np.asarray(operation, np.uint8), keys.shape)
        least, most = int(operations.min(initial=CHECK_UPDATE)), int(operations.max(initial=CHECK))
    if least < CHECK or most > CHECK_UPDATE:
        raise ValueError("an operation is 1 (check), 2 (update) or 3 (both)")
    if values is None and kind.rules and bool((operations & UPDATE).any()):
        raise ValueError("updates need values")
    return keys, operations, _column(values, kind.value, keys), _column(notes, kind.note, keys)


def _column(given: Values | None, dtype: np.dtype[Any], keys: Hashes) -> Values:
    if given is None:
        return np.zeros(len(keys), dtype)
    if len(given) != len(keys):
        raise ValueError(f"{len(given)} values or notes for {len(keys)} keys")
    if given.dtype != dtype:
        raise TypeError(f"values or notes are {given.dtype}, not {dtype}")
    return given


def check_aux(aux: Sequence[str] | None, keys: Hashes) -> None:
    """Raise ValueError unless there is a string for each key, or none at all."""
    if aux is not None and len(aux) != len(keys):
        raise ValueError(f"{len(aux)} strings for {len(keys)} keys")
