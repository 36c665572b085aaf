"""The section of docs/scale.md that scripts/bench/structures.py measures."""

from itertools import groupby
from typing import Any

from crawler.drum.put_records import record_type
from crawler.intake.duplicates.content_seen import KIND as DOCUMENT
from scripts.irlbot.number_format import count, paragraphs, table

_TOLD = """\
## Structures by their size

`scripts/bench/structures.py`: each structure in a process of its own, with {memory} MiB of memory at every size;
{machine}.

- *bfs* and *budget*: URLs in {domains:,} domains are added to the ordering, and a twentieth is taken meanwhile.
  *budget* is BEAST with STAR, which has {memory} MiB more and counts a link between domains for each URL.
- *workbench*: what it has no room for, parked in a thousand queues, a twentieth brought back; what is on it is bounded.
- *url-seen*, *sent*: each URL comes as new, and once more later; *sent* hands each to one of four owners.
- *content-seen*: each document comes as new, and once more later; all questions are answered when 50,000 pages wait,
  as in a crawl whose spool is full, so that there are far more merges than memory would ask for.  Each reads, and
  writes, {document} bytes of every document so far, and comes after 25,000 new ones: of n documents that is
  {document} n / 50,000 bytes an entry, and {questions} for its two questions: {million:,.0f} at a million.  It is less
  where the first of them still were in memory.  Fewer merges would need more room on disk for pages that wait.

*Over the one before* is the CPU of an entry over that at the size above.  Bytes are those of system calls.

"""


def structures_section(figures: dict[str, Any]) -> str:
    """What was measured, as a section in Markdown."""
    document, questions = 8 + DOCUMENT.value.itemsize, 2 * record_type(DOCUMENT).itemsize
    told = paragraphs(
        _TOLD,
        memory=figures["memory"] >> 20,
        machine=figures["machine"],
        domains=figures["domains"],
        document=document,
        questions=questions,
        million=document * 1_000_000 / 50_000 + questions,
    )
    head = ["structure", "entries", "CPU µs", "over the one before", "read, B", "written, B", "memory grown by, MiB"]
    rows = []
    for structure, its in groupby(figures["rows"], lambda row: row["structure"]):
        before = None
        for row in its:
            entries = row["entries"]
            cpu = 1e6 * row["cpu"] / entries
            moved = [f"{row[name] / entries:.1f}" for name in ("read", "written")]
            ratio = "-" if before is None else f"{cpu / before:.2f}"
            rows.append([structure, count(entries), f"{cpu:.2f}", ratio, *moved, f"{row['grown'] / (1 << 20):.0f}"])
            before = cpu
    return told + table(head, rows)


_MERGING = """\
## Pages while URL-seen merges

`scripts/bench/merge_pace.py`: a whole rank with {keys} URLs seen, {memory} MiB of memory for them, and pages of 60
links, half of them new, that are there as soon as they are asked for; {merges} merges.  Time is CPU time of the rank.
A merge goes on in pieces, between pages (`crawler/rank/merge_share.py`): a fifth of the time, or what it needs to end
before the next is due.  Where an epoch closes, or the crawl begins with nothing else to do, it is made *in one go*,
since nothing that was found may be lost with an epoch; epochs are the longer for it.  {machine}.

"""


def merge_section(figures: dict[str, Any]) -> str:
    """What was measured of a rank that merges, as a section in Markdown."""
    names = ("keys", "memory", "merges", "machine")
    told = paragraphs(_MERGING, **{**{name: figures[name] for name in names}, "keys": count(figures["keys"])})
    usual = figures["before"]["pages"] / figures["before"]["seconds"]
    rows = []
    for name, words in (("before", "between merges"), ("merging", "during a merge"), ("closing", "in one go")):
        pace = figures[name]
        rate = pace["pages"] / pace["seconds"]
        longest = f"{1000 * pace['longest']:.0f}"
        rows.append(
            [words, f"{pace['pages']:,}", f"{pace['seconds']:.1f}", f"{rate:,.0f}", f"{rate / usual:.2f}", longest]
        )
    head = ["", "pages", "CPU s", "pages a CPU s", "of those between", "longest without a look at the network, ms"]
    return told + table(head, rows)
