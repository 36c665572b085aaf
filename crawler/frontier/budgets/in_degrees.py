"""What this rank counts of some domains for all: how many other domains link to each, and how many URLs wait.

Two DRUMs, since a DRUM's values have a fixed width: one knows the pairs (referring domain, domain) that have been
counted, the other the in-degrees by domain.  What the first finds unique adds 1 in the second, in which the numbers
of waiting URLs stand, too, by which ranks divide a budget.  (IRLbot, WWW 2008,
section 5.2, keeps neighbour lists instead.)
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.drum.drum import Drum
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import CHECK_UPDATE, Answers, Kind, UpdateRule
from crawler.frontier.budgets.ranking import Degrees, Histogram
from crawler.frontier.budgets.referrals import Referrals, pair_keys
from crawler.urls.batch import Mask
from crawler.urls.hash_table import HashTable
from sessions.url import Hashes

Waiting = npt.NDArray[np.int64]

_PAIR = Kind({}, np.dtype([("domain", "<u8")]))
_DEGREE = Kind({"degree": (np.dtype("<u4"), UpdateRule.ADD), "waiting": (np.dtype("<u4"), UpdateRule.ADD)})
_KEYS_A_RECORD = 8
"""A merge rewrites all keys: it is worth it once there is a record for each so many, and costs each of them little."""
_LATE_SHARE = 4
"""What waits for a merge of the numbers of waiting URLs has one part in so many of that."""
_DEGREES_SHARE = 8
"""The in-degrees have one part in so many of the memory: there are far fewer domains than pairs."""


class InDegrees:
    """This rank's shard, in ``budget`` bytes of memory and in files in ``folder``.

    A pair that waits in a bucket is not counted yet: in-degrees lag by what one merge takes, until `flush`.
    ``keep_alive`` serves again and again during a merge.  With ``in_pieces`` a merge of pairs that is due goes on by
    `merge_on`.
    """

    def __init__(
        self, folder: Path, budget: int, keep_alive: KeepAlive = NOTHING_TO_SERVE, *, in_pieces: bool = False
    ) -> None:
        self.histogram = Histogram()
        """The domains of this shard by in-degree, as far as pairs have been counted."""
        self._in_pieces = in_pieces
        share = budget // _DEGREES_SHARE
        self._late = HashTable({"waiting": np.uint32})
        self._most_late = share // _LATE_SHARE
        self._degrees = Drum(
            folder,
            "degrees",
            _DEGREE,
            budget=share,
            choose=_all,
            keep_alive=keep_alive,
        )
        self._pairs = Drum(folder, "pairs", _PAIR, budget=budget - share, keep_alive=keep_alive, in_pieces=in_pieces)

    def __len__(self) -> int:
        """Domains that are linked to, or of which URLs wait, as far as that was merged."""
        return len(self._degrees)

    @property
    def pending(self) -> int:
        """How much waits for a merge: pairs to be counted, and domains that have been counted more often."""
        return self._pairs.pending + self._degrees.pending

    def add(self, pairs: Referrals) -> None:
        """Note that domains refer to others; each pair counts once, however often it comes."""
        notes = np.empty(len(pairs.domains), _PAIR.note)
        notes["domain"] = pairs.domains
        self._count(self._pairs.put(pair_keys(pairs), CHECK_UPDATE, notes=notes))
        self._merge_degrees_if_worth_it()

    def wait(self, domains: Hashes, more: Waiting) -> None:
        """Note that of these domains so many more URLs wait on some rank, or fewer: uint64[n], int64[n]."""
        if not len(domains):
            return
        distinct, place = np.unique(domains, return_inverse=True)
        values = np.zeros(len(distinct), _DEGREE.value)
        np.add.at(values["waiting"], place, more.astype(np.uint32))
        self._note_late(distinct, values["waiting"])
        self._take_degrees(self._degrees.put(distinct, CHECK_UPDATE, values))
        if self._late.nbytes > self._most_late:
            self._take_degrees(self._degrees.flush())
        if not self._degrees.pending:
            self._late = HashTable({"waiting": np.uint32})

    def waiting(self, domains: Hashes) -> Waiting:
        """How many URLs of each domain wait on all ranks, by what they told: int64[n] for uint64[n].  Never late."""
        waiting = self._degrees.look_up(domains)[1]["waiting"].astype(np.uint32)
        slots = self._late.find(domains)
        is_late = slots >= 0
        waiting[is_late] += self._late.values["waiting"][slots[is_late]]
        return waiting.astype(np.int32).astype(np.int64)

    def restore(self, lots: Iterable[Referrals]) -> None:
        """Count pairs that came to an earlier run, each of them once."""
        for pairs in lots:
            self.add(pairs)
        self.flush()

    def look_up(self, domains: Hashes) -> Degrees:
        """The in-degree of each domain, without what waits: uint32[n] for uint64[n].  Merges nothing."""
        return np.ascontiguousarray(self._degrees.look_up(domains)[1]["degree"])

    def catch_up(self) -> None:
        """Count the pairs that wait, if they are many beside those that were counted; in pieces, begin to."""
        if _is_worth_merging(self._pairs) and not self._pairs.is_merging:
            self._count(self._pairs.begin_merge() if self._in_pieces else self._pairs.flush())
        self._merge_degrees_if_worth_it()

    @property
    def is_merging(self) -> bool:
        """Is there a merge of pairs to go on with?"""
        return self._pairs.is_merging

    @property
    def merge_lag(self) -> float:
        """How far it is behind the pairs that came since, as `crawler.drum.drum.Drum` has it."""
        return self._pairs.merge_lag

    def merge_on(self) -> None:
        """Do a piece of the merge of pairs that was begun."""
        self._count(self._pairs.merge_on())

    def flush(self) -> None:
        """Count every pair now."""
        self._count(self._pairs.flush())
        self._take_degrees(self._degrees.flush())

    def close(self) -> None:
        """Close the files."""
        self._pairs.close()
        self._degrees.close()

    def _merge_degrees_if_worth_it(self) -> None:
        if _is_worth_merging(self._degrees):
            self._take_degrees(self._degrees.flush())

    def _count(self, pairs: Iterator[Answers]) -> None:
        for unique in pairs:
            domains, referring = np.unique(unique.notes["domain"], return_counts=True)
            values = np.zeros(len(domains), _DEGREE.value)
            values["degree"] = referring
            self._take_degrees(self._degrees.put(domains, CHECK_UPDATE, values))

    def _note_late(self, domains: Hashes, more: npt.NDArray[np.uint32]) -> None:
        slots = self._late.find(domains)
        is_known = slots >= 0
        self._late.values["waiting"][slots[is_known]] += more[is_known]
        self._late.insert(domains[~is_known], {"waiting": more[~is_known]})

    def _take_degrees(self, degrees: Iterator[Answers]) -> None:
        for answers in degrees:
            slots = self._late.find(answers.keys)
            is_late = slots >= 0
            merged = answers.after["waiting"][is_late] - answers.before["waiting"][is_late]
            np.subtract.at(self._late.values["waiting"], slots[is_late], merged)
            self.histogram.move(answers.before["degree"], answers.after["degree"])


def _is_worth_merging(drum: Drum) -> bool:
    return drum.pending * _KEYS_A_RECORD >= len(drum)


def _all(answers: Answers) -> Mask:
    return np.ones(len(answers.keys), bool)
