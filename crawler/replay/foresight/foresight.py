"""Partitions made from one session, and replays of it and of later ones under each of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crawler.process.progress_line import share, shares
from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.figures import Value, crowded_place, figures_of
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.foresight.request import Candidate, ForesightRequest, candidates_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.recording import Recording, recording_of
from crawler.replay.source import name_of, recorded_session
from partition.graphs.link_graph import PLACEHOLDER_HOST, link_graph
from partition.report.results import LeftOut, lines_of
from sessions.analysis.last_fetches import last_fetches
from sessions.progress import Say, Share
from sessions.session import Session, damage_told
from sessions.storage.temporary_folder import scratch_folder
from sessions.url import Hashes
from sessions.version import software_version

_SECONDS_A_DAY = 86_400


@dataclass(frozen=True)
class Replayed:
    """A session that was replayed.

    Attributes:
        name: of its folder or file.
        pages, urls, links, bytes: its pages, all its URLs, its links, and bytes of its pages as received.
        fetched: when the last of its pages was fetched, in UTC, None if not known (an imported graph has no times).
        age: days from the previous session's ``fetched`` to this one's, None if either is not known.
        new_pages: share of its pages that the previous session does not have.
        has_urls: False if its pages were imported as bare numbers.
        incomplete: how its crawl ended early, None if it is complete.
    """

    name: str
    pages: int
    urls: int
    links: int
    bytes: int
    fetched: str | None
    age: float | None
    new_pages: float
    has_urls: bool
    incomplete: str | None = None


@dataclass(frozen=True)
class Outlook:
    """What a replay of one session under one candidate gives; ``session`` counts from 0 in `Foresight.sessions`.

    ``figures`` are by the names in `crawler.replay.foresight.figures`.  ``crowded`` is the site or directory in which
    most of the fullest rank's pages lie that the map does not hold; None if there are none.
    """

    candidate: Candidate
    session: int
    figures: dict[str, Value]
    crowded: str | None


@dataclass(frozen=True)
class Foresight:
    """What partitions of the first of the ``sessions`` promise, and what came of them in the others, by age.

    ``left_out`` are models that the first session does not allow, ``unbalanced`` those of which it allows no partition
    within the tolerance that was asked for.
    """

    request: ForesightRequest
    sessions: tuple[Replayed, ...]
    outlooks: tuple[Outlook, ...]
    left_out: tuple[LeftOut, ...]
    unbalanced: tuple[LeftOut, ...]
    made: str
    software: str


class ForesightError(Exception):
    """A report that cannot be made; the message is one line that says why."""


def foresee(
    previous: Path,
    later: Sequence[Path],
    request: ForesightRequest,
    *,
    made: str,
    progress: Say,
    warn: Callable[[str], None] = lambda _: None,
    scratch: Path | None = None,
) -> Foresight:
    """Cut ``previous`` as the request says, and replay it and the ``later`` sessions under each partition.

    Each is a session's folder or a WARC file; later ones are taken in order of their age where all ages are known.
    ``warn`` is told of what cannot be read of WARC files.  ``scratch`` is a folder for what is kept meanwhile; if
    None, one where temporary files lie.  ``made`` is the time that the report shall tell: nothing here reads a clock.
    Raises SessionError or SourceError for what is no session, GraphError if ``previous`` has no links to cut,
    ForesightError if no model is left, MapError if there is no room for maps.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(scratch_folder(".foresight-", scratch))
        first, *others = _opened(stack, (previous, *later), folder, progress, warn)
        progress(f"reading {first.name}")
        graph = link_graph(Session.open(first.path))
        cuts = Cuts(graph, request.cutting, folder, progress)
        candidates, left_out = cuts.allowed(candidates_of(request.models, request.parts, request.rules))
        if not candidates:
            raise ForesightError(f"{previous}: nothing to replay; {lines_of(left_out)[0]}")
        sessions: list[Replayed] = []
        outlooks: list[Outlook] = []
        for number, session in enumerate([first, *_by_age(first, others)]):
            recording = recording_of(session.path)
            sessions.append(_described(recording, session, first, graph.hashes))
            told = _Told(progress, session.name, len(outlooks), (1 + len(others)) * len(candidates))
            outlooks += _outlooks(number, recording, candidates, cuts, request, told)
    return Foresight(
        request,
        tuple(sessions),
        tuple(outlooks),
        tuple(left_out),
        tuple(LeftOut(model, k, "") for model, k in cuts.unbalanced),
        made,
        f"cutweb {software_version()}",
    )


