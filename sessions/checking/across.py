"""What holds between the rows of a table, and between tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sessions.checking.batches import Rows
from sessions.checking.keys import RowNumbers, absent, present, repeated, repeated_pairs
from sessions.checking.problem import Problem
from sessions.schema import NOFOLLOW, UNFOLLOWED
from sessions.url import Hashes


@dataclass(frozen=True)
class Tables:
    """A session's tables as `sessions.checking.batches.read_rows` keeps them.

    ``allows_overlap``: who finds a URL may own it, so two ranks may have fetched one page.  ``is_ended``: the crawl
    came to its end, so there is a frontier.  ``honours_nofollow``: links that say nofollow were not followed;
    ``drops_links``: nor were those to URLs of other ranks.
    """

    ranks: int
    allows_overlap: bool
    is_ended: bool
    honours_nofollow: bool
    drops_links: bool
    rows: Mapping[str, Rows]

    def hashes(self, table: str, rank: int) -> Hashes:
        """The hashes in a rank's rows of a table, in order of rows."""
        rows = self.rows[table]
        hashes: Hashes = rows["hash"][rows.rank(rank)]
        return hashes

    def by_rank(self, table: str) -> Iterator[tuple[int, int]]:
        """Each rank, with the row of a table at which it begins."""
        return ((rank, int(self.rows[table].rank_starts[rank])) for rank in range(self.ranks))


def urls_are_unique(tables: Tables) -> Iterator[Problem]:
    """A URL is discovered once."""
    yield from _unique(tables, "urls", "discovered")


def pages_are_unique(tables: Tables) -> Iterator[Problem]:
    """A page is fetched once."""
    yield from _unique(tables, "pages", "fetched")


def outcomes_are_unique(tables: Tables) -> Iterator[Problem]:
    """A URL has one outcome."""
    yield from _unique(tables, "outcomes", "settled")


def frontier_is_unique(tables: Tables) -> Iterator[Problem]:
    """A URL is queued once."""
    yield from _unique(tables, "frontier", "queued")


def _unique(tables: Tables, table: str, what: str) -> Iterator[Problem]:
    rows = tables.rows[table]
    for row in _repeated(tables, table):
        yield rows.problem(row, f"page {rows['hash'][row]} was {what} before")


def _repeated(tables: Tables, table: str) -> RowNumbers:
    """Rows that say again what an earlier one says: of any rank, or where ranks may overlap, of the same."""
    if not tables.allows_overlap:
        return repeated(tables.rows[table]["hash"])
    return np.concatenate([start + repeated(tables.hashes(table, rank)) for rank, start in tables.by_rank(table)])


def overlap(tables: Tables) -> int:
    """Pages fetched more than once, counted each time but the first."""
    hashes = np.sort(tables.rows["pages"]["hash"])
    return int(np.count_nonzero(hashes[1:] == hashes[:-1]))


def pages_are_discovered(tables: Tables) -> Iterator[Problem]:
    """A page's URL is among those that its own rank discovered."""
    yield from _discovered(tables, "pages")


def outcomes_are_discovered(tables: Tables) -> Iterator[Problem]:
    """An outcome's URL is among those that its own rank discovered."""
    yield from _discovered(tables, "outcomes")


def _discovered(tables: Tables, table: str) -> Iterator[Problem]:
    rows = tables.rows[table]
    for rank, start in tables.by_rank(table):
        for row in start + absent(tables.hashes(table, rank), np.sort(tables.hashes("urls", rank))):
            yield rows.problem(row, f"page {rows['hash'][row]} is not among the URLs of rank {rank}")


def outcomes_have_no_page(tables: Tables) -> Iterator[Problem]:
    """What was filtered or failed was not fetched."""
    rows = tables.rows["outcomes"]
    for rank, start in tables.by_rank("outcomes"):
        for row in start + present(tables.hashes("outcomes", rank), np.sort(tables.hashes("pages", rank))):
            yield rows.problem(row, f"page {rows['hash'][row]} is in the pages table too")


