"""What a crawl says when it has ended: why, and what one may want to do next."""

from collections import Counter
from pathlib import Path

from crawler.verdict import Ending
from sessions.session import Session

_ADVICE = {
    "internal-address": "addresses inside a network are visited if --allow-net ADDRESS/BITS names them",
    "robots": "the sites' robots.txt files ask crawlers to stay away",
}


def last_words(out: Path, ending: Ending) -> str:
    """One line, and another if nothing came of the crawl."""
    words = f"crawl ended: {ending}; see it with: cutweb info {out}{further(out, ending)}"
    nothing = in_the_way(Session.open(out))
    return f"{words}\n{nothing}" if nothing else words


def further(out: Path, ending: Ending) -> str:
    """How to go on with a crawl, as the end of a sentence; one that a limit has ended needs a higher one."""
    if ending == Ending.COMPLETE:
        return ""
    limit = f" --{ending} MORE" if ending in (Ending.MAX_PAGES, Ending.MAX_SECONDS) else ""
    return f"; go on with: cutweb crawl --resume {out}{limit}"


def in_the_way(session: Session) -> str:
    """Of a session without a single page, why its URLs were not fetched; else nothing."""
    reports = session.rank_reports()
    if any(report["fetched"] for report in reports):
        return ""
    reasons: Counter[str] = Counter()
    for report in reports:
        for state in ("failed", "filtered"):
            reasons.update(report["reasons"][state])
    if not reasons:
        return ""
    told = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
    advice = [_ADVICE[reason] for reason, _ in reasons.most_common() if reason in _ADVICE]
    return f"nothing was fetched: {'; '.join([told, *advice])}"
