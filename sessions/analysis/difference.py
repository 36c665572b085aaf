"""What became of a web between two sessions of it: pages and links born, gone and kept, and how much pages changed.

The sessions a and b may come from crawls or imports.  Everything is counted by site, that of the page or of the link's
source.  Pages are compared by digest as Cho and Garcia-Molina do ("The Evolution of the Web and Implications for an
Incremental Crawler", VLDB 2000), and changes told apart by how large they are as Fetterly, Manasse, Najork and Wiener
do ("A Large-Scale Study of the Evolution of Web Pages", WWW 2003), with measures that the tables allow.

**Pages.**  A page is a URL that was downloaded, whatever its status; if more than once, it is what the last fetch in
the session's order gave, with the links of all fetches.  Those answered with a document (2xx), a redirect (3xx) and an
error (4xx and 5xx) are counted apart.  A page is *born* if only b has it, *gone* if only a has it, else *kept*.  That
is what the crawls saw, not what the servers did: a crawl may have ended before a page's turn came.  So those of the
born pages are told apart that a had discovered and not downloaded (``born_seen``), and those of the gone ones that b
has discovered and not downloaded (``gone_seen``).

A kept page is *changed* if its decoded body has another SHA-1 digest, or if it redirects to another place; else
*unchanged*.  An empty body is one like any other.  Where a digest is missing, or a body was cut off or not read in
full, the page is unchanged if the server told b so (``unchanged_since`` is there, and not after the fetch in a);
else it is *unknown*.  Kept pages whose status is 400 or above in b only are *broken*, in a only *mended*.

**Links.**  A link is a distinct (source, target) pair whose source was downloaded; its target need not be.  Self-links
drop out.  Links are born, gone and kept as pages are.  One that is born came with its page, or onto a page that both
sessions have (``born_on_kept``); one that is gone went with its page, or from a page that both have
(``gone_on_kept``).  Links out of scope are none of these; sessions keep pairs of sites of them, which are born, gone
and kept, too.  The scopes of both should be the same.

**Bytes** are those of decoded bodies: they do not depend on how a body was compressed for the way, and are known of a
page that the server did not send again.  A page whose size is not known has none.

**Change** of a kept page is a number from 0 to 1, counted in `BINS`, for each page where it is defined:

- *size*: ``|x - y| / max(x, y)`` where the decoded bodies, read in full, have x and y bytes; 0 if both are empty;
- *links*: the share of links replaced, ``1 - |X & Y| / |X | Y|`` of the sets of targets (Jaccard), if one has any;
- *text*: the share of their 64 bits in which the similarity hashes differ (Charikar, STOC 2002), where both pages have
  one; of unrelated texts it is about 0.5.

An imported graph has no dates, and no sizes but those given with it.

**Memory** is in proportion to the pages and links of both sessions together: arrays, no Python object for any but
pairs of sites out of scope.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.analysis.external_difference import ExternalFigures, external_figures, site_pairs
from sessions.analysis.last_fetches import last_fetches
from sessions.hash_arrays import distinct, hashes_of, places
from sessions.progress import Say, say_nothing
from sessions.session import Session, damage_told
from sessions.url import Hashes

Numbers = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]
_Content = TypeVar("_Content")

BINS = ("0", *(f"({step / 10:g},{(step + 1) / 10:g}]" for step in range(10)))
"""The bins of change: none at all, and ten of equal width, each with its upper bound."""

_STEPS = len(BINS) - 1
_HASH_BITS = 64
_ERROR_STATUS = 400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class PageFigures:
    """Pages of each site in a and in b, and what became of them; int64[s] each."""

    a: Numbers
    b: Numbers
    born: Numbers
    gone: Numbers
    kept: Numbers
    changed: Numbers
    unchanged: Numbers
    unknown: Numbers
    broken: Numbers
    mended: Numbers
    born_seen: Numbers
    gone_seen: Numbers
    good_in_a: Numbers
    good_in_b: Numbers
    redirects_in_a: Numbers
    redirects_in_b: Numbers
    errors_in_a: Numbers
    errors_in_b: Numbers


@dataclass(frozen=True)
class LinkFigures:
    """Links from pages of each site in a and in b, and what became of them; int64[s] each."""

    a: Numbers
    b: Numbers
    born: Numbers
    gone: Numbers
    kept: Numbers
    born_on_kept: Numbers
    gone_on_kept: Numbers


@dataclass(frozen=True)
class ByteFigures:
    """Bytes of the pages of each site, int64[s] each: born, gone, and of the kept ones in a and in b."""

    born: Numbers
    gone: Numbers
    kept_in_a: Numbers
    kept_in_b: Numbers


@dataclass(frozen=True)
class ChangeFigures:
    """Kept pages of each site by how much they changed, int64[s, 11] each; the columns are `BINS`."""

    size: Numbers
    links: Numbers
    text: Numbers


@dataclass(frozen=True)
class Difference:
    """How session b differs from session a, over the s sites that have pages in either.

    Attributes:
        a, b: the sessions' folders.
        a_fetched, b_fetched: when the last of the pages was fetched, UTC; None where no page has a time.
        sites: names of the sites, ascending.
        pages, links, bytes, change, external: what is counted, by site in that order.
    """

    a: str
    b: str
    a_fetched: datetime | None
    b_fetched: datetime | None
    sites: list[str]
    pages: PageFigures
    links: LinkFigures
    bytes: ByteFigures
    change: ChangeFigures
    external: ExternalFigures

    @property
    def age(self) -> timedelta | None:
        """Time from a to b, negative if b was fetched first; None if a date is not known."""
        return self.b_fetched - self.a_fetched if self.a_fetched and self.b_fetched else None

    def total(self) -> dict[str, dict[str, Any]]:
        """The figures summed over all sites: ``{"pages": {"a": int, ...}, ..., "change": {"size": [ints], ...}}``."""
        return {
            group: {name: figure.sum(axis=0).tolist() for name, figure in figures.items()}
            for group, figures in self._groups().items()
        }

    def by_site(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The figures of each site, each in the form of `total`."""
        groups = {
            group: {name: figure.tolist() for name, figure in figures.items()}
            for group, figures in self._groups().items()
        }
        return {
            site: {group: {name: figure[row] for name, figure in groups[group].items()} for group in groups}
            for row, site in enumerate(self.sites)
        }

    def as_dict(self) -> dict[str, Any]:
        """All of it for machines: dates in ISO 8601, the age in days, figures in total and by site."""
        return {
            "a": {"session": self.a, "fetched": self.a_fetched and self.a_fetched.isoformat()},
            "b": {"session": self.b, "fetched": self.b_fetched and self.b_fetched.isoformat()},
            "days": None if self.age is None else self.age / timedelta(days=1),
            "bins": list(BINS),
            "total": self.total(),
            "sites": self.by_site(),
        }

    def _groups(self) -> dict[str, dict[str, Numbers]]:
        return {group: asdict(getattr(self, group)) for group in ("pages", "links", "bytes", "change", "external")}


