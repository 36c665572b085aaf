"""The priorities that a worklist gives URLs, as arrays by hash."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.worklist.manifest import WorklistError
from crawler.worklist.rows import KINDS
from crawler.worklist.worklist import Worklist, open_worklist
from sessions.url import Hashes


class Priorities(NamedTuple):
    """Of n URLs the hashes, uint64[n] ascending and distinct, and the priorities, float64[n]."""

    hashes: Hashes
    priorities: npt.NDArray[np.float64]


def read_priorities(path: Path | None) -> Priorities:
    """Read the priorities of a worklist, 16 bytes of memory for each row; without one there are none.

    Raises WorklistError if the folder is no worklist, is damaged, or has no rows.
    """
    if path is None:
        return Priorities(np.empty(0, np.uint64), np.empty(0))
    worklist, filled = with_urls(path), 0
    rows = sum(worklist.count(kind) for kind in KINDS)
    hashes, priorities = np.empty(rows, np.uint64), np.empty(rows)
    for kind in KINDS:
        for _, _, batch in worklist.rows(kind):
            here = slice(filled, filled := filled + batch.num_rows)
            hashes[here], priorities[here] = batch["hash"].to_numpy(), batch["priority"].to_numpy()
    order = np.argsort(hashes)
    return Priorities(hashes[order], priorities[order])


def with_urls(path: Path) -> Worklist:
    """Open a worklist.  Raises WorklistError if the folder is none, or has no rows."""
    worklist = open_worklist(path)
    if not any(worklist.count(kind) for kind in KINDS):
        raise WorklistError(f"{path}: the worklist has no URLs")
    return worklist
