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
