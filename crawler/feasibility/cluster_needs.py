"""What ranks need for a crawl of so many pages: memory, disk, network and time, from page costs and a model of disks.

The model is that of IRLbot's paper.  Sizes are bytes and decimal.  Each time is a bound of its own, as if nothing else
took any.
"""

from dataclasses import dataclass, fields
from math import ceil
from typing import cast

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.url_seen import KIND, drum_budget
from crawler.drum.put_records import record_type
from crawler.drum.shape import shape_for
from crawler.feasibility.budget_disk_model import Crawl, beast_disk_limit
from crawler.feasibility.drum_overhead_model import Load, drum_bytes, swept

SEEN_BUDGET = round(CrawlOptions().seen_memory * 2**20)
"""Memory of URL-seen on a rank by default."""
DISK_RATE = 101.25e6
"""Bytes/s of a disk, as the paper's worked example has it [W]."""
FIRST_DELAY = 40.0
"""Seconds between two requests to a site that has nothing but its first budget, as the paper has it."""
UPLINKS = (1e9, 10e9)
"""Bits/s of network links to the web that bounds are told for."""


@dataclass(frozen=True)
class PageCost:
    """What a page cost."""

    cpu_ms: float
    """CPU in milliseconds, URL-seen included."""
    received: float
    links: float
    wire: float
    """Bytes between ranks for a URL sent."""
    stored: float
    """Bytes of WARC files and tables."""
    base_memory: float
    """Memory of a rank."""


@dataclass(frozen=True)
class Needs:
    """What ``ranks`` ranks need for ``pages`` pages that cost as much as one did.

    ``budget`` is the memory of URL-seen on a rank, of which its DRUM has a part; ``unique`` the share of links that
    lead to URLs not seen before [p], ``url_bytes`` the mean URL [b].
    """

    cost: PageCost
    pages: float
    ranks: int
    budget: int = SEEN_BUDGET
    unique: float = Load.unique
    url_bytes: float = Load.url_bytes

    @property
    def pages_a_rank(self) -> float:
        """Pages of each rank, if they are spread evenly."""
        return self.pages / self.ranks

    @property
    def links_a_rank(self) -> float:
        """Links that the URL-seen of a rank is asked about."""
        return self.pages_a_rank * self.cost.links

    @property
    def keys_a_rank(self) -> float:
        """URLs that the URL-seen of a rank holds in the end."""
        return self.links_a_rank * self.unique

    @property
    def load(self) -> Load:
        """URL-seen as Theorem 2 has it."""
        key = 8 + KIND.value.itemsize
        record = record_type(KIND).itemsize - key
        return Load(key_bytes=key, url_bytes=record + self.url_bytes, unique=self.unique, known=0.0)

    @property
    def at_once(self) -> float:
        """Links between two merges."""
        shape = shape_for(drum_budget(self.budget), KIND)
        return float(shape.buckets * shape.bucket)

    @property
    def merges(self) -> int:
        """Merges of a rank's URL-seen."""
        return ceil(self.links_a_rank / self.at_once)

    @property
    def buckets(self) -> float:
        """Bytes that the buckets of a rank take before a merge."""
        return min(self.at_once, self.links_a_rank) * (self.load.key_bytes + self.load.url_bytes)

    @property
    def keys(self) -> float:
        """Bytes of a rank's sorted keys, in the end."""
        return self.keys_a_rank * self.load.key_bytes

    @property
    def frontier(self) -> float:
        """Bytes of a rank's URLs that wait, in the end."""
        return max(0.0, self.keys_a_rank - self.pages_a_rank) * self.url_bytes

    @property
    def sent_a_page(self) -> float:
        """URLs sent for a page, if each link goes to its owner."""
        return self.cost.links * (1 - 1 / self.ranks)

    @property
    def between_ranks(self) -> float:
        """Bytes sent to other ranks for a page."""
        return self.sent_a_page * self.cost.wire

    @property
    def seen_traffic(self) -> float:
        """Bytes that the URL-seen of a rank reads and writes."""
        return self.links_a_rank * drum_bytes(self.load, self.at_once, self.links_a_rank)

    @property
    def merge_traffic(self) -> float:
        """Those of them that are sorted keys, read and written in every merge."""
        return swept(self.load, self.links_a_rank) * self.links_a_rank / self.at_once

    @property
    def budget_traffic(self) -> float:
        """Bytes that the queues of a rank read and write under budgets."""
        crawl = Crawl(rate=1.0, url_bytes=self.url_bytes, unique_urls=max(1.0, self.cost.links * self.unique))
        return self.pages_a_rank * beast_disk_limit(crawl)

    @property
    def disk_traffic(self) -> float:
        """All bytes that a rank reads and writes."""
        return self.cost.stored * self.pages_a_rank + self.seen_traffic + self.budget_traffic

    @property
    def cpu_seconds(self) -> float:
        """CPU of a rank."""
        return self.pages_a_rank * self.cost.cpu_ms / 1000

    @property
    def received(self) -> float:
        """Bytes that all ranks receive."""
        return self.pages * self.cost.received


def other_budgets() -> float:
    """Bytes of memory that the options of a crawl grant to a rank beside URL-seen, by default."""
    defaults = {option.name: option.default for option in fields(CrawlOptions)}
    granted = (defaults[name] for name in defaults if name.endswith("_memory") and name != "seen_memory")
    return sum(cast(float, mebibytes) for mebibytes in granted) * 2**20
