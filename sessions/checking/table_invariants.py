"""What holds between the rows of a table, and between tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sessions.checking.hash_queries import RowNumbers, absent, present, repeated, repeated_pairs
from sessions.checking.problem import Problem
from sessions.checking.read_tables import Rows
from sessions.hash_arrays import places
from sessions.schema import NOFOLLOW, UNFOLLOWED
from sessions.url import Hashes


@dataclass(frozen=True)
class Part:
    """Rows of each table: those of a rank, or of all."""

    rows: Mapping[str, Rows]
    name: str
    places: Mapping[str, slice]

    def hashes(self, table: str) -> Hashes:
        """The hashes of pages, in order of rows."""
        return self.column(table, "hash")

    def column(self, table: str, column: str) -> npt.NDArray[Any]:
        """A column, in order of rows."""
        values: npt.NDArray[Any] = self.rows[table][column][self.places[table]]
        return values

    def start(self, table: str) -> int:
        """The row of the table at which the part begins."""
        return int(self.places[table].start)


@dataclass(frozen=True)
class Tables:
    """A session's tables as `sessions.checking.read_tables.read_rows` keeps them.

    ``allows_overlap``: who finds a URL may own it, so two ranks may have fetched one page.  ``has_moved``: URLs may
    have changed their owner from run to run, so what one rank discovered another may have settled.  ``is_ended``: the
    crawl came to its end, so there is a frontier.  ``honours_nofollow``: links that say nofollow were not followed;
    ``drops_links``: nor were those to URLs of other ranks.
    """

    ranks: int
    allows_overlap: bool
    has_moved: bool
    is_ended: bool
    honours_nofollow: bool
    drops_links: bool
    rows: Mapping[str, Rows]

    @property
    def has_many_owners(self) -> bool:
        """Whether a URL may be of several ranks, and it cannot be told any more of which."""
        return self.allows_overlap and self.has_moved

    def each_rank(self) -> list[Part]:
        """What each rank recorded."""
        return [
            Part(self.rows, f"rank {rank}", {name: rows.rank(rank) for name, rows in self.rows.items()})
            for rank in range(self.ranks)
        ]

    @property
    def whole(self) -> Part:
        """What all ranks recorded."""
        return Part(self.rows, "any rank", {name: slice(0, len(rows)) for name, rows in self.rows.items()})

    def in_place(self) -> list[Part]:
        """What refers to itself only: what each rank recorded, or once URLs have moved, all of them together."""
        return [self.whole] if self.has_moved else self.each_rank()


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
    return np.concatenate([part.start(table) + repeated(part.hashes(table)) for part in tables.each_rank()])


def overlap(tables: Tables) -> int:
    """Pages fetched more than once, counted each time but the first."""
    hashes = np.sort(tables.rows["pages"]["hash"])
    return int(np.count_nonzero(hashes[1:] == hashes[:-1]))


def pages_are_discovered(tables: Tables) -> Iterator[Problem]:
    """A page's URL is among those that its own rank discovered, or if URLs have moved, any."""
    yield from _discovered(tables, "pages")


def outcomes_are_discovered(tables: Tables) -> Iterator[Problem]:
    """An outcome's URL is among those that its own rank discovered, or if URLs have moved, any."""
    yield from _discovered(tables, "outcomes")


def nearer_urls_are_discovered(tables: Tables) -> Iterator[Problem]:
    """A URL that was found nearer is among those that its own rank discovered, or if URLs have moved, any."""
    yield from _discovered(tables, "nearer")


def _discovered(tables: Tables, table: str) -> Iterator[Problem]:
    rows = tables.rows[table]
    for part in tables.in_place():
        for row in part.start(table) + absent(part.hashes(table), np.sort(part.hashes("urls"))):
            yield rows.problem(row, f"page {rows['hash'][row]} is not among the URLs of {part.name}")


def ways_get_shorter(tables: Tables) -> Iterator[Problem]:
    """A URL that was found nearer is nearer, by links or by redirects, than it was when it was discovered."""
    if tables.has_many_owners:
        return
    nearer = tables.rows["nearer"]
    for part in tables.in_place():
        found = part.hashes("nearer")
        if not len(found):
            continue
        discovered = part.hashes("urls")
        urls = places(found, discovered, np.argsort(discovered, kind="stable"))
        known = np.flatnonzero(urls >= 0)
        urls = urls[known]
        depths, hops = (
            part.column("nearer", column)[known].astype(np.int64) - part.column("urls", column)[urls]
            for column in ("depth", "hops")
        )
        for row in part.start("nearer") + known[(depths > 0) | (hops > 0) | ((depths == 0) & (hops == 0))]:
            yield nearer.problem(row, f"page {nearer['hash'][row]} is no nearer than where it was discovered")


