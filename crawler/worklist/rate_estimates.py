"""How often each page of some sessions changes, by the contents of its visits, in memory that does not grow with them.

What the visits of a page tell goes to the rank of its site, since the pages of a site have a prior of their own if they
are enough.  The prior of all pages takes some passes over all of that; then one more adds up the posteriors of each
site, and a last one has each page's.  `crawler.worklist.change_rates` is what is computed.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.worklist.change_rates import (
    GRID,
    PAGES_OF_A_PRIOR,
    ROUNDS,
    Floats,
    chance_of_change,
    in_units,
    likelihoods,
    normalised,
    posteriors,
    worth_of_visit,
)
from crawler.worklist.fetches import UNCHANGED, VISIT, start_of
from crawler.worklist.sorted_streams import SortedLookup, group_starts, summed, sums_of_groups
from crawler.worklist.workspace import Workspace
from partition.map.spilled_batches import SpilledBatches

_RATES = [f"rate_{number}" for number in range(len(GRID))]
EVIDENCE = pa.schema(
    [("site", pa.uint64()), ("hash", pa.uint64()), ("last", pa.int64()), *((name, pa.float64()) for name in _RATES)]
)
"""Likelihoods of the rates of a page that was visited; ``last`` is the start of its last fetch, in microseconds."""
EVIDENCE_KEYS = ("site", "hash")
RATES = pa.schema([("hash", pa.uint64()), ("has_changed", pa.float64()), ("worth", pa.float64())])
"""The chance that a page has changed since its last fetch, and what a visit to it is worth, in days."""
_SITES = pa.schema([("hash", pa.uint64()), ("pages", pa.int64()), *((name, pa.int64()) for name in _RATES)])
_MICROSECONDS_PER_DAY = 86_400e6


def evidence_of(fetches: pa.RecordBatch, facts: pa.RecordBatch) -> pa.RecordBatch:
    """Return what the contents of all visits of some URLs tell: records of `EVIDENCE`.

    ``fetches`` are all those of the URLs, sorted by `FETCH_KEYS`; ``facts`` are theirs, in the same order.
    """
    is_visit = fetches["answer"].to_numpy() <= UNCHANGED
    urls = np.cumsum(np.isin(np.arange(fetches.num_rows), group_starts(fetches, "hash")))[is_visit] - 1
    starts = start_of(fetches)[is_visit]
    digests, answers = (fetches[name].to_numpy()[is_visit] for name in ("digest", "answer"))
    is_again = urls[1:] == urls[:-1]
    days = ((starts[1:] - starts[:-1]) / _MICROSECONDS_PER_DAY)[is_again]
    has_changed = ((digests[1:] != digests[:-1]) & (answers[1:] == VISIT))[is_again]
    found = likelihoods(urls[1:][is_again], days, has_changed, facts.num_rows)
    columns = [facts["site"], facts["hash"], facts["last"], *map(pa.array, found.T.copy())]
    evidence = pa.RecordBatch.from_arrays(columns, schema=EVIDENCE)
    return evidence.filter(pa.array(facts["visits"].to_numpy() > 0))


def estimated(workspace: Workspace, evidence: Iterable[pa.RecordBatch], now: int) -> SpilledBatches:
    """Return `RATES` of this rank's pages by hash, for ``now`` in microseconds since 1970; collective.

    ``evidence`` is that of all pages of the sites of this rank, sorted by `EVIDENCE_KEYS`.
    """
    kept = workspace.kept("evidence-by-site", EVIDENCE, evidence)
    prior = _prior_of_all(workspace, kept)
    sites = workspace.kept("sites", _SITES, sums_of_groups(_site_sums(kept, prior)))
    rates = workspace.gathered("rates-by-hash", _rates(kept, sites, prior, now), RATES, ["hash"])
    return workspace.kept("rates", RATES, rates.sorted())


def _prior_of_all(workspace: Workspace, evidence: SpilledBatches) -> Floats:
    prior = normalised(np.zeros(len(GRID), np.int64))
    for _ in range(ROUNDS):
        sums = np.zeros(len(GRID), np.int64)
        for batch in evidence.batches(0):
            sums += in_units(posteriors(_by_rate(batch), prior)).sum(axis=0)
        prior = normalised(workspace.ranks.summed(sums))
    return prior


def _site_sums(evidence: SpilledBatches, prior: Floats) -> Iterator[pa.RecordBatch]:
    """Yield how many pages each site has, and the sums of their posteriors."""
    for batch in evidence.batches(0):
        units = in_units(posteriors(_by_rate(batch), prior))
        columns = [batch["site"], pa.array(np.ones(batch.num_rows, np.int64)), *map(pa.array, units.T.copy())]
        yield summed(pa.RecordBatch.from_arrays(columns, schema=_SITES))


def _rates(evidence: SpilledBatches, sites: SpilledBatches, prior: Floats, now: int) -> Iterator[pa.RecordBatch]:
    lookup = SortedLookup(sites.batches(0), _SITES)
    for batch in evidence.batches(0):
        _, site = lookup.rows(batch["site"].to_numpy())
        has_own = site["pages"].to_numpy() >= PAGES_OF_A_PRIOR
        priors = np.where(has_own[:, None], normalised(_by_rate(site)), prior)
        posterior = posteriors(_by_rate(batch), priors)
        days = (now - batch["last"].to_numpy()) / _MICROSECONDS_PER_DAY
        columns = [batch["hash"], *map(pa.array, (chance_of_change(posterior, days), worth_of_visit(posterior, days)))]
        yield pa.RecordBatch.from_arrays(columns, schema=RATES)


def _by_rate(batch: pa.RecordBatch) -> npt.NDArray[Any]:
    """The columns of rates as one array: [n, 16]."""
    return np.stack([batch[name].to_numpy() for name in _RATES], axis=1)
