"""The section of docs/scale.md that scripts/bench/structures.py measures."""

from collections.abc import Sequence
from itertools import groupby
from string import ascii_lowercase
from typing import Any

from crawler.drum.put_records import record_type
from crawler.intake.duplicates.content_seen import KIND as DOCUMENT
from crawler.intake.duplicates.pending_pages import SPOOL_BYTES, SPOOL_BYTES_OF_A_DOCUMENT
from scripts.irlbot.number_format import count, paragraphs, table

_TOLD = """\
## Structures by their size

`scripts/bench/structures.py`: each structure in a process of its own, with {memory} MiB of memory at every size, on
{machines}.

- *bfs* and *budget*: URLs in {domains:,} domains are added to the ordering, and a twentieth is taken meanwhile.
  *budget* is BEAST with STAR, which has {memory} MiB more and counts a link between domains for each URL.
- *workbench*: what it has no room for, parked in a thousand queues, a twentieth brought back; what is on it is bounded.
- *url-seen*, *sent*: each URL comes as new, and once more later; *sent* hands each to one of four owners.
- *content-seen*: each document comes as new, and once more later; all questions are answered when half of the room for
  waiting pages is taken, as in a crawl without epochs.  Each such merge reads, and writes, {document} bytes of every
  document so far.  It comes after {least:,} new ones until there are {few:.1f} M, and then, since the room grows with
  the documents, after a {part:.0f}th of them.  That makes {million:,.0f} bytes an entry at a million, {most:,.0f} at 50
  million, with {questions} for its two questions; where the first page of a document stands is written beside that.
  It is less where the first documents still were in memory.

*Over the one before* is the CPU of an entry over that at the size above, on the same machine.  Bytes are those of
system calls.

"""


PAGES_IN_SPOOL = 50_000
"""Pages of 10.7 kB that take half of a spool's room, while that is small: then all questions are answered."""
_DOCUMENT, _QUESTIONS = 8 + DOCUMENT.value.itemsize, 2 * record_type(DOCUMENT).itemsize
_NEW_IN_A_MERGE = PAGES_IN_SPOOL // 2
_FEW = SPOOL_BYTES // SPOOL_BYTES_OF_A_DOCUMENT
"""From so many documents on the room for waiting pages grows with them."""


def document_bytes(entries: int) -> float:
    """Bytes that content-seen reads, and writes, for each of so many documents, by what it is made to do."""
    few = min(entries, _FEW)
    at_first = _DOCUMENT * few**2 / (2 * _NEW_IN_A_MERGE)
    later = _DOCUMENT * (entries - few) * _FEW / _NEW_IN_A_MERGE
    return (at_first + later) / entries + _QUESTIONS


def structures_section(figures: dict[str, Any]) -> str:
    """What was measured, as a section in Markdown."""
    letters = _letters([row["machine"] for row in figures["rows"]])
    told = paragraphs(
        _TOLD,
        memory=figures["memory"] >> 20,
        machines="; ".join(f"{letter}: {machine}" for machine, letter in letters.items()),
        domains=figures["domains"],
        document=_DOCUMENT,
        questions=_QUESTIONS,
        least=_NEW_IN_A_MERGE,
        few=_FEW / 1e6,
        part=_FEW / _NEW_IN_A_MERGE,
        million=document_bytes(1_000_000),
        most=document_bytes(50_000_000),
    )
    head = [
        *("structure", "entries", "machine", "CPU µs", "over the one before"),
        *("read, B", "written, B", "memory grown by, MiB"),
    ]
    rows = []
    for structure, its in groupby(figures["rows"], lambda row: row["structure"]):
        before: dict[str, float] = {}
        for row in its:
            entries, machine = row["entries"], row["machine"]
            cpu = 1e6 * row["cpu"] / entries
            moved = [f"{row[name] / entries:.1f}" for name in ("read", "written")]
            ratio = f"{cpu / before[machine]:.2f}" if machine in before else "-"
            grown = f"{row['grown'] / (1 << 20):.0f}"
            rows.append([structure, count(entries), letters[machine], f"{cpu:.2f}", ratio, *moved, grown])
            before = {machine: cpu}
    return told + table(head, rows)


def _letters(machines: Sequence[str]) -> dict[str, str]:
    """A letter for each machine, in the order in which they come first."""
    return dict(zip(dict.fromkeys(machines), ascii_lowercase, strict=False))
