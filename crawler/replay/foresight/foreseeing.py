"""Partitions made from one session, and replays of it and of later ones under each of them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.cuts import Cuts
from crawler.replay.foresight.figures import Value, crowded_place, figures_of
from crawler.replay.foresight.request import Candidate, Request, candidates_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.recording import Recording, recording_of
from crawler.replay.source import name_of, recorded_session
from partition.graphs.link_graph import PLACEHOLDER_HOST, link_graph
from partition.quality.request import LeftOut, lines_of
from sessions.lastfetches import last_fetches
from sessions.session import Session, software_version
from sessions.url import Hashes

Progress = Callable[[str], None]
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

    request: Request
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
    request: Request,
    *,
    made: str,
    progress: Progress,
    scratch: Path | None = None,
) -> Foresight:
    """Cut ``previous`` as the request says, and replay it and the ``later`` sessions under each partition.

    Each is a session's folder or a WARC file; later ones are taken in order of their age where all ages are known.
    ``scratch`` is a folder for what is kept meanwhile; if None, one where temporary files lie.  ``made`` is the time
    that the report shall tell: nothing here reads a clock.  Raises SessionError or SourceError for what is no session,
    GraphError if ``previous`` has no links to cut, ForesightError if no model is left, MapError if there is no room
    for maps.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix=".foresight-", dir=scratch)))
        paths = [stack.enter_context(_session(path, folder, progress)) for path in (previous, *later)]
        names = _names((previous, *later))
        progress(f"reading {names[0]}")
        graph = link_graph(Session.open(paths[0]))
        ends = [_last_fetched(path) for path in paths]
        order = [0, *_by_age(ends)]
        cuts = Cuts(graph, request.cutting, folder, progress)
        candidates, left_out = _allowed(cuts, request)
        if not candidates:
            raise ForesightError(f"{previous}: nothing to replay; {lines_of(left_out)[0]}")
        sessions, outlooks = [], []
        for place, number in enumerate(order):
            recording = recording_of(paths[number])
            importance = importance_of(recording)
            settings = request.settings.with_end(recording.page_count)
            sessions.append(_described(recording, names[number], ends[0], ends[number], graph.hashes))
            for count, candidate in enumerate(candidates):
                done = place * len(candidates) + count
                progress(f"{names[number]} under {candidate}: {done / (len(order) * len(candidates)):.0%}")
                ownership = cuts.ownership(recording, candidate)
                course = estimate(recording, ownership, settings)
                figures = figures_of(recording, ownership, course, settings, importance)
                crowded = crowded_place(recording, ownership, course)
                outlooks.append(Outlook(candidate, place, figures, crowded))
    return Foresight(
        request,
        tuple(sessions),
        tuple(outlooks),
        tuple(left_out),
        tuple(LeftOut(model, k, "") for model, k in cuts.unbalanced),
        made,
        f"cutweb {software_version()}",
    )


def _session(path: Path, folder: Path, progress: Progress) -> AbstractContextManager[Path]:
    return recorded_session(path, folder, lambda what, done, total: progress(f"{what}: {done / max(total, 1):.0%}"))


def _allowed(cuts: Cuts, request: Request) -> tuple[list[Candidate], list[LeftOut]]:
    """The candidates whose partitions there are, and which models are left out, once for each K."""
    candidates, left_out = [], {}
    for candidate in candidates_of(request.models, request.parts, request.rules):
        problem = cuts.problem(candidate)
        if problem is None:
            candidates.append(candidate)
        else:
            left_out[candidate.model, candidate.k] = LeftOut(candidate.model, candidate.k, problem)
    return candidates, list(left_out.values())


def _names(paths: Sequence[Path]) -> list[str]:
    """What the sessions are called, each differently."""
    names = [name_of(path) for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _last_fetched(path: Path) -> float | None:
    """When the last of a session's pages was fetched, in seconds since 1970; None if that is not known."""
    fetched = last_fetches(Session.open(path))["fetched"].drop_null().cast("int64").to_numpy()
    return float(fetched.max()) / 1e6 if len(fetched) else None


def _by_age(ends: Sequence[float | None]) -> list[int]:
    """The numbers of the later sessions in order of age; as they were given if some age is not known."""
    ages = [end for end in ends if end is not None]
    later = range(1, len(ends))
    return sorted(later, key=ages.__getitem__) if len(ages) == len(ends) else list(later)


def _described(recording: Recording, name: str, begin: float | None, end: float | None, known: Hashes) -> Replayed:
    hashes = recording.hashes[: recording.page_count]
    return Replayed(
        name=name,
        pages=recording.page_count,
        urls=len(recording),
        links=len(recording.targets),
        bytes=int(recording.bytes.sum()),
        fetched=None if end is None else datetime.fromtimestamp(end, UTC).isoformat(timespec="seconds"),
        age=None if end is None or begin is None else (end - begin) / _SECONDS_A_DAY,
        new_pages=float(np.mean(~np.isin(hashes, known))),
        has_urls=_has_urls(recording),
    )


def _has_urls(recording: Recording) -> bool:
    sites: list[str | None] = recording.pages["site"].unique().to_pylist()
    return sites != [PLACEHOLDER_HOST]
