"""Which URLs the ranks accept in a course, as far as the measures ask: known to the map or not, and by whom."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crawler.exchange.parallel_modes import CROSS_OVER, FIREWALL
from crawler.replay.course import Course, Fetches, Ranks
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Numbers, Recording, most_linked
from crawler.replay.settings import ReplaySettings
from sessions.hash_arrays import concatenated_ranges

_FETCHES_AT_A_TIME = 1 << 16


@dataclass(frozen=True)
class Acceptance:
    """How many distinct ``urls`` some rank accepted, how many of them are ``unknown`` to the map, and ``misplaced``.

    Misplaced are pairs of a rank and a URL that it accepted only because it found it: without the rule that who finds
    a URL may keep it (`discoverer`, cross-over), the assignment gives it to another.
    """

    urls: int
    unknown: int
    misplaced: int


def acceptance(
    recording: Recording,
    ownership: Ownership,
    course: Course,
    settings: ReplaySettings,
    as_read: Recording | None = None,
) -> Acceptance:
    """Count what the ranks accept in a course that was replayed with these settings (docs/replay.md).

    ``as_read`` has the links that the ranks found, if they were others than the recording's.
    """
    is_replicated = np.zeros(len(recording), bool)
    is_replicated[most_linked(recording, settings.replicated)] = True
    is_accepted = is_replicated.copy()
    is_accepted[recording.seeds] = True
    pairs = [np.empty(0, np.int64)]
    for ranks, urls in _finds(as_read or recording, course.fetches):
        owners = ownership.owners[urls]
        is_kept = (owners == FINDER) | (settings.mode == CROSS_OVER)
        is_dropped = ~is_kept & (owners != ranks) & (settings.mode == FIREWALL)
        is_misplaced = is_kept & (ownership.seed_owners[urls] != ranks) & ~is_replicated[urls]
        is_accepted[urls[~is_dropped]] = True
        pairs.append(np.unique(urls[is_misplaced] * course.ranks + ranks[is_misplaced]))
    return Acceptance(
        int(np.count_nonzero(is_accepted)),
        int(np.count_nonzero(is_accepted & ownership.unknown)),
        len(np.unique(np.concatenate(pairs))),
    )


def _finds(recording: Recording, fetches: Fetches) -> Iterator[tuple[Ranks, Numbers]]:
    """The links followed from the fetched pages, some at a time: who finds which URL."""
    for begin in range(0, len(fetches), _FETCHES_AT_A_TIME):
        some = slice(begin, begin + _FETCHES_AT_A_TIME)
        pages, ranks = fetches.page[some], fetches.rank[some]
        begins = recording.starts[pages]
        counts = recording.starts[pages + 1] - begins
        links = concatenated_ranges(begins, counts)
        is_followed = recording.is_followed[links]
        finders: Ranks = np.repeat(ranks, counts)
        yield finders[is_followed], recording.targets[links[is_followed]]
