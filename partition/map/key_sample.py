"""Where to divide keys that no memory holds, so that shards have about as many each: by a sample of them."""

import numpy as np
import pyarrow as pa

from partition.communication.ranks import Ranks
from partition.map.spilled_rows import Rows
from partition.map.url_texts import keys_of
from sessions.url import Hashes

SAMPLED = 1 << 14
_ALL = np.uint64(np.iinfo(np.uint64).max)


class KeySample:
    """The keys of the URLs with the smallest hashes: which they are does not depend on the order in which URLs come,
    nor on the ranks to which they come.
    """

    def __init__(self, most: int = SAMPLED) -> None:
        self._most = most
        self._hashes: Hashes = np.empty(0, np.uint64)
        self._keys = pa.array([], pa.large_string())
        self._limit = _ALL

    def add(self, rows: Rows) -> None:
        """Look at further rows."""
        chosen = np.flatnonzero(rows.hashes <= self._limit)
        self._hashes = np.concatenate([self._hashes, rows.hashes[chosen]])
        self._keys = pa.concat_arrays([self._keys, keys_of(rows.urls.take(pa.array(chosen)))])
        if len(self._hashes) > 2 * self._most:
            self._keep_smallest()

    def firsts(self, shards: int, ranks: Ranks) -> list[str]:
        """The first keys of so many shards, or of fewer if keys are few, from the samples of all ranks; collective."""
        self._keep_smallest()
        self._keys = ranks.gathered_texts(self._keys)
        self._hashes = ranks.gathered(self._hashes)
        self._keep_smallest()
        keys = sorted(self._keys.to_pylist())
        chosen = {keys[len(keys) * shard // shards] for shard in range(1, shards) if keys}
        return ["", *sorted(chosen - set(keys[:1]))]  # with the least of all keys no shard would be before it

    def _keep_smallest(self) -> None:
        if len(self._hashes) <= self._most:
            return
        smallest = np.argsort(self._hashes, kind="stable")[: self._most]
        self._hashes, self._keys = self._hashes[smallest], self._keys.take(pa.array(smallest))
        self._limit = self._hashes[-1]
