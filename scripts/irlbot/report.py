"""docs/scale.md, from the figures in docs/scale.json."""

from typing import Any

from crawler.feasibility.budget_disk_model import Crawl
from scripts.irlbot.cluster_needs import cluster_section
from scripts.irlbot.drum_section import beside_section, drum_section
from scripts.irlbot.frontier_section import frontier_sections, rank_section
from scripts.irlbot.merge_section import merge_section
from scripts.irlbot.number_format import beside, count, paragraphs, table
from scripts.irlbot.plots import DISK_RATE, OVERHEAD
from scripts.irlbot.spam_section import spam_section
from scripts.irlbot.structures_section import structures_section

_PREFACE = """\
# Billions of pages

Written by `scripts/irlbot/__main__.py --save`, and by the scripts that are named below when they measure; no number
here was typed, but for what the paper prints.  {software}.

The paper is H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, *IRLbot: Scaling to 6 Billion Pages and Beyond*, WWW 2008: one
machine, 6.3 billion pages in 41 days.  It names what stops a crawler that grows, and what a page then costs:

1. **URL-seen.**  Every link is looked up among all URLs ever seen.  They do not fit in memory, and a lookup on disk is
   a seek.  So links are gathered and merged with a sorted file, and what that costs grows with the crawl.
2. **The frontier.**  A page brings more new URLs than one.  Spam and endless sites bring most, and breadth-first order
   follows them.  Budgets hold them back; what is held back waits on disk, and is read and written again.
3. **Politeness.**  URLs that enter memory faster than their site may be visited fill it.

First the paper's model of both disk costs, reproduced; then what is ours, measured; then what a cluster would need.
Sizes are decimal: 1 GB is 10^9 bytes, M, B and T are 10^6, 10^9 and 10^12; only MiB is 2^20.
"""
_OVERHEAD = """\
## What URL-seen costs the disk

The **overhead** w is what a method reads and writes over the bytes of all URLs that it is asked about: w = 3 means that
a link of 110 bytes moves 330.  All three methods gather links in memory and merge them with a file of all URLs seen.

- *Mercator-B* keeps a hash of each link in memory, and merges when that is full.
- *Polybot* keeps whole URLs in a tree.
- *DRUM* spreads links over buckets on disk; memory only buffers them, and sorts one bucket at a time.  So a merge takes
  as many links as the disk has room for, and there are fewer merges.

Every merge reads and writes all keys, and the number of merges grows with the crawl: the product is what makes w grow.
The model (Theorems 1 to 3) is in `crawler/feasibility/drum_overhead_model.py`.

![overhead by the size of the crawl](scale-overhead.svg)

### Table 2: w with R = 1 GB of memory and D = 4.39 TB of disk

*Deviation* is ours over the printed figure, in percent.  Some figures are printed truncated, not rounded: the last
column says how the printed one comes from ours.  Where that explains it, a deviation above 1% is one of digits alone.

"""
_TABLE_3 = """\
### Table 3: w if the disk grows with the crawl

D = max(pHn, 1 TB): as much disk for buckets as the keys take.  DRUM's w then stays where it is, until memory becomes
what limits a merge.

"""
_READINGS = """\
### Constants that the text and the printed figures do not share

"""
_BUDGETS = """\
## What budgets cost the disk

Each domain has a budget, a number of pages in a pass; a URL beyond it waits for a later pass.  The crawl of the paper's
example has {domains} domains with {budget:.0f} pages each, so after {first} pages a second pass begins.  If
what waits is one queue, each pass reads and writes all of it.  *BEAST* has j queues, each for one pass, and doubles j
whenever all were read once.  The model (Theorems 4 and 5) is in `crawler/feasibility/budget_disk_model.py`.

![disk rate by the size of the crawl](scale-disk-rate.svg)

"""


def as_markdown(figures: dict[str, Any]) -> str:
    """The page, from the figures in docs/scale.json."""
    assert OVERHEAD in _OVERHEAD
    assert DISK_RATE in _BUDGETS
    paper = figures["paper"]
    parts = [_PREFACE.format(**figures), _OVERHEAD + _table_2(paper), _TABLE_3 + _table_3(paper)]
    parts += [_example(paper["example"]), _READINGS + _readings(paper), _budgets_text() + _budgets(paper)]
    if "own" in figures:
        parts.append(drum_section(figures["own"]))
        if "beside" in figures["own"]:
            parts.append(beside_section(figures["own"]))
    if "beast" in figures:
        parts.append(frontier_sections(figures["beast"]))
    if "rank" in figures:
        parts.append(rank_section(figures["rank"]))
    if "structures" in figures:
        parts.append(structures_section(figures["structures"]))
    if "merging" in figures:
        parts.append(merge_section(figures["merging"]))
    if "spam" in figures:
        parts.append(spam_section(figures["spam"]))
    if {"own", "page", "stored"} <= figures.keys():
        parts.append(cluster_section(figures))
    return "\n".join(parts)


def _budgets_text() -> str:
    crawl = Crawl()
    first = count(crawl.budget * crawl.domains)
    return paragraphs(_BUDGETS, domains=count(crawl.domains), budget=crawl.budget, first=first)


def _table_2(paper: dict[str, Any]) -> str:
    head = ["method", "pages", "w", "printed", "deviation, %", "printed as"]
    return table(head, ([row["method"], count(row["pages"]), *beside(row)] for row in paper["table_2"]))


def _table_3(paper: dict[str, Any]) -> str:
    rows = paper["table_3"]
    columns = list(dict.fromkeys((row["method"], row["memory"]) for row in rows))
    found = {(row["method"], row["memory"], row["pages"]): row["ours"] for row in rows}
    sizes = list(dict.fromkeys(row["pages"] for row in rows))
    return table(
        ["pages", *(f"{method}, R = {memory / 1e9:.0f} GB" for method, memory in columns)],
        ([count(pages), *(f"{found[*column, pages]:,.2f}" for column in columns)] for pages in sizes),
        words=0,
    )


def _example(example: dict[str, Any]) -> str:
    head = ["worked example: 8 T pages, R = 8 GB", "ours", "printed", "deviation, %", "printed as"]
    rate = f"pages/s that URL-seen allows (S_disk), W = {example['disk_rate'] / 1e6:.2f} MB/s"
    return table(head, [["w", *beside(example["overhead"], 3)], [rate, *beside(example["rate"], 1)]])


def _readings(paper: dict[str, Any]) -> str:
    head = ["figure", "with", "ours", "printed", "deviation, %", "printed as"]
    return table(head, ([row["what"], row["constant"], *beside(row)] for row in paper["readings"]), words=2)


def _budgets(paper: dict[str, Any]) -> str:
    head = ["pages", "passes", "one queue, MB/s", "printed", "deviation, %", "printed as", "BEAST, MB/s", "queues"]
    rows = []
    for row in paper["budgets"]:
        queues = f"{row['queues']['ours']} (printed: {row['queues']['printed'] or '-'})"
        beast = f"{row['beast']['ours']:.2f}"
        rows.append([count(row["pages"]), f"{row['passes']:.1f}", *beside(row["naive"]), beast, queues])
    ours, printed, deviation, _ = beside(paper["limit"])
    limit = f"BEAST stays below {ours} MB/s (printed: {printed}; {deviation}%), however large the crawl."
    return f"{table(head, rows, words=0)}\n{limit}\nA dash: the printed figure is not known here.\n"