def duplicates_are_alike(tables: Tables) -> Iterator[Problem]:
    """A page's duplicate_of is another page of the session, with the same content."""
    pages = tables.rows["pages"]
    rows = np.flatnonzero(pages["is_duplicate"])
    if not len(rows):
        return
    order = np.argsort(pages["hash"], kind="stable")
    places = np.minimum(np.searchsorted(pages["hash"][order], pages["duplicate_of"][rows]), len(order) - 1)
    firsts = order[places]
    for row in rows[pages["hash"][firsts] != pages["duplicate_of"][rows]]:
        yield pages.problem(row, f"duplicate_of {pages['duplicate_of'][row]} is not a page of any rank")
    is_known = pages["hash"][firsts] == pages["duplicate_of"][rows]
    rows, firsts = rows[is_known], firsts[is_known]
    is_same = (pages["content_digest"][rows] == pages["content_digest"][firsts]) & pages["has_digest"][rows]
    for row in rows[~is_same | (pages["decoded_bytes"][rows] != pages["decoded_bytes"][firsts])]:
        yield pages.problem(row, f"page {pages['duplicate_of'][row]}, of which it is a duplicate, has another content")


def links_are_distinct(tables: Tables) -> Iterator[Problem]:
    """A link is there once, however often it stands in its page."""
    links = tables.rows["links"]
    parts = [links.rank(rank) for rank in range(tables.ranks)] if tables.allows_overlap else [slice(0, len(links))]
    for part in parts:
        for row in part.start + repeated_pairs(links["source"][part], links["target"][part]):
            yield links.problem(row, f"the link {links['source'][row]} -> {links['target'][row]} is there before")


def links_leave_pages(tables: Tables) -> Iterator[Problem]:
    """A link's source is a page of the rank that recorded the link."""
    links = tables.rows["links"]
    for rank, start in tables.by_rank("links"):
        pages = np.sort(tables.hashes("pages", rank))
        for row in start + absent(links["source"][links.rank(rank)], pages):
            yield links.problem(row, f"source {links['source'][row]} is not a page of rank {rank}")


def exchanges_are_unique(tables: Tables) -> Iterator[Problem]:
    """A rank hands another its URLs once in a superstep."""
    sent = tables.rows["exchanges"]
    for rank, start in tables.by_rank("exchanges"):
        superstep, receiver = (sent[column][sent.rank(rank)].astype(np.uint64) for column in ("superstep", "receiver"))
        for row in start + repeated_pairs(superstep, receiver):
            text = f"rank {rank} sent to rank {sent['receiver'][row]} in superstep {sent['superstep'][row]} before"
            yield sent.problem(row, text)


def links_lead_to_urls(tables: Tables) -> Iterator[Problem]:
    """A link's target was discovered by some rank, unless the link was not followed."""
    if tables.drops_links:
        return
    links = tables.rows["links"]
    lost = absent(links["target"], np.sort(tables.rows["urls"]["hash"]))
    unfollowed = np.uint8(UNFOLLOWED | (NOFOLLOW if tables.honours_nofollow else 0))
    for row in lost[(links["flags"][lost] & unfollowed) == 0]:
        yield links.problem(row, f"target {links['target'][row]} is not among the URLs of any rank")


def frontier_is_the_rest(tables: Tables) -> Iterator[Problem]:
    """At the end, a rank's frontier is what it discovered and neither fetched nor gave up."""
    if not tables.is_ended:
        return
    urls, frontier = tables.rows["urls"], tables.rows["frontier"]
    for rank in range(tables.ranks):
        discovered, queued = tables.hashes("urls", rank), tables.hashes("frontier", rank)
        settled = np.sort(np.concatenate([tables.hashes("pages", rank), tables.hashes("outcomes", rank)]))
        left = absent(discovered, settled)
        for row in frontier.rank(rank).start + absent(queued, np.sort(discovered[left])):
            yield frontier.problem(row, f"page {frontier['hash'][row]} is settled, or unknown to rank {rank}")
        for row in urls.rank(rank).start + left[absent(discovered[left], np.sort(queued))]:
            yield urls.problem(row, f"page {urls['hash'][row]} has no page, no outcome, and is not in the frontier")


ACROSS = [
    urls_are_unique,
    pages_are_unique,
    outcomes_are_unique,
    frontier_is_unique,
    pages_are_discovered,
    outcomes_are_discovered,
    outcomes_have_no_page,
    duplicates_are_alike,
    links_are_distinct,
    links_leave_pages,
    links_lead_to_urls,
    exchanges_are_unique,
    frontier_is_the_rest,
]
