"""The priorities that a worklist gives URLs, as arrays by hash."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sessions.url import Hashes

MANIFEST = "worklist.json"
_COLUMNS = ["hash", "priority"]
_TYPES = [pa.uint64(), pa.float64()]


class PriorityError(Exception):
    """A folder has no priorities that can be read; the message names it and says why."""


class Priorities(NamedTuple):
    """Of n URLs the hashes, uint64[n] ascending and distinct, and the priorities, float64[n]."""

    hashes: Hashes
    priorities: npt.NDArray[np.float64]


def read_priorities(worklist: Path | None) -> Priorities:
    """Read the priorities of a worklist, 16 bytes of memory for each row; without one there are none.

    Raises PriorityError if the folder is no worklist, or has no rows.
    """
    hashes, priorities = np.empty(0, np.uint64), np.empty(0, np.float64)
    if worklist is None:
        return Priorities(hashes, priorities)
    tables = [_columns(file) for file in worklist_files(worklist)]
    hashes = np.concatenate([hashes, *(table[0] for table in tables)])
    priorities = np.concatenate([priorities, *(table[1] for table in tables)])
    if not len(hashes):
        raise PriorityError(f"{worklist}: the worklist has no URLs")
    order = np.argsort(hashes)
    return Priorities(hashes[order], priorities[order])


def check_worklist(worklist: Path) -> None:
    """Raise PriorityError if a folder has no priorities that can be read, without holding them."""
    rows = 0
    for file in worklist_files(worklist):
        try:
            schema, rows = pq.read_schema(file), rows + pq.read_metadata(file).num_rows
        except (pa.ArrowException, OSError) as error:
            raise PriorityError(f"{file}: cannot be read as rows of a worklist ({error})") from error
        if [schema.field(name).type for name in _COLUMNS if name in schema.names] != _TYPES:
            raise PriorityError(f"{file}: has no columns hash (uint64) and priority (double)")
    if not rows:
        raise PriorityError(f"{worklist}: the worklist has no URLs")


def worklist_files(worklist: Path) -> list[Path]:
    """Return the files with a worklist's rows, by name.  Raises PriorityError if the folder is no worklist."""
    if not (worklist / MANIFEST).is_file():
        raise PriorityError(f"{worklist}: is no worklist (it has no {MANIFEST}); make one with cutweb worklist")
    return sorted(worklist.glob("*.parquet"))


def _columns(file: Path) -> tuple[Hashes, npt.NDArray[np.float64]]:
    try:
        table = pq.read_table(file, columns=_COLUMNS)
        table = table.filter(pc.is_valid(table["priority"]))
        hashes, priorities = (table[name].to_numpy() for name in _COLUMNS)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise PriorityError(f"{file}: cannot be read as rows of a worklist ({error})") from error
    if table.schema.types != _TYPES:
        raise PriorityError(f"{file}: has no columns hash (uint64) and priority (double)")
    return hashes, priorities
