"""The majorities of directories that reach from one shard into another: no shard by itself can tell them."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.communication.ranks import Ranks
from partition.map.key_ranges import KeyRanges


class OpenDirectories:
    """Counts the pages, by part, of each directory around the first key of a shard.

    They are at most as many for each shard as that key has slashes.
    """

    def __init__(self, ranges: KeyRanges) -> None:
        self._of_shards = [ranges.open_directories(shard) for shard in range(len(ranges))]
        self._counts: Counter[tuple[str, int]] = Counter()

    def add(self, shard: int, keys: pa.Array, parts: npt.NDArray[np.uint16]) -> None:
        """Count keys of a shard: large_string[n] and uint16[n]."""
        for directory in self._of_shards[shard]:
            inside = pc.starts_with(keys, directory).to_numpy(zero_copy_only=False)
            found, counts = np.unique(parts[inside], return_counts=True)
            for part, count in zip(found.tolist(), counts.tolist(), strict=True):
                self._counts[directory, part] += count

    def settled(self, ranks: Ranks) -> list[Mapping[str, int]]:
        """For each shard, the part with most pages of each of its directories, the lowest of several; collective."""
        counts: Counter[tuple[str, int]] = sum(ranks.together(self._counts), Counter())
        best: dict[str, tuple[int, int]] = {}
        for (directory, part), count in counts.items():
            best[directory] = max(best.get(directory, (0, 0)), (count, -part))
        return [{directory: -best[directory][1] for directory in directories} for directories in self._of_shards]
