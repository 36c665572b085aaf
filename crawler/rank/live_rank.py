"""Putting a rank together that visits the live web: in the order that its options name, or by a worklist."""

from typing import TYPE_CHECKING

from crawler.config.settings import settings_from
from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.ordering import ordering_named
from crawler.rank.assembly import Frame, Ground, frame_for, queued_in_memory
from crawler.rank.rank import Rank
from crawler.rank.visiting_rank import has_begun, live_discovery, visiting_rank

if TYPE_CHECKING:
    from crawler.rank.resuming.back_links import Recounting


def live_rank(ground: Ground) -> Rank:
    """A rank that visits the live web."""
    if ground.plan.options.worklist is None:
        return _ordered_rank(ground)
    from crawler.rank.listing_rank import listing_rank  # most crawls need none of it

    return listing_rank(ground, ground.plan.options.worklist)


def _ordered_rank(ground: Ground) -> Rank:
    """A rank that visits what it finds, in the order that its options name."""
    options = ground.plan.options
    settings = settings_from(options, OrderSettings)
    ordering = ordering_named(options.order, ground.scratch, queued_in_memory(ground.plan), settings)
    frame = frame_for(ground, ordering, merges_in_pieces=True)
    discovery = live_discovery(frame, ground.plan.seeds)
    if frame.refill is not None:
        frame.refill.discovery(discovery, frame.assignment, _recounting(frame))
    if not has_begun(ground):
        discovery.seed(ground.plan.seeds, frame.seeding)
    return visiting_rank(frame, discovery)


def _recounting(frame: Frame) -> "Recounting | None":
    """What counts back-links again where a session goes on, if the ordering goes by them."""
    if frame.back_links is None:
        return None
    from crawler.rank.resuming.back_links import Recounting  # which reads Parquet, as a new crawl does not

    return Recounting(frame.back_links, frame.exchange, frame.scratch, queued_in_memory(frame.plan))
