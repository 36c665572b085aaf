"""Whether a session is a whole crawl: one that a limit, a signal or a kill ended early left URLs queued."""

from dataclasses import dataclass

from sessions.importing.imported_session import ENDING as IMPORTED
from sessions.session import Session

_WHOLE = ("complete", IMPORTED)
_ENDINGS = {
    None: "was killed, or is still running",
    "signal": "was stopped by a signal",
    "worklist": "kept to its worklist",
}


@dataclass(frozen=True)
class Incomplete:
    """A crawl that ended early: its ``name``, ``how`` it ended (a verb first), and how many URLs it left ``queued``.

    ``queued`` is as of the last commit that counts: what a killed crawl found later is not known.
    """

    name: str
    how: str
    queued: int

    def __str__(self) -> str:
        urls = f"{self.queued:,} {'URL' if self.queued == 1 else 'URLs'}"
        return f"session {self.name} is not complete: it {self.how} and left {urls} queued"


def incomplete(session: Session) -> Incomplete | None:
    """How a session ended early; None if it is complete, or was imported."""
    reason = session.ended["reason"] if session.ended is not None else None
    if reason in _WHOLE:
        return None
    how = _ENDINGS.get(reason) or f"ended at its limit {reason}"
    queued = sum(int(report.get("queued", 0)) for report in session.rank_reports())
    return Incomplete(session.path.resolve().name, how, queued)
