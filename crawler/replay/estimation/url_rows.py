"""URLs on their way through the ranks of an estimate: found, handed over, accepted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from crawler.replay.course import Ranks
from crawler.replay.recording import Numbers
from crawler.urls.batch import Depths, Flags, Hops, Mask
from crawler.urls.shortest_ways import shortest_ways as ways_by_key


@dataclass(frozen=True, slots=True)
class Findings:
    """n URLs of all ranks, sorted by rank, each rank's in its own order.

    ``ranks`` int32[n] say whose they are, ``urls`` int64[n] which in the recording; ``depths`` uint16[n], ``hops`` and
    ``flags`` uint8[n] are what `crawler.urls.batch.UrlBatch` has of each.
    """

    ranks: Ranks
    urls: Numbers
    depths: Depths
    hops: Hops
    flags: Flags

    def __len__(self) -> int:
        return len(self.urls)

    def where(self, which: Mask | npt.NDArray[np.intp]) -> "Findings":
        """Those for which a mask holds, in order, or those at some positions."""
        return Findings(self.ranks[which], self.urls[which], self.depths[which], self.hops[which], self.flags[which])


NONE = Findings(
    np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.uint16), np.empty(0, np.uint8), np.empty(0, np.uint8)
)
"""No findings."""


def joined(some: Sequence[Findings]) -> Findings:
    """Several findings as one, in order: those of a rank stay in its own, but no longer stand together."""
    return Findings(*(np.concatenate([getattr(its, name) for its in some]) for name in Findings.__slots__))


def shortest_ways(findings: Findings) -> Findings:
    """Each rank's URLs once, at their first places, with the least depth and hops they stand there with."""
    if not len(findings):
        return findings
    keys = findings.ranks.astype(np.int64) * (int(findings.urls.max()) + 1) + findings.urls
    ways = ways_by_key(keys, findings.depths, findings.hops)
    return findings if ways is None else replace(findings.where(ways.firsts), depths=ways.depths, hops=ways.hops)
