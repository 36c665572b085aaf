"""Pages and the response records that hold their bodies: each has exactly one of the other, and they agree.

A revisit record stands for the response where the body is stored elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sessions.checking.hash_queries import RowNumbers, where
from sessions.checking.problem import Problem
from sessions.checking.read_tables import Rows
from sessions.checking.warc_records import (
    IDENTICAL_REVISIT,
    NO_REVISIT,
    UNKNOWN_REVISIT,
    UNMODIFIED_REVISIT,
    Responses,
)
from sessions.hash_arrays import grouped, places


@dataclass(frozen=True)
class Pairs:
    """Pages of one WARC file and its responses: page ``rows[i]`` names response ``responses[i]``.

    ``lost`` are the pages that name an offset at which there is no response, ``uses`` int64[responses] says how many
    pages name each.
    """

    warc: str
    pages: Rows
    found: Responses
    rows: RowNumbers
    responses: RowNumbers
    lost: RowNumbers
    uses: npt.NDArray[np.int64]


def rows_by_warc(pages: Rows, warcs: int) -> list[RowNumbers]:
    """For each of the session's WARC files, the pages that name it."""
    order, bounds = grouped(pages["warc"], warcs)
    return [order[start:stop] for start, stop in pairwise(bounds)]


def pair(warc: str, pages: Rows, rows: RowNumbers, found: Responses) -> Pairs:
    """Pair the pages ``rows``, which name the WARC file ``warc``, with the responses that were found in it."""
    # what lies behind a damaged record has not been seen, so nothing can be said of it
    rows = rows[pages["warc_offset"][rows] < found.readable]
    offsets = pages["warc_offset"][rows]
    responses = places(offsets, found.offset)
    is_found = responses >= 0
    uses = np.bincount(responses[is_found], minlength=len(found.offset))
    return Pairs(warc, pages, found, rows[is_found], responses[is_found], rows[~is_found], uses)


def page_has_response(pairs: Pairs) -> Iterator[Problem]:
    """A page's warc_offset is that of a response record."""
    for row in pairs.lost:
        offset = pairs.pages["warc_offset"][row]
        yield pairs.pages.problem(row, f"warc_offset {offset} is not that of a response record in {pairs.warc}")


def response_has_page(pairs: Pairs) -> Iterator[Problem]:
    """A response record belongs to exactly one page."""
    for response in where(pairs.uses != 1):
        text = f"a response record with {pairs.uses[response]} pages"
        yield Problem(pairs.warc, int(pairs.found.offset[response]), text)


def target_uri_is_the_pages(pairs: Pairs) -> Iterator[Problem]:
    """A response's WARC-Target-URI is the page's URL."""
    for index in where(pairs.pages["hash"][pairs.rows] != pairs.found.uri[pairs.responses]):
        yield _problem(pairs, index, "has another WARC-Target-URI")


def bytes_are_the_payloads(pairs: Pairs) -> Iterator[Problem]:
    """A page's bytes are the length of the stored payload; a revisit record has none."""
    stored, told = pairs.found.size[pairs.responses], pairs.pages["bytes"][pairs.rows]
    for index in where((stored != told) & ~is_revisit(pairs)):
        yield _problem(pairs, index, f"holds {stored[index]:,} bytes, the page says {told[index]:,}")


def status_is_the_responses(pairs: Pairs) -> Iterator[Problem]:
    """A page's status is that of the stored HTTP message."""
    stored, told = pairs.found.status[pairs.responses], pairs.pages["status"][pairs.rows]
    for index in where((stored != told) & (stored >= 0)):
        yield _problem(pairs, index, f"has status {stored[index]}, the page says {told[index]}")


def content_is_the_decoded_body(pairs: Pairs) -> Iterator[Problem]:
    """A page's content_digest and decoded_bytes are those of the decoded body.

    Only where that can be told: what is cut off is decoded as far as possible, which is not repeated here.
    """
    can_tell = _is_verified(pairs)
    found, pages = pairs.found, pairs.pages
    told, length = pages["content_digest"][pairs.rows], pages["decoded_bytes"][pairs.rows]
    has_digest = pages["has_digest"][pairs.rows]
    content, content_size = found.content[pairs.responses], found.content_size[pairs.responses]
    # a body of no bytes needs no digest
    for index in where(can_tell & ~has_digest & (content_size > 0)):
        yield _problem(pairs, index, "can be decoded, but the page has no content_digest")
    for index in where(can_tell & has_digest & (told != content)):
        yield _problem(pairs, index, "has a content with another SHA-1 than the page's content_digest")
    for index in where(can_tell & (length != content_size)):
        text = f"decodes to {content_size[index]:,} bytes, the page's decoded_bytes are {length[index]:,}"
        yield _problem(pairs, index, text)


