"""Which domains refer to which: what STAR has counted, counted again by the ranks that do so now."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from crawler.frontier.budgets.referrals import Referrals, owners
from crawler.frontier.budgets.star import Star

COLUMNS = ("source", "target")
"""Those of the referrals table."""


def recount_referrals(batches: Iterable[pa.RecordBatch], star: Star, *, rank: int, ranks: int) -> None:
    """Have STAR count those pairs in rows of the referrals table that ``rank`` of ``ranks`` counts."""
    star.restore(_own(batches, rank, ranks, by=1))


def keep_links(batches: Iterable[pa.RecordBatch], star: Star, *, rank: int, ranks: int) -> None:
    """Have STAR keep those pairs in rows of the referrals table whose referring domain ``rank`` of ``ranks`` counts."""
    star.restore_links(_own(batches, rank, ranks, by=0))


def _own(batches: Iterable[pa.RecordBatch], rank: int, ranks: int, *, by: int) -> Iterator[Referrals]:
    for batch in batches:
        sources, targets = (batch.column(name).to_numpy() for name in COLUMNS)
        is_own = owners((sources, targets)[by], ranks) == rank
        yield Referrals(sources[is_own], targets[is_own])
