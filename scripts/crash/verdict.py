"""Is what a crawl has found after all its crashes what an undisturbed one finds?"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from sessions.checking.check import check_session
from sessions.session import Session, SessionError

_EXAMPLES = 3


@dataclass(frozen=True)
class Found:
    """What any crawl of a web to its end finds, whatever its ranks and its fate; how often, each.

    ``pages`` are URLs with their status, ``links`` pairs of hashes with their flags, ``outcomes`` hashes with what came
    of them, ``bodies`` the digests of the documents that were stored, not as repetitions of others; ``queued`` is what
    the end leaves in the queue, and why, and ``ended`` why the crawl has ended.
    """

    pages: Counter[Hashable]
    urls: Counter[Hashable]
    links: Counter[Hashable]
    outcomes: Counter[Hashable]
    bodies: Counter[Hashable]
    queued: Counter[Hashable]
    ended: Counter[Hashable]

    @classmethod
    def of(cls, session: Session) -> "Found":
        """What a session has."""
        documents = session.read("pages", ["content_digest", "duplicate_of"]).to_pylist()
        return cls(
            _rows(session, "pages", ["url", "status"]),
            _rows(session, "urls", ["hash", "url"]),
            _rows(session, "links", ["source", "target", "flags"]),
            _rows(session, "outcomes", ["hash", "state", "reason"]),
            Counter(row["content_digest"] for row in documents if row["duplicate_of"] is None),
            _rows(session, "frontier", ["hash", "reason"]),
            Counter([session.ended["reason"] if session.ended else None]),
        )

    def faults(self, expected: "Found", *, has_overlap: bool = False, is_limited: bool = False) -> list[str]:
        """How it differs from what is expected.

        With overlap, pages may come more than once.  What a limit leaves out depends on the order in which pages come,
        so of a limited crawl it is only told what is too much.
        """
        faults = []
        for field in fields(self):
            found, wanted = getattr(self, field.name), getattr(expected, field.name)
            if has_overlap:
                found, wanted = set(found), set(wanted)
            elif field.name in ("pages", "urls", "outcomes"):
                faults += _told(f"{field.name} twice", (row for row, count in found.items() if count > 1))
            if not is_limited or field.name == "ended":
                faults += _told(f"{field.name} missing", wanted - found)
            if not is_limited or field.name != "outcomes":  # that it is beyond the limit is the outcome of a URL
                faults += _told(f"{field.name} too many", found - wanted)
        return faults


def verdict(folder: Path, expected: Found, *, has_overlap: bool = False, is_limited: bool = False) -> list[str]:
    """What is wrong with a session that should have ended; nothing if all is well."""
    try:
        session = Session.open(folder)
    except SessionError as error:
        return [str(error)]
    faults = []
    for kind, problems in check_session(folder).problems.items():
        faults += [f"cutweb check: {kind}: {problem.file}: {problem.text}" for problem in problems[:_EXAMPLES]]
    return faults + Found.of(session).faults(expected, has_overlap=has_overlap, is_limited=is_limited)


def settled(folder: Path) -> set[str]:
    """The URLs whose pages are committed."""
    try:
        return set(Session.open(folder).read("pages", ["url"])["url"].to_pylist())
    except SessionError:
        return set()


def _rows(session: Session, table: str, columns: list[str]) -> Counter[Hashable]:
    return Counter(tuple(row.values()) for row in session.read(table, columns).to_pylist())


def _told(what: str, rows: Iterable[Hashable]) -> list[str]:
    listed = sorted(map(str, rows))
    return [f"{len(listed)} {what}: {', '.join(listed[:_EXAMPLES])}"] if listed else []
