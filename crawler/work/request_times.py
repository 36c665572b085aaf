"""When a result's requests were made: within the unit's time, and no two to a site or server within its delay."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.config.crawl_options import CrawlOptions
from crawler.work.refusals import Refusal
from crawler.work.unit import Unit
from sessions.session import Session
from sessions.url import site_of

CLOCKS_DIFFER = timedelta(minutes=10)
"""So much clocks may be off."""
_TOLERANCE_MICROSECONDS = 50_000
"""The time of a request is that of the volunteer's wall clock, which is set right now and then."""

Micros = npt.NDArray[np.int64]


def check_times(session: Session, unit: Unit, received: datetime) -> None:
    """Raise Refusal unless all requests of a session were made between a unit's export and the result's receipt."""
    starts = _requests(session)["fetched"]
    if not len(starts):
        return
    first, last = pc.min(starts).as_py(), pc.max(starts).as_py()
    if first < datetime.fromisoformat(unit.exported) - CLOCKS_DIFFER:
        raise Refusal("too-early", f"a request at {first:%Y-%m-%d %H:%M:%S}; the unit went out at {unit.exported}")
    if last > received + CLOCKS_DIFFER:
        raise Refusal("too-late", f"a request at {last:%Y-%m-%d %H:%M:%S}, after the result was handed in")


def check_delays(session: Session, unit: Unit) -> None:
    """Raise Refusal if two requests to a site, or to an address, began within its delay.

    What is known are the requests that were answered, and the last of those for a robots.txt.
    """
    requests = _requests(session)
    defaults = CrawlOptions()
    delay = unit.options.get("delay", defaults.delay)
    _check(requests, "site", delay, _crawl_delays(session))
    _check(
        requests.filter(pc.is_valid(requests["ip"])), "ip", unit.options.get("server_delay", defaults.server_delay), {}
    )


def _requests(session: Session) -> pa.Table:
    """Site, address and start of each request."""
    pages = session.read("pages", ["site", "ip", "fetched"])
    robots = session.read("robots", ["url", "ip", "fetched"])
    sites = pa.array([site_of(url) for url in robots["url"].to_pylist()], pa.string())
    return pa.concat_tables([pages, robots.drop_columns("url").add_column(0, "site", sites)])


def _crawl_delays(session: Session) -> dict[str, float]:
    """The shortest crawl-delay that a robots.txt of each site asks for, in seconds."""
    table = session.read("robots", ["origin", "crawl_delay"])
    delays: dict[str, float] = {}
    for origin, asked in zip(table["origin"].to_pylist(), table["crawl_delay"].to_pylist(), strict=True):
        site = site_of(f"{origin}/")
        delays[site] = min(delays.get(site, float("inf")), asked or 0.0)
    return delays


def _check(requests: pa.Table, by: str, delay: float, longer: dict[str, float]) -> None:
    """Raise Refusal at the first two requests to one place of column ``by`` that are closer than its delay."""
    ordered = requests.sort_by([(by, "ascending"), ("fetched", "ascending")])
    places: list[Any] = ordered[by].to_pylist()
    starts: Micros = ordered["fetched"].cast(pa.int64()).to_numpy()
    for row in range(1, len(places)):
        place, least = places[row], max(delay, longer.get(places[row], 0.0))
        gap = starts[row] - starts[row - 1]
        if place == places[row - 1] and gap < 1_000_000 * least - _TOLERANCE_MICROSECONDS:
            raise Refusal("delay", f"two requests to {place} within {gap / 1e6:.3f} s; its delay is {least:g} s")
