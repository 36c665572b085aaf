"""What a cluster needs for a large crawl: the last section of docs/scale.md, from measured figures and assumptions."""

from typing import Any

from crawler.feasibility.cluster_needs import (
    DISK_RATE,
    FIRST_DELAY,
    SEEN_BUDGET,
    UPLINKS,
    Needs,
    PageCost,
    other_budgets,
)
from crawler.feasibility.drum_overhead_model import Load
from scripts.irlbot.number_format import count, size, table

PAGES, NODES = 10e9, 48
RANKS_A_NODE, CORES_A_NODE = 4, 2
PAPERS_RATE = 1_789.0
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


def needs_of(figures: dict[str, Any]) -> Needs:
    """From the sections of docs/scale.json."""
    page, stored, drum = figures["page"], figures["stored"], figures["own"]["drum"]
    seen_ms = 1000 * page["links"] * drum["cpu"] / drum["operations"]
    cost = PageCost(
        cpu_ms=page["process_cpu_ms"] + seen_ms,
        received=page["received_bytes"],
        links=page["links"],
        wire=page["wire_bytes"] / page["sent_urls"],
        stored=stored["warc"] + sum(stored["tables"].values()),
        base_memory=page["peak_rss"],
    )
    return Needs(cost, PAGES, NODES * RANKS_A_NODE)


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
            _NOT_COUNTED.format(delay=FIRST_DELAY),
        ]
    )


def _measured(needs: Needs, figures: dict[str, Any]) -> str:
    page, stored = figures["page"], figures["stored"]
    performance = f"[performance.md](performance.md), {page['ranks']} ranks, page-hash"
    seen = "`scripts/irlbot/bench_drum.py`, above"
    cost = needs.cost
    seen_ms = cost.cpu_ms - page["process_cpu_ms"]
    return table(
        ["what", "value", "where from"],
        [
            ["CPU of a page, ms", f"{page['process_cpu_ms']:.3f}", performance],
            ["CPU of URL-seen beside that, ms a page", f"{seen_ms:.3f}", f"{seen}: CPU an operation, times links"],
            ["received, bytes a page", f"{cost.received:,.0f}", performance],
            ["links a page", f"{cost.links:.1f}", performance],
            ["on the wire for a URL sent, bytes", f"{cost.wire:.1f}", performance],
            ["WARC, bytes a page", f"{stored['warc']:,.0f}", f"{stored['data']}, {stored['pages']:,} pages"],
            ["tables, bytes a page", f"{sum(stored['tables'].values()):,.0f}", "the same session"],
            ["memory of a rank, MB", f"{cost.base_memory / 1e6:.0f}", f"{performance}, at most"],
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
            ["links that lead to new URLs [p]", f"1/{1 / Load.unique:.0f}", "the paper; our web is too small to say"],
            ["a URL, bytes [b]", f"{Load.url_bytes:.0f}", "the paper"],
            ["links that other ranks own", "all but 1/K", "page-hash; an upper bound: a rank sends a URL once"],
            ["a node's disk, MB/s [W]", f"{DISK_RATE / 1e6:.2f}", "the paper's worked example"],
            ["delay of a site at first, s", f"{FIRST_DELAY:.0f}", "the paper: 40 s x B0/B(x)"],
            ["merges of URL-seen", "as large as there is room", "they come earlier while its file is small"],
            ["pages are spread evenly over ranks", "yes", "hash; partitions are cut within 5%"],
        ],
        words=3,
    )


def _needed(needs: Needs) -> str:
    ranks = RANKS_A_NODE
    sizes = [
        ("memory: ranks", ranks * needs.cost.base_memory, "as measured, with little in its budgets"),
        ("memory: URL-seen", ranks * needs.budget, f"{needs.budget >> 20} MiB a rank"),
        ("memory: other budgets", ranks * other_budgets(), "frontier, sent, documents, domains, sites: the defaults"),
        ("disk: pages", PAGES / NODES * needs.cost.stored, "WARC and tables"),
        ("disk: URL-seen, sorted keys", 2 * ranks * needs.keys, f"{count(needs.keys_a_rank)} keys a rank, old and new"),
        (
            "disk: URL-seen, buckets",
            ranks * needs.buckets,
            f"{count(needs.at_once)} links a rank, {needs.merges} merges",
        ),
        ("disk: URLs that wait", ranks * needs.frontier, "all new URLs that are not among the pages"),
        ("disk traffic: URL-seen", ranks * needs.seen_traffic, "Theorem 2, read and written"),
        ("disk traffic: budgets", ranks * needs.budget_traffic, "Theorem 5, at its limit"),
        ("network: pages", needs.received / NODES, "received"),
        ("network: between ranks", PAGES / NODES * needs.between_ranks, f"{needs.sent_a_page:.0f} URLs a page"),
    ]
    rows = [[name, size(number), size(number * NODES), why] for name, number, why in sizes]
    return table(["what", "a node", "all nodes", "what it is"], rows, words=4)


def _days(needs: Needs) -> str:
    seconds = [
        ("processors, without politeness", RANKS_A_NODE * needs.cpu_seconds / CORES_A_NODE),
        ("disks: pages, URL-seen and budgets", RANKS_A_NODE * needs.disk_traffic / DISK_RATE),
        ("of it, merging keys", RANKS_A_NODE * needs.merge_traffic / DISK_RATE),
        *((f"an uplink of {rate / 1e9:.0f} Gb/s for all", needs.received * 8 / rate) for rate in UPLINKS),
        (f"the paper's rate, {PAPERS_RATE:,.0f} pages/s", PAGES / PAPERS_RATE),
    ]
    rows = [
        [name, f"{PAGES / taken:,.0f}", f"{taken / _DAY:.2f}", count(PAGES / taken * FIRST_DELAY)]
        for name, taken in seconds
    ]
    return table(["bound by", "pages/s", "days", "sites at a time"], rows)
