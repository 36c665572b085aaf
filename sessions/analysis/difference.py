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
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.analysis.both_webs import BothWebs, Mask, mask_of
from sessions.analysis.difference_figures import (
    BINS,
    ByteFigures,
    ChangeFigures,
    Difference,
    LinkFigures,
    Numbers,
    PageFigures,
)
from sessions.analysis.external_difference import external_figures, site_pairs
from sessions.analysis.last_fetches import last_fetches
from sessions.hash_arrays import distinct, hashes_of
from sessions.progress import Say, say_nothing
from sessions.session import Session, damage_told
from sessions.url import Hashes

_Content = TypeVar("_Content")

_STEPS = len(BINS) - 1
_HASH_BITS = 64
_ERROR_STATUS = 400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def difference(a: Session, b: Session, progress: Say = say_nothing) -> Difference:
    """How session ``b`` differs from session ``a``, of the same web and usually earlier.

    ``progress`` is told what is being done.  Raises SessionError if files of a session are damaged.
    """
    progress("reading pages")
    web = BothWebs(_undamaged(a, last_fetches), _undamaged(b, last_fetches))
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


def _page_figures(web: BothWebs, discovered_in_a: Hashes, discovered_in_b: Hashes) -> PageFigures:
    born, gone = (np.flatnonzero(mask & ~web.is_kept) for mask in (web.is_in_b, web.is_in_a))
    is_same = _is_same(web.kept_in_a, web.kept_in_b)
    fails_in_a, fails_in_b = _fails(web.kept_in_a), _fails(web.kept_in_b)
    return PageFigures(
        a=web.count(web.is_in_a),
        b=web.count(web.is_in_b),
        born=web.count(born),
        gone=web.count(gone),
        kept=web.count(web.kept),
        changed=web.count(web.kept[mask_of(pc.invert(is_same))]),
        unchanged=web.count(web.kept[mask_of(is_same)]),
        unknown=web.count(web.kept[mask_of(pc.is_null(is_same))]),
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


def _fails(pages: pa.Table) -> Mask:
    return mask_of(pc.greater_equal(pages["status"], _ERROR_STATUS))


def _degrees(
    web: BothWebs, links_in_a: tuple[Numbers, Hashes], links_in_b: tuple[Numbers, Hashes]
) -> tuple[Numbers, Numbers, Numbers]:
    """How many distinct links each page has in a, in b, and in both; int64[n] each."""
    targets = distinct(np.concatenate([links_in_a[1], links_in_b[1]]))
    keys = [distinct(pages * len(targets) + np.searchsorted(targets, its)) for pages, its in (links_in_a, links_in_b)]
    # Sorting two ascending runs takes the time of merging them.
    both = np.sort(np.concatenate(keys), kind="stable")
    keys.append(both[1:][both[1:] == both[:-1]])
    in_a, in_b, in_both = (np.bincount(its // max(1, len(targets)), minlength=len(web.hashes)) for its in keys)
    return in_a, in_b, in_both


def _link_figures(web: BothWebs, degrees: tuple[Numbers, Numbers, Numbers]) -> LinkFigures:
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


def _byte_figures(web: BothWebs) -> ByteFigures:
    kept_in_a, kept_in_b = (web.sum(rows["bytes"].to_numpy(), web.kept) for rows in (web.kept_in_a, web.kept_in_b))
    return ByteFigures(
        born=web.sum(web.b["bytes"].to_numpy(), np.flatnonzero(web.is_in_b)) - kept_in_b,
        gone=web.sum(web.a["bytes"].to_numpy(), np.flatnonzero(web.is_in_a)) - kept_in_a,
        kept_in_a=kept_in_a,
        kept_in_b=kept_in_b,
    )


def _change_figures(web: BothWebs, degrees: tuple[Numbers, Numbers, Numbers]) -> ChangeFigures:
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


def _both_known(a: pa.ChunkedArray, b: pa.ChunkedArray) -> tuple[Mask, list[npt.NDArray[Any]]]:
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