def difference(a: Session, b: Session, progress: Say = say_nothing) -> Difference:
    """How session ``b`` differs from session ``a``, of the same web and usually earlier.

    ``progress`` is told what is being done.  Raises SessionError if files of a session are damaged.
    """
    progress("reading pages")
    web = _Web(_undamaged(a, last_fetches), _undamaged(b, last_fetches))
    progress("comparing pages")
    pages = _page_figures(web, _undamaged(a, _discovered), _undamaged(b, _discovered))
    progress("reading links")
    degrees = _degrees(web, _undamaged(a, web.links_of), _undamaged(b, web.links_of))
    progress("comparing links")
    return Difference(
        a=str(a.path),
        b=str(b.path),
        a_fetched=_last(web.a["fetched"]),
        b_fetched=_last(web.b["fetched"]),
        sites=web.site_names,
        pages=pages,
        links=_link_figures(web, degrees),
        bytes=_byte_figures(web),
        change=_change_figures(web, degrees),
        external=external_figures(_undamaged(a, site_pairs), _undamaged(b, site_pairs), web.site_names),
    )


def _undamaged(session: Session, read: Callable[[Session], _Content]) -> _Content:
    with damage_told(session.path):
        return read(session)


def _discovered(session: Session) -> Hashes:
    return hashes_of(session.read("urls", ["hash"]), "hash")


