"""session.json and the commit records as they stand on disk: their fields, and what each can hold.

docs/formats.md describes them.  `sessions.checking` holds files to these declarations; who writes or reads a record is
held to them by the type checker.  A field that is `NotRequired` is missing in sessions of older versions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NotRequired, TypedDict


@dataclass(frozen=True)
class ValueKind:
    """Values of one kind: what they are called, and whether a value is one."""

    words: str
    holds: Callable[[Any], bool]


def is_whole(value: Any) -> bool:
    """Is a value of JSON a whole number?"""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


Whole = Annotated[int, ValueKind("a whole number", is_whole)]
Count = Annotated[int, ValueKind("a whole number of at least 0", lambda value: is_whole(value) and value >= 0)]
Time = Annotated[str, ValueKind("a time in ISO 8601", _is_time)]

Configuration = dict[str, Any]
"""The options of a run, by name: which they are depends on the command and its version."""
Report = dict[str, Any]
"""A rank's counters by name; `sessions.counters` declares what each holds."""


class CommittedFile(TypedDict):
    """A file of a session as far as it is committed: its path in the session, its length, the xxh3 of that."""

    file: str
    bytes: Count
    xxh3: str


class CommittedRows(CommittedFile):
    """A table file, and how many rows it has: those of the record's epoch, or of all from ``first`` to ``last``.

    Pages whose bodies stand in other files since, or in none, were ``rewritten`` for the commit record of this number.
    """

    rows: Count
    first: NotRequired[Count]
    last: NotRequired[Count]
    rewritten: NotRequired[Count]


class RankFiles(TypedDict):
    """What a rank has brought to disk in an epoch: table files by table, WARC files with their lengths since then."""

    tables: dict[str, CommittedRows]
    warc: list[CommittedFile]


class RankEntry(RankFiles):
    """A rank's part of a commit record.

    A folded record has reports only where it is the last of its run that counts.
    """

    report: NotRequired[Report]


class RunEnd(TypedDict):
    """How a run ended: why, and how long all runs of the session have taken, in seconds."""

    reason: str
    seconds: float


class DatedEnd(RunEnd):
    """How and when a run ended."""

    at: Time


class RunStart(TypedDict):
    """With how many ranks, which assignment and which options a run went on with a session, and when."""

    ranks: Count
    assignment: str
    configuration: Configuration
    started: Time


class RunRecord(RunStart):
    """A run as session.json tells of it; ``first_epoch`` is the first that it may have closed."""

    run: str
    first_epoch: Count


class Dropped(TypedDict):
    """That the bodies of pages fetched ``before`` a time were dropped, when, and by what program.

    ``pages`` have no body any more, and WARC files have so many ``bytes`` less.
    """

    before: Time
    at: Time
    software: str
    pages: Count
    bytes: Count


class CommitRecord(TypedDict):
    """An epoch, or the note that another run goes on with the session: then it ``resumes``, and has no ranks.

    ``folded`` is what is needed of all records before it, which are not there any more, or not for long
    (`sessions.folding`).  A record in there may stand for several ``epochs``, and so may the one that has it.
    ``dropped`` is what bodies were dropped until then.
    """

    epoch: Count
    run: str
    superstep: Count
    committed: Time
    ended: NotRequired[DatedEnd | None]
    resumes: NotRequired[RunStart]
    epochs: NotRequired[Count]
    folded: NotRequired[list["CommitRecord"]]
    dropped: NotRequired[list[Dropped]]
    ranks: list[RankEntry]


class Forgotten(TypedDict):
    """That a session was written without some sites and domains, when, by what program, and what was left out.

    ``records`` of WARC files are gone, and as many bodies as ``bodies_moved`` stand with other sites' pages now.
    """

    at: Time
    software: str
    sites: list[str]
    domains: list[str]
    urls: Count
    pages: Count
    records: Count
    bodies_moved: Count


class Header(TypedDict):
    """The content of session.json."""

    format: Count
    software: str
    run: str
    started: Time
    ranks: Count
    assignment: str
    configuration: Configuration
    previous: str | None
    runs: NotRequired[list[RunRecord]]
    epochs: Count
    ended: DatedEnd | None
    forgotten: NotRequired[list[Forgotten]]
    dropped: NotRequired[list[Dropped]]
