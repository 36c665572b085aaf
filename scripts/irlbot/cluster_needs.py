"""What a cluster needs for a large crawl: the last section of docs/scale.md, from measured figures and assumptions."""

from dataclasses import dataclass, fields
from math import ceil
from typing import Any, cast

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.url_seen import KIND, drum_budget
from crawler.drum.put_records import record_type
from crawler.drum.shape import shape_for
from scripts.irlbot.budget_disk_model import Crawl, beast_disk_limit
from scripts.irlbot.drum_overhead_model import Load, drum_bytes, swept
from scripts.irlbot.number_format import count, size, table

PAGES, NODES = 10e9, 48
RANKS_A_NODE, CORES_A_NODE = 4, 2
SEEN_BUDGET = round(CrawlOptions().seen_memory * 2**20)
UNIQUE, URL_BYTES, DISK_RATE, PAPERS_RATE = Load.unique, Load.url_bytes, 101.25e6, 1_789.0
DELAY = 40.0
UPLINKS = (1e9, 10e9)
_DAY = 86_400.0

_TITLE = """\
## {pages} pages on {nodes} nodes

Computed from what was measured; what was not measured is assumed, and stands in a table of its own.  One network link
or disk that is faster or slower changes the figures that name it and no others.

### Measured

"""
_ASSUMED = """\

### Assumed

"""
_NEEDED = """\

### Needed

"""
_DAYS = """\

### Days

Each row is a bound of its own, as if nothing else took time; the crawl takes at least as long as the longest that
applies.  The first is the rate **without politeness**: what the processors can do if no delay is ever waited for.

"""
_NOT_COUNTED = """\

Politeness is what a crawl waits for if its frontier offers fewer sites than the last column: as many must be visited in
turn, with {delay:.0f} s between two requests to each: what a site waits that has nothing but its first budget.

Not counted: DNS, TLS, request headers, what protocols add on the wire, compaction of tables, and copies of anything.
"""


@dataclass(frozen=True)
class Needs:
    """What was measured, as a cluster's ranks would have it; sizes in bytes."""

    cpu_ms: float
    """CPU of a page, URL-seen on disk included."""
    received: float
    links: float
    wire: float
    """Bytes between ranks for a URL sent."""
    stored: float
    """Bytes of WARC and tables for a page."""
    base_memory: float
    budget: int
    """Memory of URL-seen on a rank, of which its DRUM has a part."""

    @property
    def ranks(self) -> int:
        """How many ranks share the crawl."""
        return NODES * RANKS_A_NODE

    @property
    def links_a_rank(self) -> float:
        """Links that the URL-seen of a rank is asked about."""
        return PAGES * self.links / self.ranks

    @property
    def keys_a_rank(self) -> float:
        """URLs that the URL-seen of a rank holds in the end."""
        return self.links_a_rank * UNIQUE

    @property
    def load(self) -> Load:
        """URL-seen as Theorem 2 has it."""
        key = 8 + KIND.value.itemsize
        return Load(key_bytes=key, url_bytes=record_type(KIND).itemsize - key + URL_BYTES, known=0.0)

    @property
    def at_once(self) -> float:
        """Links between two merges."""
        shape = shape_for(drum_budget(self.budget), KIND)
        return float(shape.buckets * shape.bucket)

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
        return max(0.0, self.keys_a_rank - PAGES / self.ranks) * URL_BYTES

    @property
    def sent_a_page(self) -> float:
        """URLs sent for a page, if each link goes to its owner."""
        return self.links * (1 - 1 / self.ranks)

    @property
    def between_ranks(self) -> float:
        """Bytes sent to other ranks for a page."""
        return self.sent_a_page * self.wire

    @property
    def seen_traffic(self) -> float:
        """Bytes that the URL-seen of a node reads and writes."""
        return RANKS_A_NODE * self.links_a_rank * drum_bytes(self.load, self.at_once, self.links_a_rank)

    @property
    def budget_traffic(self) -> float:
        """Bytes that the queues of a node read and write."""
        crawl = Crawl(rate=1.0, url_bytes=URL_BYTES, unique_urls=max(1.0, self.links * UNIQUE))
        return PAGES / NODES * beast_disk_limit(crawl)


def needs_of(figures: dict[str, Any]) -> Needs:
    """From the sections of docs/scale.json."""
    page, stored, drum = figures["page"], figures["stored"], figures["own"]["drum"]
    seen_ms = 1000 * page["links"] * drum["cpu"] / drum["operations"]
    return Needs(
        cpu_ms=page["process_cpu_ms"] + seen_ms,
        received=page["received_bytes"],
        links=page["links"],
        wire=page["wire_bytes"] / page["sent_urls"],
        stored=stored["warc"] + sum(stored["tables"].values()),
        base_memory=page["peak_rss"],
        budget=SEEN_BUDGET,
    )


def other_budgets() -> float:
    """Bytes of memory that the options of a crawl grant to a rank beside URL-seen, by default."""
    defaults = {option.name: option.default for option in fields(CrawlOptions)}
    granted = (defaults[name] for name in defaults if name.endswith("_memory") and name != "seen_memory")
    return sum(cast(float, mebibytes) for mebibytes in granted) * 2**20


