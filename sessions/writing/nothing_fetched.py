"""A session whose crawl ended without a single page: it is put aside for the corrected command, not lost."""

from pathlib import Path

from sessions.session import Session, SessionError


def fetched_nothing(path: Path) -> bool:
    """Return whether a folder is a session whose crawl has ended, of itself, without a page.

    One that was stopped by a signal may go on, and is none; nor is what is no session, or damaged.
    """
    try:
        session = Session.open(path)
        if session.ended is None or session.ended["reason"] == "signal":
            return False
        reports = session.rank_reports()
    except (SessionError, OSError):
        return False
    return bool(reports) and not any(report["fetched"] for report in reports)


def put_aside(path: Path) -> Path:
    """Rename a session that has no page to ``NAME.nothing-RUN`` beside it, at one stroke, and return that.

    Raises SessionError, with the session where it was, if that cannot be.
    """
    aside = path.with_name(f"{path.name}.nothing-{Session.open(path).header['run']}")
    try:
        path.rename(aside)
    except OSError as error:
        raise SessionError(f"{path}: cannot be put aside as {aside.name}: {error.strerror}") from error
    return aside