def outcomes_have_no_page(tables: Tables) -> Iterator[Problem]:
    """What was filtered or failed was not fetched."""
    rows = tables.rows["outcomes"]
    for part in tables.each_rank() if tables.has_many_owners else tables.in_place():
        for row in part.start("outcomes") + present(part.hashes("outcomes"), np.sort(part.hashes("pages"))):
            yield rows.problem(row, f"page {rows['hash'][row]} is in the pages table too")


def duplicates_are_alike(tables: Tables) -> Iterator[Problem]:
    """A page's duplicate_of is another page of the session, with the same content."""
    pages = tables.rows["pages"]
    rows = np.flatnonzero(pages["is_duplicate"])
    if not len(rows):
        return
    firsts = places(pages["duplicate_of"][rows], pages["hash"], np.argsort(pages["hash"], kind="stable"))
    for row in rows[firsts < 0]:
        yield pages.problem(row, f"duplicate_of {pages['duplicate_of'][row]} is not a page of any rank")
    rows, firsts = rows[firsts >= 0], firsts[firsts >= 0]
    is_same = (pages["content_digest"][rows] == pages["content_digest"][firsts]) & pages["has_digest"][rows]
    for row in rows[~is_same | (pages["decoded_bytes"][rows] != pages["decoded_bytes"][firsts])]:
        yield pages.problem(
            row, f"page {pages['duplicate_of'][row]}, of which it is a duplicate, has different content"
        )


def links_are_distinct(tables: Tables) -> Iterator[Problem]:
    """A link is there once, however often it stands in its page."""
    links = tables.rows["links"]
    for part in tables.each_rank() if tables.allows_overlap else [tables.whole]:
        sources, targets = part.column("links", "source"), part.column("links", "target")
        for row in part.start("links") + repeated_pairs(sources, targets):
            yield links.problem(row, f"the link {links['source'][row]} -> {links['target'][row]} is there before")


def links_leave_pages(tables: Tables) -> Iterator[Problem]:
    """A link's source is a page of the rank that recorded the link."""
    links = tables.rows["links"]
    for part in tables.each_rank():
        for row in part.start("links") + absent(part.column("links", "source"), np.sort(part.hashes("pages"))):
            yield links.problem(row, f"source {links['source'][row]} is not a page of {part.name}")


def exchanges_are_unique(tables: Tables) -> Iterator[Problem]:
    """A rank hands another its URLs once in a superstep."""
    sent = tables.rows["exchanges"]
    for part in tables.each_rank():
        superstep, receiver = (part.column("exchanges", name).astype(np.uint64) for name in ("superstep", "receiver"))
        for row in part.start("exchanges") + repeated_pairs(superstep, receiver):
            text = f"{part.name} sent to rank {sent['receiver'][row]} in superstep {sent['superstep'][row]} before"
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
    """At the end, a rank's frontier is what it discovered and neither fetched nor gave up.

    Once URLs have moved that holds for all ranks together; and where two may own one URL as well, only that each that
    nobody settled is queued.
    """
    if not tables.is_ended:
        return
    urls, frontier = tables.rows["urls"], tables.rows["frontier"]
    for part in tables.in_place():
        discovered, queued = part.hashes("urls"), part.hashes("frontier")
        settled = np.sort(np.concatenate([part.hashes("pages"), part.hashes("outcomes")]))
        left = absent(discovered, settled)
        may_be_queued = discovered if tables.has_many_owners else discovered[left]
        for row in part.start("frontier") + absent(queued, np.sort(may_be_queued)):
            yield frontier.problem(row, f"page {frontier['hash'][row]} is settled, or unknown to {part.name}")
        for row in part.start("urls") + left[absent(discovered[left], np.sort(queued))]:
            yield urls.problem(row, f"page {urls['hash'][row]} has no page, no outcome, and is not in the frontier")


ACROSS = [
    urls_are_unique,
    pages_are_unique,
    outcomes_are_unique,
    frontier_is_unique,
    pages_are_discovered,
    outcomes_are_discovered,
    nearer_urls_are_discovered,
    ways_get_shorter,
    outcomes_have_no_page,
    duplicates_are_alike,
    links_are_distinct,
    links_leave_pages,
    links_lead_to_urls,
    exchanges_are_unique,
    frontier_is_the_rest,
]
