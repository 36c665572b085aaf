"""What robots.txt files said: a gatekeeper that goes on asks for none again whose rules still hold.

What no longer holds is remembered too, as in a crawl that never stopped: it says how long a site wants to rest until
its robots.txt has come again, and how often that was not to be had.
"""

from collections.abc import Iterable
from datetime import datetime

import pyarrow as pa

from crawler.politeness.messages import keeper_of
from crawler.politeness.robots_cache import RobotsCache, unpacked
from sessions.url import site_of

COLUMNS = ("origin", "rules", "expires")
"""Those of the robots table that have to be read."""


def relearn_robots(
    batches: Iterable[pa.RecordBatch], cache: RobotsCache, *, rank: int, ranks: int, began: datetime, now: float
) -> None:
    """Have a cache learn again what rows of the robots table say of the origins that fall to ``rank`` of ``ranks``.

    Of an origin's rows, which come in order of time, the last counts.  ``began`` is the date and time at which the
    web's clock said ``now``, in seconds.
    """
    for batch in batches:
        for origin, rules, expires in zip(*(batch.column(name).to_pylist() for name in COLUMNS), strict=True):
            if rules is not None and keeper_of(site_of(f"{origin}/"), ranks) == rank:
                remembered = unpacked(origin, rules, now + (expires - began).total_seconds())
                if remembered is not None:
                    cache.learn(origin, remembered)
        cache.attend(now)
