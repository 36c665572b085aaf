"""What a report of a session tells, gathered."""

from dataclasses import dataclass
from typing import Any

from sessions.analysis.completeness import Incomplete, incomplete
from sessions.analysis.largest_sites import SiteFigures, largest_sites
from sessions.analysis.portrait import Portrait, portrait
from sessions.analysis.summary import Summary, summarise
from sessions.progress import Say, say_nothing
from sessions.session import Session

MOST_SITES = 1000
"""The most sites that a report tells of one by one."""


@dataclass(frozen=True)
class SessionFigures:
    """A session's sums, its portrait, its sites by pages (at most `MOST_SITES`), and how it ended early, if it did."""

    name: str
    summary: Summary
    portrait: Portrait
    sites: list[SiteFigures]
    incomplete: Incomplete | None

    @property
    def pages(self) -> int:
        """Fetches in all."""
        return int(self.summary.total["fetched"])

    @property
    def answers(self) -> dict[str, int]:
        """Fetches by what they were answered with: 2xx, redirects, errors."""
        counts = {"2xx": 0, "redirects": 0, "errors": 0}
        for status, pages in self.portrait.statuses.items():
            counts["2xx" if status < 300 else "redirects" if status < 400 else "errors"] += pages
        return counts

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        drawn = self.portrait
        return {
            "session": self.name,
            "summary": self.summary.as_dict() | {"session": self.name},
            "answers": self.answers,
            "statuses": {str(status): pages for status, pages in drawn.statuses.items()},
            "types": drawn.types,
            "depths": drawn.depths.tolist(),
            "over_time": None
            if drawn.over_time is None
            else {
                "begin": drawn.over_time.begin.isoformat(),
                "seconds": drawn.over_time.seconds,
                "pages": list(drawn.over_time.pages),
            },
            "sites": [site._asdict() for site in self.sites],
        }


def figures_of(session: Session, name: str, progress: Say = say_nothing) -> SessionFigures:
    """Gather what is told of a session under that name; ``progress`` is told what is being done."""
    return SessionFigures(
        name,
        summarise(session),
        portrait(session, progress),
        largest_sites(session, MOST_SITES),
        incomplete(session),
    )
