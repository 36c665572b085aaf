"""How fast each rank was in the last session: what the parts of the next should be in proportion to.

If a rank that does s pages a second gets s / S of the pages, S being the sum over ranks, all ranks are done at the same
time, and no other division of the pages is done sooner.  Source: the constant performance model of A. Kalinov and
A. Lastovetsky, "Heterogeneous Distribution of Computations Solving Linear Algebra Problems on Networks of Heterogeneous
Computers", Journal of Parallel and Distributed Computing 61 (2001).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sessions.session import Session

PAGE_STAGES = ("parse", "links")
"""The stages of a rank's loop that are in proportion to its own pages and to nothing else.

In fetch, exchange and other it also waits, for servers or for slower ranks, and waiting takes CPU time: with them a
rank that had been given little would look slow and be given less.  In seen it works on what others sent, in record on
epochs, of which rank 0 has more.
"""
LEAST_PAGES = 100
"""A rank with fewer is not measured: its first pages are slower than those that follow."""


class SpeedError(Exception):
    """A session that does not tell how fast ranks are; the message is one line that says why."""


def rank_speeds(session: Session, k: int) -> tuple[float, ...]:
    """The speed of each of ``k`` ranks in a session, in pages a second of CPU time.

    speed = pages fetched / CPU seconds in the `PAGE_STAGES`, over all runs of the session: what a rank's processor
    could do, and not how much it was given or how long it waited.  The numbers mean something beside each other only,
    since a page takes other stages, too.  Raises SpeedError if the session cannot tell.
    """
    where = session.path
    if "import" in session.header["configuration"]:
        raise SpeedError(f"{where}: was imported and not crawled, so no rank's speed was measured; give numbers")
    numbers = sorted({run.ranks for run in session.runs})
    if numbers != [k]:
        crawled = " and ".join(map(str, numbers))
        raise SpeedError(f"{where}: was crawled by K = {crawled}, which says nothing of {k} ranks; give numbers")
    reports = session.rank_reports()
    if not reports:
        raise SpeedError(f"{where}: no epoch is committed, so no rank's speed was measured; give numbers")
    return tuple(_speed(f"{where}: rank {rank}", report) for rank, report in enumerate(reports))


def shares_in_words(shares: Sequence[float] | None, *, are_measured: bool) -> str:
    """The ranks' shares for people, and where they are from; ``shares`` are relative to each other, None if equal."""
    if shares is None:
        return "equal"
    relative = [share / max(shares) for share in shares]  # first, lest the sum overflow
    told = ", ".join(f"{share / sum(relative):.1%}" for share in relative)
    if not are_measured:
        return f"{told}, as given"
    speeds = ", ".join(f"{speed:,.1f}" for speed in shares)
    return f"{told}, as measured: {speeds} pages a second of CPU time for parsing"


def _speed(who: str, report: Mapping[str, Any]) -> float:
    pages, cpu = int(report["fetched"]), report["cpu"]
    if pages < LEAST_PAGES:
        raise SpeedError(f"{who} fetched {pages} pages, too few to tell its speed ({LEAST_PAGES} do); give numbers")
    seconds = sum(float(cpu.get(stage, 0.0)) for stage in PAGE_STAGES)
    if not seconds > 0:
        raise SpeedError(f"{who} has no CPU time for its pages on record, so its speed is not known; give numbers")
    return pages / seconds
