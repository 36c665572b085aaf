"""A DRUM of keys alone, as scripts/irlbot/bench_drum.py measures it."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crawler.drum.drum import Drum
from crawler.drum.kind import CHECK_UPDATE, Answers, Kind
from crawler.drum.put_records import record_type
from crawler.drum.shape import shape_for
from scripts.irlbot.paper_load import Keys, scrambled

_UINT64 = 1 << 64
_SET = Kind()


class DrumSeen:
    """URL-seen as a DRUM without values; what it answers is counted, and its text compared with the key."""

    def __init__(self, folder: Path, budget: int) -> None:
        self._shape = shape_for(budget, _SET)
        self._drum = Drum(folder, "seen", _SET, budget=budget)
        self.unique = self.total = self._in_memory = 0

    @property
    def merges(self) -> int:
        """Merges so far."""
        return self._drum.traffic.merges

    @property
    def figures(self) -> dict[str, Any]:
        """What only a DRUM can tell: its shape, and what it read and wrote by its own account."""
        traffic, record = self._drum.traffic, record_type(_SET)
        return {
            "shape": self._shape._asdict(),
            "key_bytes": record["key"].itemsize + _SET.value.itemsize,
            "record_bytes": record.itemsize,
            "in_memory": self._in_memory,
            "read": traffic.bytes_read,
            "written": traffic.bytes_written,
        }

    def put(self, keys: Keys, aux: Sequence[str] | None = None) -> None:
        """Check and update."""
        self._take(self._drum.put(keys, CHECK_UPDATE, aux=aux))
        self._in_memory += len(keys) * self._drum.is_in_memory

    def finish(self) -> None:
        """Merge what waits."""
        self._take(self._drum.flush())

    def _take(self, said: Iterator[Answers]) -> None:
        for answers in said:
            self.unique += len(answers.keys)
            self.total = (self.total + int(answers.keys.sum())) % _UINT64
            if answers.aux and answers.aux[-1]:
                number = np.array([int(answers.aux[-1].lstrip("x"))])
                if scrambled(number)[0] != answers.keys[-1]:
                    sys.exit(f"error: the text of key {answers.keys[-1]} is {answers.aux[-1]}")