def revisit_is_the_pages(pairs: Pairs) -> Iterator[Problem]:
    """A revisit record tells what its page tells: of which it is a duplicate, or that it has not changed."""
    found, pages = pairs.found, pairs.pages
    revisit, refers = found.revisit[pairs.responses], found.refers[pairs.responses]
    is_unchanged = pages["is_unchanged"][pairs.rows]
    same_first = pages["is_duplicate"][pairs.rows] & (pages["duplicate_of"][pairs.rows] == refers)
    for index in where((revisit == IDENTICAL_REVISIT) & ~same_first):
        yield _problem(pairs, index, "is a revisit of another page than duplicate_of")
    is_unmodified = revisit == UNMODIFIED_REVISIT
    for index in where(is_unmodified != is_unchanged):
        yield _problem(pairs, index, "says otherwise than unchanged_since whether the page has changed")
    for index in where(is_unmodified & (refers != pages["hash"][pairs.rows])):
        yield _problem(pairs, index, "is unmodified since another page was fetched")
    for index in where(revisit == UNKNOWN_REVISIT):
        yield _problem(pairs, index, "is a revisit of an unknown profile")


def revisits_repeat_responses(
    warcs: Sequence[tuple[str, Responses]], dropped: datetime | None = None
) -> Iterator[Problem]:
    """What a revisit record refers to is the response of that page, whose payload has the same digest.

    Asked of all WARC files of a session together.  Records from before the time until which bodies were ``dropped`` may
    refer to one that was: they are left where that was broken off, and go with the next try.
    """
    until = int(dropped.timestamp() * 1e6) if dropped is not None else 0
    is_response = [found.revisit == NO_REVISIT for _, found in warcs]
    uris = np.concatenate([found.uri[mask] for (_, found), mask in zip(warcs, is_response, strict=True)])
    payloads = np.concatenate([found.payload[mask] for (_, found), mask in zip(warcs, is_response, strict=True)])
    order = np.argsort(uris, kind="stable")
    uris, payloads = uris[order], payloads[order]
    for name, found in warcs:
        for index in where((found.revisit == IDENTICAL_REVISIT) & (found.date >= until)):
            start, stop = (
                np.searchsorted(uris, found.refers[index]),
                np.searchsorted(uris, found.refers[index], "right"),
            )
            if not (payloads[start:stop] == found.payload[index]).any():
                text = "a revisit record of a payload that the page which it refers to does not have"
                yield Problem(name, int(found.offset[index]), text)


def is_revisit(pairs: Pairs) -> npt.NDArray[np.bool_]:
    """Whether each page has a revisit record, without a body, in the place of a response."""
    revisit: npt.NDArray[np.bool_] = pairs.found.revisit[pairs.responses] != NO_REVISIT
    return revisit


def unverified(pairs: Pairs) -> npt.NDArray[np.bool_]:
    """Whether the decoded body of each pair is out of reach: cut off, damaged, or in an unknown encoding."""
    return ~_is_verified(pairs) & ~is_revisit(pairs)


def _is_verified(pairs: Pairs) -> npt.NDArray[np.bool_]:
    is_cut = pairs.pages["is_cut"][pairs.rows] | pairs.found.is_cut[pairs.responses]
    known: npt.NDArray[np.bool_] = ~is_cut & (pairs.found.content_size[pairs.responses] >= 0)
    return known


def _problem(pairs: Pairs, index: int, text: str) -> Problem:
    offset = pairs.found.offset[pairs.responses[index]]
    return pairs.pages.problem(int(pairs.rows[index]), f"its response in {pairs.warc}, offset {offset}, {text}")


BODY_CHECKS = [
    page_has_response,
    response_has_page,
    target_uri_is_the_pages,
    bytes_are_the_payloads,
    status_is_the_responses,
    revisit_is_the_pages,
    content_is_the_decoded_body,
]
