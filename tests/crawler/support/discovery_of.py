"""Discovery as a rank has it, put together from few words."""

from pathlib import Path
from typing import Any

from crawler.discovery.admission import Admission
from crawler.discovery.depth_limits import Limits
from crawler.discovery.discovery import Discovery
from crawler.discovery.own_urls import OwnUrls
from crawler.discovery.sent_urls import SentUrls
from crawler.discovery.url_seen import Seen
from crawler.frontier.ordering import Ordering
from crawler.monitoring.counters import Counters
from partition.assignment.assignment import Assignment


def discovery_of(
    rank: int,
    assignment: Assignment,
    *,
    admission: Admission,
    limits: Limits,
    ordering: Ordering,
    recorder: Any,
    counters: Counters,
    folder: Path,
    budget: int,
    later: Ordering | None = None,
    merges_in_pieces: bool = False,
    **others: Any,
) -> Discovery:
    """What becomes of the links that a rank finds; URLs seen and URLs sent have ``budget`` bytes of memory each."""
    seen, sent = (Seen(folder, name, budget, limits, in_pieces=merges_in_pieces) for name in ("seen", "sent"))
    own = OwnUrls(rank, seen, admission, ordering=ordering, later=later, recorder=recorder, counters=counters)
    ranks = SentUrls(sent, assignment.ranks, folder)
    return Discovery(rank, assignment, own=own, sent=ranks, recorder=recorder, counters=counters, **others)
