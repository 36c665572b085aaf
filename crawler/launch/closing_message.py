"""What a crawl says when it has ended: why, what one may want to do next, and its exit code.

Where it cannot go on because of its session's folder (full, read-only, vanished, another run's), it says that.
"""

import errno
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from crawler.exchange.verdict import Ending
from crawler.pages.link_verification import OF_HEADS
from crawler.process.exit_codes import ExitCode
from crawler.process.printing import counted, number
from crawler.process.problems import problem_of
from partition.assignment.hashing import PageHash
from partition.choices import ASSIGNMENTS
from sessions.counters import COUNTERS
from sessions.schema import FILTERED
from sessions.session import Session, SessionError
from sessions.url import domain_of
from sessions.writing.commit import FencedError

_ADVICE = {
    "internal-address": "addresses inside a network are visited if --allow-net ADDRESS/BITS names them",
    "robots": "the sites' robots.txt files ask crawlers to stay away",
    "tls-untrusted": "servers whose certificates another authority has signed are trusted if --ca-cert FILE names it",
}


class Closing(NamedTuple):
    """What is said at the end, and the exit ``code`` of all ranks."""

    words: str
    code: int = 0


def closing(session: Session, ending: Ending) -> Closing:
    """One line on the crawl, others on verified links, ranks that had nothing to do and why nothing was fetched.

    The exit code says so if nothing was fetched, by any run, unless the crawl was asked to stop.
    """
    out = session.path
    words = f"crawl ended: {ending}; see it with: cutweb info {out}{further(out, ending)}"
    words = "\n".join(filter(None, (words, verified_links(session))))
    if any(report["fetched"] for report in session.rank_reports()):
        return Closing("\n".join(filter(None, (words, idle_ranks(session)))))
    return Closing(f"{words}\n{in_the_way(session)}", 0 if ending == Ending.SIGNAL else ExitCode.NOTHING_FETCHED)


def further(out: Path, ending: Ending) -> str:
    """How to go on with a crawl, as the end of a sentence; one that a limit has ended needs a higher one."""
    if ending == Ending.COMPLETE:
        return ""
    if ending == Ending.WORKLIST:
        return f"; what to fetch next says: cutweb worklist {out} --out WORKLIST"
    limit = f" --{ending} MORE" if ending in (Ending.MAX_PAGES, Ending.MAX_SECONDS) else ""
    return f"; go on with: cutweb crawl --resume {out}{limit}"


def verified_links(session: Session) -> str:
    """What verifying links has cost, and how many URLs it has filtered; empty if no HEAD was sent."""
    reports = session.rank_reports()
    requests, seconds, size = (
        COUNTERS[name].total(reports) for name in ("head_requests", "head_seconds", "head_bytes")
    )
    if not requests:
        return ""
    filtered = COUNTERS["reasons"].total(reports)[FILTERED]
    refused = sum(count for reason, count in filtered.items() if reason.startswith(OF_HEADS))
    cost = f"{counted(requests, 'HEAD')}, {number(seconds)} s, {size:,} bytes"
    return f"links verified: {cost}; {counted(refused, 'URL')} filtered by them"


def idle_ranks(session: Session) -> str:
    """How many ranks own no URL at all, and what would change that; empty if each has some, or owners have changed."""
    reports = session.rank_reports()
    idle = sum(not report["discovered"] for report in reports)
    if not 0 < idle < len(reports) or session.has_moved:
        return ""
    told = f"{idle:,} of {len(reports):,} ranks own nothing"
    assignment = session.header["assignment"]
    unit = ASSIGNMENTS.load(assignment).unit if assignment in ASSIGNMENTS else "page"
    if unit == "page":
        return told
    units = set(session.read("pages", ["site"])["site"].unique().to_pylist())
    if unit == "domain":
        units = set(map(domain_of, units))
    count = counted(len(units), unit)
    return f"{told}: {count}, assigned by hash of the {unit}; --assign {PageHash.name} spreads the pages"


def in_the_way(session: Session) -> str:
    """Of a session without a single page, why its URLs were not fetched."""
    reasons: Counter[str] = Counter()
    for report in session.rank_reports():
        for state in ("failed", "filtered"):
            reasons.update(report["reasons"][state])
    told = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common()) or "all URLs are queued still"
    advice = [_ADVICE[reason] for reason, _ in reasons.most_common() if reason in _ADVICE]
    return f"nothing was fetched: {'; '.join([told, *advice])}"


_OF_FILES = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ESTALE, errno.ENODEV, errno.ENXIO),
    *(errno.EMFILE, errno.ENFILE, errno.ENAMETOOLONG, errno.ENOTEMPTY, errno.EREMOTEIO),
}


def reason_of(error: BaseException) -> str | None:
    """Why a run ends, in one line, if files are to blame, as they may be on any machine; None if the program is."""
    if isinstance(error, SessionError):
        return str(error)
    return problem_of(error) if isinstance(error, OSError) and error.errno in _OF_FILES else None


def what_is_left(error: BaseException, folder: Path | None) -> str:
    """What there still is of the session, as the end of a sentence, and how to go on with it."""
    if folder is None or isinstance(error, FencedError):
        return ""
    try:
        session = Session.open(folder)
    except SessionError as unreadable:
        return f"; the session cannot be read any more ({unreadable})"
    count = session.last_epoch
    kept = f"everything up to epoch {count} is kept" if count else "no epoch was committed"
    further = f"; once that is mended, go on with: cutweb crawl --resume {folder}" if session.seeds else ""
    return f"; {kept}{further}"
