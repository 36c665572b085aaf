"""What the tests look at in an imported session."""

from pathlib import Path

from sessions.checking.check import check_session
from sessions.session import Session


def opened(path: Path) -> Session:
    """A session in which nothing is wrong."""
    findings = check_session(path)
    assert findings.is_good, findings.problems
    assert findings.notes == []
    session = Session.open(path)
    assert session.ended is not None
    assert session.ended["reason"] == "imported"
    assert session.ranks == 1
    return session


def sizes(session: Session) -> dict[str, int]:
    """The pages and their bytes, in order."""
    rows = session.read("pages", ["url", "bytes"]).to_pylist()
    return {row["url"]: row["bytes"] for row in rows}


def links(session: Session) -> set[tuple[str, str]]:
    """The links, by URL."""
    names = {row["hash"]: row["url"] for row in session.read("urls").to_pylist()}
    return {(names[row["source"]], names[row["target"]]) for row in session.read("links").to_pylist()}
