"""What robots.txt files said: a gatekeeper that goes on asks for none again whose rules still hold.

What no longer holds is remembered too, as in a crawl that never stopped: it says how long a site wants to rest until
its robots.txt has come again, and how often that was not to be had.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.politeness.messages import keeper_of
from crawler.politeness.robots_cache import RobotsCache, remembered_as, unpacked
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.hash_arrays import are_last, places
from sessions.url import Hashes, site_of, url_hashes

COLUMNS = ("origin", "rules", "expires")
"""Those of the robots table that have to be read."""
DATED_COLUMNS = (*COLUMNS, "fetched")
"""The same, and when they came."""


def newest(read: Callable[[], Iterable[pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of the robots table that were fetched last of their origin, with `DATED_COLUMNS`.

    ``read`` is called twice and gives all rows in any order: runs with several K, and files that were merged, leave
    those of an origin with several ranks.  Rows without rules count for nothing.  Memory holds 16 bytes an origin.
    """
    origins, times = np.empty(0, np.uint64), np.empty(0, np.int64)
    for batch in read():
        its, fetched = _dated(batch.filter(pc.is_valid(batch["rules"])))
        origins, times = np.concatenate([origins, its]), np.concatenate([times, fetched])
        order = np.lexsort((times, origins))
        order = order[are_last(origins[order])]
        origins, times = origins[order], times[order]
    for batch in read():
        rows = batch.filter(pc.is_valid(batch["rules"]))
        its, fetched = _dated(rows)
        yield rows.filter(pa.array(times[places(its, origins)] == fetched)) if len(its) else rows


def _dated(rows: pa.RecordBatch) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """Hash of the origin and time of each row."""
    return url_hashes(rows["origin"].to_pylist()), pc.cast(rows["fetched"], pa.int64()).to_numpy()


def relearn_robots(
    batches: Iterable[pa.RecordBatch],
    cache: RobotsCache,
    operators: RulesInForce,
    *,
    rank: int,
    ranks: int,
    began: datetime,
    now: float,
) -> None:
    """Have a cache learn again what rows of the robots table say of the origins that fall to ``rank`` of ``ranks``.

    Of an origin's rows the last counts (`newest`).  What was said to another name than the one that
    the ``operators`` rules give the crawler there now is not learnt.  ``began`` is the date and time at which the
    web's clock said ``now``, in seconds.
    """
    for batch in batches:
        for origin, rules, expires in zip(*(batch.column(name).to_pylist() for name in COLUMNS), strict=True):
            site = site_of(f"{origin}/")
            if rules is not None and keeper_of(site, ranks) == rank:
                name = remembered_as(origin, operators.agent_of(site))
                remembered = unpacked(name, rules, now + (expires - began).total_seconds())
                if remembered is not None:
                    cache.learn(name, remembered)
        cache.attend(now)
