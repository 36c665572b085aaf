"""The in-degrees of the domains that this rank counts for all: how many other domains link to each.

Two DRUMs, since a DRUM's values have a fixed width: one knows the pairs (referring domain, domain) that have been
counted, the other the in-degrees by domain.  What the first finds unique adds 1 in the second.  (IRLbot, WWW 2008,
section 5.2, keeps neighbour lists instead.)
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crawler.budgets.ranking import Degrees, Histogram
from crawler.budgets.referrals import Referrals, pair_keys
from crawler.drum.drum import Drum
from crawler.drum.kind import CHECK, CHECK_UPDATE, Answers, Kind, Rule
from crawler.urlbatch import Mask
from sessions.url import Hashes

_PAIR = Kind({}, np.dtype([("domain", "<u8")]))
_DEGREE = Kind({"degree": (np.dtype("<u4"), Rule.ADD)}, np.dtype([("lookup", "<u4")]))
_NO_LOOKUP = 0
"""The note beside an update; a lookup has its number among those of the round, from 1."""
_DEGREES_SHARE = 8
"""The in-degrees have one part in so many of the memory: there are far fewer domains than pairs."""


class InDegrees:
    """This rank's shard, in ``budget`` bytes of memory and in files in ``folder``; ``record`` as `commit` gave it.

    A pair that waits in a bucket is not counted yet: in-degrees lag by what one merge takes, until `flush`.
    """

    def __init__(self, folder: Path, budget: int, record: Mapping[str, Any] | None = None) -> None:
        self.histogram = Histogram()
        """The domains of this shard by in-degree, as far as pairs have been counted."""
        self._told = np.empty(0, np.uint32)
        known = record or {}
        share = budget // _DEGREES_SHARE
        self._degrees = Drum(
            folder,
            "degrees",
            _DEGREE,
            budget=share,
            answer=self._take_degrees,
            choose=_all,
            record=known.get("degrees"),
        )
        self._pairs = Drum(folder, "pairs", _PAIR, budget=budget - share, answer=self._count, record=known.get("pairs"))
        if record is not None:
            self._count_again()

    def __len__(self) -> int:
        """Domains with an in-degree of at least 1, as far as their pairs were merged."""
        return len(self._degrees)

    @property
    def pending(self) -> int:
        """Pairs that wait to be counted."""
        return self._pairs.pending

    def add(self, pairs: Referrals) -> None:
        """Note that domains refer to others; each pair counts once, however often it comes."""
        notes = np.empty(len(pairs.domains), _PAIR.note)
        notes["domain"] = pairs.domains
        self._pairs.put(pair_keys(pairs), CHECK_UPDATE, notes=notes)

    def look_up(self, domains: Hashes) -> Degrees:
        """The present in-degree of each domain: uint32[n] for uint64[n].  Merges the in-degrees if they are on disk."""
        self._told = np.zeros(len(domains), np.uint32)
        notes = np.empty(len(domains), _DEGREE.note)
        notes["lookup"] = np.arange(1, len(domains) + 1)
        self._degrees.put(domains, CHECK, notes=notes)
        if self._degrees.pending:
            self._degrees.flush()
        return self._told

    def flush(self) -> None:
        """Count every pair now."""
        self._pairs.flush()
        self._degrees.flush()

    def commit(self) -> dict[str, Any]:
        """Bring everything to disk; the record to reopen it from."""
        return {"pairs": self._pairs.commit(), "degrees": self._degrees.commit()}

    def committed(self, record: Mapping[str, Any]) -> None:
        """That record is safe: what only older ones need may go."""
        self._pairs.committed(record["pairs"])
        self._degrees.committed(record["degrees"])

    def close(self) -> None:
        """Close the files."""
        self._pairs.close()
        self._degrees.close()

    def _count(self, unique: Answers) -> None:
        domains, referring = np.unique(unique.notes["domain"], return_counts=True)
        values = np.empty(len(domains), _DEGREE.value)
        values["degree"] = referring
        notes = np.full(len(domains), _NO_LOOKUP, _DEGREE.note)
        self._degrees.put(domains, CHECK_UPDATE, values, notes)

    def _take_degrees(self, answers: Answers) -> None:
        lookups = answers.notes["lookup"]
        is_update = lookups == _NO_LOOKUP
        degrees = answers.after["degree"]
        self._told[lookups[~is_update] - 1] = degrees[~is_update]
        self.histogram.move(answers.before["degree"][is_update], degrees[is_update])

    def _count_again(self) -> None:
        """Fill the histogram from the in-degrees that were committed."""
        self._degrees.flush()
        self.histogram = Histogram()
        for _, values in self._degrees.blocks():
            self.histogram.move(np.zeros(len(values), np.uint32), values["degree"])


def _all(answers: Answers) -> Mask:
    return np.ones(len(answers.keys), bool)
