"""The section of docs/scale.md that scripts/bench/structures.py measures."""

from itertools import groupby
from typing import Any

from scripts.irlbot.number_format import count, paragraphs, table

_TOLD = """\
## Structures by their size

`scripts/bench/structures.py`: each structure in a process of its own, with {memory} MiB of memory at every size;
{machine}.

- *bfs* and *budget*: URLs in {domains:,} domains are added to the ordering, and a twentieth is taken meanwhile.
  *budget* is BEAST with STAR, which has {memory} MiB more and counts a link between domains for each URL.
- *workbench*: what it has no room for, parked in a thousand queues, a twentieth brought back; what is on it is bounded.
- *url-seen*, *sent*: each URL comes as new, and once more later; *sent* hands each to one of four owners.
- *content-seen*: each document comes as new, and once more later.

*Over the one before* is the CPU of an entry over that at the size above.  Bytes are those of system calls.

"""


def structures_section(figures: dict[str, Any]) -> str:
    """What was measured, as a section in Markdown."""
    told = paragraphs(_TOLD, memory=figures["memory"] >> 20, machine=figures["machine"], domains=figures["domains"])
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
