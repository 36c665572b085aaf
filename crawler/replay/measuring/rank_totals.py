"""What each rank has done when a course has ended: the sums that the imbalances are computed from."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.replay.course import Course
from crawler.replay.measuring.load import by_rank, loads_of
from crawler.replay.recording import Numbers, Recording

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RankTotals:
    """Of each of K ranks what it did; `crawler.replay.measuring.figures.OF_RANKS` has title and meaning of each.

    Attributes:
        fetches, bytes, links: int64[K], of the pages that it fetched; bytes as received.
        milliseconds: float64[K], the recorded times of its requests.
        urls_sent, bytes_sent, urls_received, bytes_received: int64[K], what it exchanged with the others.
        discovered: int64[K], the distinct URLs that it accepted.
    """

    fetches: Numbers
    bytes: Numbers
    links: Numbers
    milliseconds: Floats
    urls_sent: Numbers
    bytes_sent: Numbers
    urls_received: Numbers
    bytes_received: Numbers
    discovered: Numbers


def rank_totals(recording: Recording, course: Course) -> RankTotals:
    """The totals of each rank of a course of this recording, in proportion to its fetches and messages."""
    loads, messages = loads_of(recording, course), course.messages
    return RankTotals(
        fetches=by_rank(course, loads.requests),
        bytes=by_rank(course, loads.storage),
        links=by_rank(course, loads.links),
        milliseconds=by_rank(course, loads.time) / 1000,
        urls_sent=messages.by_sender(course.ranks, messages.urls),
        bytes_sent=messages.by_sender(course.ranks, messages.bytes),
        urls_received=messages.by_receiver(course.ranks, messages.urls),
        bytes_received=messages.by_receiver(course.ranks, messages.bytes),
        discovered=course.discovered,
    )