class _Opened(NamedTuple):
    """A session's folder, what it is called, and when the last of its pages was fetched (None if not known)."""

    path: Path
    name: str
    end: float | None


def _opened(
    stack: ExitStack, paths: Sequence[Path], folder: Path, progress: Say, warn: Callable[[str], None]
) -> list[_Opened]:
    """The sessions; those of WARC files are in ``folder`` until ``stack`` is closed."""

    def importing(what: str, done: int, total: int) -> None:
        progress(share(what, done, total))

    folders = [stack.enter_context(recorded_session(path, folder, importing, warn)) for path in paths]
    return [_Opened(path, name, _last_fetched(path)) for path, name in zip(folders, _names(paths), strict=True)]


class _Told(NamedTuple):
    """Says how far the replays of a session are, before which there were some of others."""

    progress: Say
    session: str
    before: int
    total: int

    def under(self, candidate: Candidate, number: int) -> Share:
        return shares(self.progress, f"[{self.before + number}/{self.total}] {self.session} under {candidate}")


def _outlooks(
    session: int,
    recording: Recording,
    candidates: Sequence[Candidate],
    cuts: Cuts,
    request: ForesightRequest,
    told: _Told,
) -> Iterator[Outlook]:
    """What replays of a session give."""
    importance = importance_of(recording)
    settings = request.settings.with_end(recording.page_count)
    for number, candidate in enumerate(candidates, 1):
        ownership = cuts.ownership(recording, candidate)
        course = estimate(recording, ownership, settings, told.under(candidate, number))
        figures = figures_of(recording, ownership, course, settings, importance)
        yield Outlook(candidate, session, figures, crowded_place(recording, ownership, course))


def _names(paths: Sequence[Path]) -> list[str]:
    """What the sessions are called, each differently."""
    names = [name_of(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _last_fetched(path: Path) -> float | None:
    """When the last of a session's pages was fetched, in seconds since 1970; None if that is not known."""
    with damage_told(path):
        fetched = last_fetches(Session.open(path))["fetched"].drop_null().cast("int64").to_numpy()
    return float(fetched.max()) / 1e6 if len(fetched) else None


def _by_age(first: _Opened, later: Sequence[_Opened]) -> list[_Opened]:
    """The later sessions in order of age; as they were given if some age is not known."""
    ends = {session.path: session.end for session in later if session.end is not None}
    if first.end is None or len(ends) < len(later):
        return list(later)
    return sorted(later, key=lambda session: ends[session.path])


def _described(recording: Recording, session: _Opened, first: _Opened, known: Hashes) -> Replayed:
    begin, end = first.end, session.end
    hashes = recording.hashes[: recording.page_count]
    return Replayed(
        name=session.name,
        pages=recording.page_count,
        urls=len(recording),
        links=len(recording.targets),
        bytes=int(recording.bytes.sum()),
        fetched=None if end is None else datetime.fromtimestamp(end, UTC).isoformat(timespec="seconds"),
        age=None if end is None or begin is None else (end - begin) / _SECONDS_A_DAY,
        new_pages=float(np.mean(~np.isin(hashes, known))),
        has_urls=_has_urls(recording),
        incomplete=None if recording.incomplete is None else str(recording.incomplete),
    )


def _has_urls(recording: Recording) -> bool:
    sites: list[str | None] = recording.pages["site"].unique().to_pylist()
    return sites != [PLACEHOLDER_HOST]
