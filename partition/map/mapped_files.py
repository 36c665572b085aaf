"""Files mapped into memory, so that all ranks of a machine share one copy, of which each reads what it needs."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from partition.map.manifest import MapError


def mapped(path: Path, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A file of numbers that is not empty, read in place.  Raises MapError if it cannot be mapped."""
    try:
        return np.asarray(np.memmap(path, dtype, mode="r"))
    except (OSError, ValueError) as error:
        raise MapError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
