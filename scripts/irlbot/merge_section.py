"""The section of docs/scale.md that scripts/bench/merge_pace.py measures."""

from statistics import median
from typing import Any

from scripts.irlbot.number_format import count, paragraphs, table

_TOLD = """\
## Pages while URL-seen merges

`scripts/bench/merge_pace.py`: a whole rank with {memory} MiB of memory for the URLs that it has seen, and pages of 60
links, half of them new, that are there as soon as they are asked for; medians of {merges} merges for each number of
URLs.  Time is CPU time of the rank, {machine}.  A merge goes on in pieces, between pages
(`crawler/rank/merge_share.py`): a fifth of the time, or what it needs to end before the next is due.  *Least* is the
pace during the slowest of the merges over that before it; *after* is not known where the next merge was begun at once.
*In one go* is how long what waits then takes to be merged at once, with no page read: the close of an epoch would take
that, did it not wait until a part of it is merged in pieces (`crawler/discovery/early_merge.py`).

"""
_ENOUGH_PAGES = 1000
_HEAD = ["URLs seen", "pages a CPU s before", "during", "after", "during / before", "least"]
_LONGEST = ["CPU s of a merge and its pages", "longest without a look at the network, ms", "in one go, s"]


def merge_section(figures: dict[str, Any]) -> str:
    """What was measured of a rank that merges, as a section in Markdown."""
    sizes = figures["sizes"]
    told = paragraphs(_TOLD, memory=figures["memory"], machine=figures["machine"], merges=len(sizes[0]["merges"]))
    return told + table([*_HEAD, *_LONGEST], [_row(size) for size in sizes])


def _row(size: dict[str, Any]) -> list[str]:
    merges = size["merges"]
    before, during, after = ([_rate(merge[name]) for merge in merges] for name in ("before", "merging", "after"))
    ratios = [mid / first for mid, first in zip(during, before, strict=True)]
    known = [rate for rate in after if rate]
    return [
        count(size["keys"]),
        f"{median(before):,.0f}",
        f"{median(during):,.0f}",
        f"{median(known):,.0f}" if known else "-",
        f"{median(ratios):.2f}",
        f"{min(ratios):.2f}",
        f"{median(merge['merging']['seconds'] for merge in merges):.1f}",
        f"{1000 * max(merge['merging']['longest'] for merge in merges):.0f}",
        f"{median(merge['in_one_go'] for merge in merges):.1f}",
    ]


def _rate(pace: dict[str, float]) -> float:
    """Pages a second; 0 if too few were read to tell."""
    return pace["pages"] / pace["seconds"] if pace["pages"] >= _ENOUGH_PAGES else 0.0
