"""The measures of a parallel crawl, each defined in docs/measures.md and named in `crawler.replay.measuring.figures`.

Coverage, overlap, quality and communication are those of Cho and Garcia-Molina, "Parallel Crawlers" (WWW 2002,
section 4).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler.replay.course import Course, Messages
from crawler.replay.measuring.acceptance import Acceptance, acceptance
from crawler.replay.measuring.figures import QUALITY_PERCENT, quality_name
from crawler.replay.measuring.importance import Importance, importance_of
from crawler.replay.measuring.load import by_rank, by_superstep, fetched_by, idle_share, imbalance, loads_of
from crawler.replay.measuring.quality import counts_at, first_fetches, quality
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from partition.measures.moves import moves


@dataclass(frozen=True)
class Measures:
    """Scalars of one course; shares and imbalances are ratios, not percent.

    `crawler.replay.measuring.figures.FIGURES` has title, unit and meaning of each under the same name.
    """

    fetches: int
    pages: int
    supersteps: int
    coverage: float
    overlap: float
    shared_pages: int
    back_link_quality_1: float
    back_link_quality_5: float
    back_link_quality_10: float
    back_link_quality_25: float
    back_link_quality_50: float
    page_rank_quality_1: float
    page_rank_quality_5: float
    page_rank_quality_10: float
    page_rank_quality_25: float
    page_rank_quality_50: float
    urls_per_page: float
    bytes_per_page: float
    wire_bytes_per_page: float
    messages_per_page: float
    urls_sent: int
    bytes_sent: int
    wire_bytes_sent: int
    messages_sent: int
    most_sent_bytes: int
    most_received_bytes: int
    most_pair_bytes: int
    storage_imbalance: float
    requests_imbalance: float
    links_imbalance: float
    time_imbalance: float
    empty_parts: int
    idle_share: float
    unknown_discovered: float
    unknown_sent: float
    wrong_owner_urls: int
    wrong_owner_pages: int
    moved_pages: float
    moved_bytes: float


def measures_of(
    recording: Recording,
    ownership: Ownership,
    course: Course,
    settings: ReplaySettings | None = None,
    importance: Importance | None = None,
    as_read: Recording | None = None,
) -> Measures:
    """Measure a course that came of a recording under an ownership.

    ``settings`` are those that it was replayed with, the defaults if None; of them count the mode and what was
    replicated.  ``importance`` is that of the recording, computed if None: it is worth keeping for several courses.
    ``as_read`` is the recording with the links and times that the replay itself had, if they were others
    (`crawler.replay.recording.as_replayed`).
    """
    as_read = as_read or recording
    return Measures(
        **_fetching(recording, course),
        **_qualities(recording, course, importance or importance_of(recording)),
        **_communication(course),
        **_balance(as_read, course),
        **_owners(ownership, course, acceptance(recording, ownership, course, settings or ReplaySettings(), as_read)),
        **_moves(recording, ownership),
    )


def _fetching(recording: Recording, course: Course) -> dict[str, Any]:
    ranks = fetched_by(course.fetches.rank, course.fetches.page, recording.page_count)
    pages = int(np.count_nonzero(ranks))
    return {
        "fetches": len(course.fetches),
        "pages": pages,
        "supersteps": course.supersteps,
        "coverage": pages / (recording.page_count + recording.left_queued),
        "overlap": _ratio(len(course.fetches) - pages, pages),
        "shared_pages": int(np.count_nonzero(ranks > 1)),
    }


def _qualities(recording: Recording, course: Course, importance: Importance) -> dict[str, Any]:
    order = first_fetches(course.fetches)
    counts = counts_at(np.array(QUALITY_PERCENT), recording.page_count)
    told: dict[str, Any] = {}
    for name, scores in (("back_link", importance.back_links), ("page_rank", importance.page_rank)):
        values = quality(order, scores, counts).tolist()
        told |= {quality_name(name, percent): value for percent, value in zip(QUALITY_PERCENT, values, strict=True)}
    return told


def _communication(course: Course) -> dict[str, Any]:
    messages, fetches = course.messages, len(course.fetches)
    totals = {
        "urls": int(messages.urls.sum()),
        "bytes": int(messages.bytes.sum()),
        "wire_bytes": int(messages.wire_bytes.sum()),
        "messages": len(messages),
    }
    return {
        **{f"{name}_per_page": _ratio(total, fetches) for name, total in totals.items()},
        **{f"{name}_sent": total for name, total in totals.items()},
        "most_sent_bytes": int(messages.by_sender(course.ranks, messages.bytes).max()),
        "most_received_bytes": int(messages.by_receiver(course.ranks, messages.bytes).max()),
        "most_pair_bytes": messages.most_of_a_pair(messages.bytes),
    }


def _balance(recording: Recording, course: Course) -> dict[str, Any]:
    loads = loads_of(recording, course)
    requests = by_rank(course, loads.requests)
    return {
        "storage_imbalance": float(imbalance(by_rank(course, loads.storage))),
        "requests_imbalance": float(imbalance(requests)),
        "links_imbalance": float(imbalance(by_rank(course, loads.links))),
        "time_imbalance": float(imbalance(by_rank(course, loads.time))),
        "empty_parts": int(np.count_nonzero(requests == 0)),
        "idle_share": idle_share(by_superstep(course, loads.requests)),
    }


def _owners(ownership: Ownership, course: Course, accepted: Acceptance) -> dict[str, Any]:
    fetches = course.fetches
    return {
        "unknown_discovered": _ratio(accepted.unknown, accepted.urls),
        "unknown_sent": _unknown_sent(ownership, course.messages),
        "wrong_owner_urls": accepted.misplaced,
        "wrong_owner_pages": int(np.count_nonzero(ownership.seed_owners[fetches.page] != fetches.rank)),
    }


def _moves(recording: Recording, ownership: Ownership) -> dict[str, Any]:
    """What the recorded session fetched elsewhere; a page that who finds it owns has no other owner."""
    new = ownership.owners[: recording.page_count]
    moved = moves(np.where(new == FINDER, np.int32(-1), recording.fetchers), new, recording.bytes)
    return {"moved_pages": moved.share_of_pages, "moved_bytes": moved.share_of_bytes}


def _unknown_sent(ownership: Ownership, messages: Messages) -> float:
    """A hash has no map, so it misses nothing."""
    if ownership.numbers is None:
        return 0.0
    return 1 - _ratio(int(messages.numbers.sum()), int(messages.urls.sum())) if len(messages) else 0.0


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