def cluster_section(figures: dict[str, Any]) -> str:
    """Memory, disk, network and days."""
    needs = needs_of(figures)
    return "".join(
        [
            _TITLE.format(pages=count(PAGES).replace(" B", " billion"), nodes=NODES),
            _measured(needs, figures),
            _ASSUMED + _assumed(),
            _NEEDED + _needed(needs),
            _DAYS + _days(needs),
            _NOT_COUNTED.format(delay=DELAY),
        ]
    )


def _measured(needs: Needs, figures: dict[str, Any]) -> str:
    page, stored = figures["page"], figures["stored"]
    performance = f"[performance.md](performance.md), {page['ranks']} ranks, page-hash"
    seen = "`scripts/irlbot/bench_drum.py`, above"
    seen_ms = needs.cpu_ms - page["process_cpu_ms"]
    return table(
        ["what", "value", "where from"],
        [
            ["CPU of a page, ms", f"{page['process_cpu_ms']:.3f}", performance],
            ["CPU of URL-seen beside that, ms a page", f"{seen_ms:.3f}", f"{seen}: CPU an operation, times links"],
            ["received, bytes a page", f"{needs.received:,.0f}", performance],
            ["links a page", f"{needs.links:.1f}", performance],
            ["on the wire for a URL sent, bytes", f"{needs.wire:.1f}", performance],
            ["WARC, bytes a page", f"{stored['warc']:,.0f}", f"{stored['data']}, {stored['pages']:,} pages"],
            ["tables, bytes a page", f"{sum(stored['tables'].values()):,.0f}", "the same session"],
            ["memory of a rank, MB", f"{needs.base_memory / 1e6:.0f}", f"{performance}, at most"],
        ],
        words=3,
    )


def _assumed() -> str:
    return table(
        ["what", "value", "why"],
        [
            ["nodes", f"{NODES}", "the question"],
            ["ranks and cores a node", f"{RANKS_A_NODE}, {CORES_A_NODE}", "those of the machine measured"],
            ["memory of URL-seen on a rank, MiB", f"{SEEN_BUDGET >> 20}", "the default of `--seen-memory`"],
            ["links that lead to new URLs [p]", f"1/{1 / UNIQUE:.0f}", "the paper; our web is too small to say"],
            ["a URL, bytes [b]", f"{URL_BYTES:.0f}", "the paper"],
            ["links that other ranks own", "all but 1/K", "page-hash; an upper bound: a rank sends a URL once"],
            ["a node's disk, MB/s [W]", f"{DISK_RATE / 1e6:.2f}", "the paper's worked example"],
            ["delay of a site at first, s", f"{DELAY:.0f}", "the paper: 40 s x B0/B(x)"],
            ["merges of URL-seen", "as large as there is room", "they come earlier while its file is small"],
            ["pages are spread evenly over ranks", "yes", "hash; partitions are cut within 5%"],
        ],
        words=3,
    )


def _needed(needs: Needs) -> str:
    ranks = RANKS_A_NODE
    merges = ceil(needs.links_a_rank / needs.at_once)
    sizes = [
        ("memory: ranks", ranks * needs.base_memory, "as measured, with little in its budgets"),
        ("memory: URL-seen", ranks * needs.budget, f"{needs.budget >> 20} MiB a rank"),
        ("memory: other budgets", ranks * other_budgets(), "frontier, sent, documents, domains: the defaults"),
        ("disk: pages", PAGES / NODES * needs.stored, "WARC and tables"),
        ("disk: URL-seen, sorted keys", 2 * ranks * needs.keys, f"{count(needs.keys_a_rank)} keys a rank, old and new"),
        ("disk: URL-seen, buckets", ranks * needs.buckets, f"{count(needs.at_once)} links a rank, {merges} merges"),
        ("disk: URLs that wait", ranks * needs.frontier, "all new URLs that are not among the pages"),
        ("disk traffic: URL-seen", needs.seen_traffic, "Theorem 2, read and written"),
        ("disk traffic: budgets", needs.budget_traffic, "Theorem 5, at its limit"),
        ("network: pages", PAGES / NODES * needs.received, "received"),
        ("network: between ranks", PAGES / NODES * needs.between_ranks, f"{needs.sent_a_page:.0f} URLs a page"),
    ]
    rows = [[name, size(number), size(number * NODES), why] for name, number, why in sizes]
    return table(["what", "a node", "all nodes", "what it is"], rows, words=4)


def _days(needs: Needs) -> str:
    on_disk = needs.stored * PAGES / NODES + needs.seen_traffic + needs.budget_traffic
    keys = swept(needs.load, needs.links_a_rank) * needs.links_a_rank / needs.at_once * RANKS_A_NODE
    seconds = [
        ("processors, without politeness", PAGES * needs.cpu_ms / 1000 / NODES / CORES_A_NODE),
        ("disks: pages, URL-seen and budgets", on_disk / DISK_RATE),
        ("of it, merging keys", keys / DISK_RATE),
        *((f"an uplink of {rate / 1e9:.0f} Gb/s for all", PAGES * needs.received * 8 / rate) for rate in UPLINKS),
        (f"the paper's rate, {PAPERS_RATE:,.0f} pages/s", PAGES / PAPERS_RATE),
    ]
    rows = [
        [name, f"{PAGES / taken:,.0f}", f"{taken / _DAY:.2f}", count(PAGES / taken * DELAY)] for name, taken in seconds
    ]
    return table(["bound by", "pages/s", "days", "sites at a time"], rows)