class _Web:
    """The n pages of either session, by ascending hash, and their sites."""

    def __init__(self, a: pa.Table, b: pa.Table) -> None:
        self.a, self.b = a, b
        in_a, in_b = (hashes_of(table, "hash") for table in (a, b))
        self.hashes = distinct(np.concatenate([in_a, in_b]))
        self._row_in_a, self._row_in_b = places(self.hashes, in_a), places(self.hashes, in_b)
        self.is_in_a, self.is_in_b = self._row_in_a >= 0, self._row_in_b >= 0
        self.is_kept = self.is_in_a & self.is_in_b
        self.site_names, self._sites = self._numbered_sites()

    @cached_property
    def kept(self) -> Numbers:
        """The pages that both sessions have."""
        return np.flatnonzero(self.is_kept)

    @cached_property
    def kept_in_a(self) -> pa.Table:
        """Their rows in a; in the same order as those in b."""
        return self.a.take(pa.array(self._row_in_a[self.kept]))

    @cached_property
    def kept_in_b(self) -> pa.Table:
        """Their rows in b."""
        return self.b.take(pa.array(self._row_in_b[self.kept]))

    def count(self, pages: _Mask | Numbers) -> Numbers:
        """How many of these pages each site has."""
        return np.bincount(self._sites[pages], minlength=len(self.site_names))

    def answered(self, session: Literal["a", "b"], status: int) -> Numbers:
        """How many pages of each site a session has whose status is from this one on, less than 100 above it."""
        rows, pages = (self.a, self.is_in_a) if session == "a" else (self.b, self.is_in_b)
        is_such = _mask(pc.equal(pc.divide(rows["status"], 100), status // 100))
        return self.count(np.flatnonzero(pages)[is_such])

    def sum(self, amounts: Numbers, pages: Numbers | slice = slice(None)) -> Numbers:
        """What these pages of each site, or all, have together; exact up to 2^53."""
        sums = np.bincount(self._sites[pages], weights=amounts, minlength=len(self.site_names))
        return sums.astype(np.int64)

    def histogram(self, pages: Numbers, bins: Numbers) -> Numbers:
        """How many of these pages each site has in each bin, int64[s, 11]."""
        shape = len(self.site_names), len(BINS)
        return np.bincount(self._sites[pages] * len(BINS) + bins, minlength=shape[0] * shape[1]).reshape(shape)

    def links_of(self, session: Session) -> tuple[Numbers, Hashes]:
        """Source page and target hash of a session's links; they may repeat."""
        table = session.read("links", ["source", "target"])
        sources, targets = hashes_of(table, "source"), hashes_of(table, "target")
        pages = places(sources, self.hashes)
        is_link = (pages >= 0) & (sources != targets)
        return pages[is_link], targets[is_link]

    def _numbered_sites(self) -> tuple[list[str], Numbers]:
        columns = [table["site"].combine_chunks() for table in (self.a, self.b)]
        names = [column.dictionary.to_pylist() for column in columns]
        together = sorted({*names[0], *names[1]})
        numbers = {name: number for number, name in enumerate(together)}
        sites = np.zeros(len(self.hashes), np.int64)
        for column, its, rows in zip(columns, names, (self._row_in_a, self._row_in_b), strict=True):
            of_row = np.array([numbers[name] for name in its], np.int64)[column.indices.to_numpy()]
            sites[rows >= 0] = of_row[rows[rows >= 0]]
        return together, sites


def _page_figures(web: _Web, discovered_in_a: Hashes, discovered_in_b: Hashes) -> PageFigures:
    born, gone = (np.flatnonzero(mask & ~web.is_kept) for mask in (web.is_in_b, web.is_in_a))
    is_same = _is_same(web.kept_in_a, web.kept_in_b)
    fails_in_a, fails_in_b = _fails(web.kept_in_a), _fails(web.kept_in_b)
    return PageFigures(
        a=web.count(web.is_in_a),
        b=web.count(web.is_in_b),
        born=web.count(born),
        gone=web.count(gone),
        kept=web.count(web.kept),
        changed=web.count(web.kept[_mask(pc.invert(is_same))]),
        unchanged=web.count(web.kept[_mask(is_same)]),
        unknown=web.count(web.kept[_mask(pc.is_null(is_same))]),
        broken=web.count(web.kept[~fails_in_a & fails_in_b]),
        mended=web.count(web.kept[fails_in_a & ~fails_in_b]),
        born_seen=web.count(born[np.isin(web.hashes[born], discovered_in_a)]),
        gone_seen=web.count(gone[np.isin(web.hashes[gone], discovered_in_b)]),
        good_in_a=web.answered("a", 200),
        good_in_b=web.answered("b", 200),
        redirects_in_a=web.answered("a", 300),
        redirects_in_b=web.answered("b", 300),
        errors_in_a=web.answered("a", 400) + web.answered("a", 500),
        errors_in_b=web.answered("b", 400) + web.answered("b", 500),
    )


def _is_same(a: pa.Table, b: pa.Table) -> pa.ChunkedArray:
    """Whether each page is what it was; null where that is not known."""
    was_told_so = pc.less_equal(b["unchanged_since"], a["fetched"])
    is_same_document = pc.coalesce(pc.equal(a["document"], b["document"]), pc.if_else(was_told_so, True, None))
    redirects_elsewhere = pc.fill_null(pc.not_equal(a["redirect"], b["redirect"]), False)
    return pc.and_kleene(is_same_document, pc.invert(redirects_elsewhere))


def _fails(pages: pa.Table) -> _Mask:
    return _mask(pc.greater_equal(pages["status"], _ERROR_STATUS))


def _mask(answers: pa.ChunkedArray) -> _Mask:
    """Where the answer is yes; null is no."""
    mask: _Mask = pc.fill_null(answers, False).to_numpy()
    return mask


def _degrees(
    web: _Web, links_in_a: tuple[Numbers, Hashes], links_in_b: tuple[Numbers, Hashes]
) -> tuple[Numbers, Numbers, Numbers]:
    """How many distinct links each page has in a, in b, and in both; int64[n] each."""
    targets = distinct(np.concatenate([links_in_a[1], links_in_b[1]]))
    keys = [distinct(pages * len(targets) + np.searchsorted(targets, its)) for pages, its in (links_in_a, links_in_b)]
    # Sorting two ascending runs takes the time of merging them.
    both = np.sort(np.concatenate(keys), kind="stable")
    keys.append(both[1:][both[1:] == both[:-1]])
    in_a, in_b, in_both = (np.bincount(its // max(1, len(targets)), minlength=len(web.hashes)) for its in keys)
    return in_a, in_b, in_both


def _link_figures(web: _Web, degrees: tuple[Numbers, Numbers, Numbers]) -> LinkFigures:
    in_a, in_b, in_both = degrees
    return LinkFigures(
        a=web.sum(in_a),
        b=web.sum(in_b),
        born=web.sum(in_b - in_both),
        gone=web.sum(in_a - in_both),
        kept=web.sum(in_both),
        born_on_kept=web.sum((in_b - in_both)[web.kept], web.kept),
        gone_on_kept=web.sum((in_a - in_both)[web.kept], web.kept),
    )


def _byte_figures(web: _Web) -> ByteFigures:
    kept_in_a, kept_in_b = (web.sum(rows["bytes"].to_numpy(), web.kept) for rows in (web.kept_in_a, web.kept_in_b))
    return ByteFigures(
        born=web.sum(web.b["bytes"].to_numpy(), np.flatnonzero(web.is_in_b)) - kept_in_b,
        gone=web.sum(web.a["bytes"].to_numpy(), np.flatnonzero(web.is_in_a)) - kept_in_a,
        kept_in_a=kept_in_a,
        kept_in_b=kept_in_b,
    )


def _change_figures(web: _Web, degrees: tuple[Numbers, Numbers, Numbers]) -> ChangeFigures:
    a, b = web.kept_in_a, web.kept_in_b
    has_sizes, (x, y) = _both_known(a["size"], b["size"])
    has_texts, (text_a, text_b) = _both_known(a["simhash"], b["simhash"])
    in_a, in_b, in_both = (degree[web.kept] for degree in degrees)
    union = in_a + in_b - in_both
    has_links = union > 0
    differing_bits = np.bitwise_count(text_a ^ text_b).astype(np.int64)
    return ChangeFigures(
        size=web.histogram(web.kept[has_sizes], _bins(np.abs(x - y), np.maximum(x, y))),
        links=web.histogram(web.kept[has_links], _bins((union - in_both)[has_links], union[has_links])),
        text=web.histogram(web.kept[has_texts], _bins(differing_bits, np.full(len(differing_bits), _HASH_BITS))),
    )


def _both_known(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[_Mask, list[npt.NDArray[Any]]]:
    """Where two columns have both a value, and the values there."""
    is_known = pc.and_(pc.is_valid(a), pc.is_valid(b))
    return is_known.to_numpy(), [column.filter(is_known).to_numpy() for column in (a, b)]


def _bins(parts: Numbers, wholes: Numbers) -> Numbers:
    """The bin of each share part / whole, in whole numbers so that bounds are exact; of 0 / 0 it is the first."""
    return -(-_STEPS * parts // np.maximum(wholes, 1))


def _last(times: pa.ChunkedArray) -> datetime | None:
    """The latest of timestamps in microseconds."""
    known = times.drop_null().cast(pa.int64()).to_numpy()
    return _EPOCH + timedelta(microseconds=int(known.max())) if len(known) else None
