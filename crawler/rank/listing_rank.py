"""Putting a rank together that keeps to a worklist."""

from dataclasses import replace
from pathlib import Path

from crawler.frontier.listed_first import ListedFirst, in_millionths
from crawler.rank.assembly import Ground, frame_for, queued_in_memory
from crawler.rank.listed_urls import ListedUrls, most_ahead, with_listed
from crawler.rank.rank import Rank
from crawler.rank.visiting_rank import has_begun, live_discovery, visiting_rank
from crawler.worklist.worklist import open_worklist
from sessions.session import SessionError


def listing_rank(ground: Ground, path: Path) -> Rank:
    """A rank that visits what a worklist names."""
    worklist = open_worklist(path)
    if worklist.identity != ground.plan.worklist:
        raise SessionError(f"{path}: rank {ground.comm.rank} has another worklist there than rank 0")
    plan = replace(ground.plan, scope=with_listed(ground.plan.scope, worklist))
    ordering = listed_first(ground)
    frame = frame_for(ground._replace(plan=plan), ordering, merges_in_pieces=True)
    # No rule makes an exception of listed URLs, as of seeds: they were found, and not named by the user.
    discovery = live_discovery(frame, ())
    listed = ListedUrls(worklist, frame.seeding, ground.comm.rank)
    if frame.refill is not None:
        frame.refill.discovery(discovery, frame.assignment, are_listed=listed.among)
    if not has_begun(ground):
        ground.counters.listed.update(listed.record(discovery))
    listed.queue(discovery, frame.refill.own_rows if frame.refill is not None else None)
    return visiting_rank(frame, discovery, most_ahead=most_ahead(ordering.left, in_millionths(plan.options.new_share)))


def listed_first(ground: Ground) -> ListedFirst:
    """The ordering of a rank that keeps to a worklist; as many ranks as before go on where these were."""
    options, session, comm = ground.plan.options, ground.session, ground.comm
    reports = session.rank_reports() if session is not None and session.runs[-2].ranks == comm.size else []
    earlier = sum(reports[comm.rank].get("handed_out", {}).values()) if reports else 0
    return ListedFirst(
        ground.scratch,
        queued_in_memory(ground.plan),
        share=in_millionths(options.new_share),
        handed_out=ground.counters.handed_out,
        earlier=earlier,
        goes_beyond=options.beyond,
    )
