"""A course over time: what the measures are superstep by superstep, and quality page by page, for plots."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.replay.course import Course
from crawler.replay.measuring.importance import Importance, importance_of
from crawler.replay.measuring.load import by_superstep, idle_shares, imbalance, loads_of
from crawler.replay.measuring.quality import PERCENT, counts_at, first_fetches, quality
from crawler.replay.recording import Numbers, Recording
from partition.graphs.group_sums import summed

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Timeline:
    """S supersteps of a course, and its quality after 1 to 100 percent of the pages.

    Attributes:
        fetches, pages: int64[S], fetches in each superstep, and distinct pages fetched for the first time in it.
        storage_imbalance, requests_imbalance, links_imbalance, time_imbalance: float64[S], of all that the ranks have
            done up to the end of each superstep.
        step_storage_imbalance, step_requests_imbalance, step_links_imbalance, step_time_imbalance: float64[S], of
            what they do in it alone.
        idle_share: float64[S], of the ranks' time in it, if every page takes equally long.
        urls, bytes, wire_bytes, messages: int64[S], what is sent at its end.
        back_link_quality, page_rank_quality: float64[100], at `crawler.replay.measuring.quality.PERCENT`.
    """

    fetches: Numbers
    pages: Numbers
    storage_imbalance: Floats
    requests_imbalance: Floats
    links_imbalance: Floats
    time_imbalance: Floats
    step_storage_imbalance: Floats
    step_requests_imbalance: Floats
    step_links_imbalance: Floats
    step_time_imbalance: Floats
    idle_share: Floats
    urls: Numbers
    bytes: Numbers
    wire_bytes: Numbers
    messages: Numbers
    back_link_quality: Floats
    page_rank_quality: Floats


def timeline_of(recording: Recording, course: Course, importance: Importance | None = None) -> Timeline:
    """The course over time.

    Needs memory for a few dense tables of 8 bytes a superstep and rank, one load after the other.  ``importance`` is
    that of the recording, computed if None.
    """
    steps, fetches, messages = course.supersteps, course.fetches, course.messages
    loads = loads_of(recording, course)
    storage, storage_in_step = _imbalances(course, loads.storage)
    requests, requests_in_step = _imbalances(course, loads.requests)
    links, links_in_step = _imbalances(course, loads.links)
    time, time_in_step = _imbalances(course, loads.time)
    _, first = np.unique(fetches.page, return_index=True)
    order, counts = first_fetches(fetches), counts_at(PERCENT, recording.page_count)
    scores = importance or importance_of(recording)
    return Timeline(
        fetches=np.bincount(fetches.superstep, minlength=steps).astype(np.int64),
        pages=np.bincount(fetches.superstep[first], minlength=steps).astype(np.int64),
        storage_imbalance=storage,
        requests_imbalance=requests,
        links_imbalance=links,
        time_imbalance=time,
        step_storage_imbalance=storage_in_step,
        step_requests_imbalance=requests_in_step,
        step_links_imbalance=links_in_step,
        step_time_imbalance=time_in_step,
        idle_share=idle_shares(by_superstep(course, loads.requests)),
        urls=summed(messages.urls, messages.superstep, steps),
        bytes=summed(messages.bytes, messages.superstep, steps),
        wire_bytes=summed(messages.wire_bytes, messages.superstep, steps),
        messages=np.bincount(messages.superstep, minlength=steps).astype(np.int64),
        back_link_quality=quality(order, scores.back_links, counts),
        page_rank_quality=quality(order, scores.page_rank, counts),
    )


def _imbalances(course: Course, load: Numbers) -> tuple[Floats, Floats]:
    """Up to the end of each superstep, and in it: float64[S] each."""
    table = by_superstep(course, load)
    in_step = imbalance(table)
    return imbalance(np.cumsum(table, axis=0, out=table)), in_step
