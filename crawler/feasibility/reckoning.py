"""What a web of so many pages would take on so many ranks, if a page costs what it did in a session.

How many URLs wait is that of a `RandomWeb` with the session's links; what ranks need is `Needs`.  What the session does
not tell is left out, and named.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from crawler.feasibility.cluster_needs import DISK_RATE, UPLINKS, Needs, PageCost, other_budgets
from crawler.feasibility.page_costs import SessionCosts
from crawler.feasibility.random_web import Peak, RandomWeb
from crawler.feasibility.volunteer_needs import crawl_seconds

DAY = 86_400.0
AS_CRAWLED = "the rate of the session, delays and all"
_UPLINK = "an uplink"


class FeasibilityError(Exception):
    """Pages that nothing can be reckoned for; the message is one line that says why."""


@dataclass(frozen=True)
class Reckoning:
    """What ``pages`` pages take on ``ranks`` ranks.

    Attributes:
        costs: of a page, from the session.
        peak: when most URLs wait, and how many, if links lead anywhere with equal chance.
        seconds: by what bounds the crawl, how long it takes at least if nothing else took time.
        memory, disk, network: bytes of all ranks, by what they are for.
        left_out: what the session does not tell.
    """

    pages: int
    ranks: int
    costs: SessionCosts
    peak: Peak
    seconds: Mapping[str, float]
    memory: Mapping[str, float]
    disk: Mapping[str, float]
    network: Mapping[str, float]
    left_out: tuple[str, ...]

    @property
    def longest(self) -> str:
        """The bound that decides, whatever the uplink to the web."""
        ours = [bound for bound in self.seconds if not bound.startswith(_UPLINK)]
        return max(ours, key=self.seconds.__getitem__)

    def as_dict(self) -> dict[str, Any]:
        """For machines: bytes, seconds, and the costs of a page as `SessionCosts` has them."""
        return {
            "pages": self.pages,
            "ranks": self.ranks,
            "costs": asdict(self.costs),
            "pending": self.peak._asdict(),
            "seconds": dict(self.seconds),
            "memory": dict(self.memory),
            "disk": dict(self.disk),
            "network": dict(self.network),
            "left_out": list(self.left_out),
        }


def reckon(costs: SessionCosts, pages: int, ranks: int) -> Reckoning:
    """Reckon what ``pages`` pages take on ``ranks`` ranks.

    Raises FeasibilityError if the pages are not more than the links of one, for then a page knows all others.
    """
    if pages <= costs.links:
        raise FeasibilityError(
            f"--pages {pages:,}: a page of the session has {costs.links:.1f} links in the mean; the web must have more "
            "pages than that"
        )
    needs = Needs(
        PageCost(
            costs.cpu_ms or 0.0, costs.received, costs.links, costs.wire or 0.0, costs.stored, costs.base_memory or 0.0
        ),
        pages,
        ranks,
        url_bytes=costs.url_bytes,
    )
    peak = RandomWeb(pages, costs.links).peak()
    return Reckoning(
        pages,
        ranks,
        costs,
        peak,
        _seconds(needs, costs),
        _memory(needs, costs),
        {
            "pages: WARC files and tables": pages * costs.stored,
            "URL-seen: sorted keys, old and new": 2 * ranks * needs.keys,
            "URL-seen: buckets": ranks * needs.buckets,
            "URLs that wait, at the peak": peak.pending * costs.url_bytes,
        },
        _network(needs, costs),
        tuple(_left_out(costs, ranks)),
    )


def _seconds(needs: Needs, costs: SessionCosts) -> dict[str, float]:
    bounds = {}
    if costs.rank_rate:
        rate = costs.rank_rate * needs.ranks
        bounds[AS_CRAWLED] = crawl_seconds(needs.pages, rate, costs.new_share or 1.0)
    if costs.cpu_ms is not None:
        bounds["processors, a core for each rank"] = needs.cpu_seconds
    bounds[f"disks, {DISK_RATE / 1e6:.0f} MB/s for each rank"] = needs.disk_traffic / DISK_RATE
    return bounds | {f"{_UPLINK} of {rate / 1e9:.0f} Gb/s for all": needs.received * 8 / rate for rate in UPLINKS}


def _memory(needs: Needs, costs: SessionCosts) -> dict[str, float]:
    process = (
        {} if costs.base_memory is None else {"processes, as in the session": needs.ranks * needs.cost.base_memory}
    )
    return process | {
        "URL-seen, the default of --seen-memory": float(needs.ranks * needs.budget),
        "all other budgets at their defaults": needs.ranks * other_budgets(),
    }


def _network(needs: Needs, costs: SessionCosts) -> dict[str, float]:
    received = {"pages received": needs.received}
    return received if costs.wire is None else received | {"between ranks": needs.pages * needs.between_ranks}


def _left_out(costs: SessionCosts, ranks: int) -> Iterator[str]:
    if costs.cpu_ms is None:
        yield "processors, memory of processes, and the rate as crawled: the session was imported or replayed"
    if costs.wire is None and ranks > 1:
        yield "bytes between ranks: the session's ranks sent each other no URLs"
