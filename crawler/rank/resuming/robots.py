"""What robots.txt files said: a gatekeeper that goes on asks for none again whose rules still hold.

What no longer holds is remembered too, as in a crawl that never stopped: it says how long a site wants to rest until
its robots.txt has come again, and how often that was not to be had.
"""

from collections.abc import Iterable
from datetime import datetime

import pyarrow as pa

from crawler.politeness.messages import keeper_of
from crawler.politeness.robots_cache import RobotsCache, remembered_as, unpacked
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.url import site_of

COLUMNS = ("origin", "rules", "expires")
"""Those of the robots table that have to be read."""


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

    Of an origin's rows, which come in order of time, the last counts.  What was said to another name than the one that
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
