"""A session as a recording: everything that a replay needs of it, as arrays."""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crawler.replay.recording_seeds import seeds_of
from crawler.urls.hash_table import HashTable
from sessions.analysis.completeness import Incomplete, incomplete
from sessions.analysis.last_fetches import last_rows
from sessions.hash_arrays import firsts, places
from sessions.importing.imported_session import ASSIGNMENT as IMPORTED
from sessions.importing.page_list import INVENTED
from sessions.schema import FILTERED, NOFOLLOW, UNFOLLOWED
from sessions.session import Session, SessionError, damage_told
from sessions.url import Hashes

Numbers = npt.NDArray[np.int64]

_MICROSECONDS = 1e6
_FEW = 64
"""Up to so many values are read one by one sooner than Arrow copies them."""
NOT_RECORDED = "not-recorded"
"""Why a URL that the recorded session left in its frontier is not requested in a replay."""


@dataclass(frozen=True)
class Recording:
    """U URLs of a session with its n pages first, in the order in which the session has them, and their links.

    Attributes:
        urls: canonical URLs, `pa.large_string` of length U; URLs are numbered as they stand here.
        hashes: their hashes, uint64[U].
        pages: columns of the session's pages table, n rows: of a page fetched more than once, the last fetch in the
            session's order.
        starts: where each page's links begin and end, int64[n + 1].
        targets: the URL that each link leads to, int64[E]; a page's links are distinct, in document order, and none
            leads to itself.
        flags: the link's flags (`sessions.schema`), uint8[E].
        reasons: why URLs have no page, e.g. robots; int16[U - n] counts from 0 in ``reason_names``.
        reason_names: state and reason, as in the outcomes table.
        seeds: URLs that the replay starts from, int64[s], ascending: see `crawler.replay.recording_seeds`.
    """

    session: Session
    urls: pa.Array
    hashes: Hashes
    pages: pa.Table
    starts: Numbers
    targets: Numbers
    flags: npt.NDArray[np.uint8]
    reasons: npt.NDArray[np.int16]
    reason_names: list[tuple[str, str]]
    seeds: Numbers

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def page_count(self) -> int:
        """n, the number of pages."""
        return int(self.pages.num_rows)

    @cached_property
    def incomplete(self) -> Incomplete | None:
        """How the recorded crawl ended early; None if it is complete."""
        return incomplete(self.session)

    @cached_property
    def left_queued(self) -> int:
        """How many of the URLs an incomplete crawl left queued; 0 of a complete one and of an import."""
        return int(np.count_nonzero(self.reasons == 0)) if self.incomplete is not None else 0

    @cached_property
    def is_followed(self) -> npt.NDArray[np.bool_]:
        """Which links lead on, bool[E]: those that the recorded crawl followed."""
        leads_on: npt.NDArray[np.bool_] = (self.flags & unfollowed(self.session)) == 0
        return leads_on

    @cached_property
    def bytes(self) -> Numbers:
        """Length of each page's body as it was received, int64[n]."""
        lengths: Numbers = np.maximum(pc.fill_null(self.pages["bytes"], 0).to_numpy(), 0)
        return lengths

    @cached_property
    def milliseconds(self) -> npt.NDArray[np.float64]:
        """How long the request of each page took, float64[n]; 0 where that is not known."""
        times: npt.NDArray[np.float64] = pc.fill_null(self.pages["milliseconds"], 0.0).to_numpy().astype(np.float64)
        return times

    @cached_property
    def is_imported(self) -> bool:
        """Was the session made from what others have, so that no ranks fetched its pages?"""
        return _is_imported(self.session)

    @cached_property
    def has_invented_urls(self) -> bool:
        """Was it made from links between numbers, whose URLs are invented and all of one site?"""
        return self.is_imported and self.urls[0].as_py().startswith(INVENTED)

    @cached_property
    def fetchers(self) -> npt.NDArray[np.int32]:
        """The rank that fetched each page, in its last fetch, int32[n]; -1 of an import."""
        if self.is_imported:
            return np.full(self.page_count, -1, np.int32)
        ranks: npt.NDArray[np.int32] = self.pages["rank"].to_numpy().astype(np.int32)
        return ranks

    @cached_property
    def first_fetched(self) -> float:
        """When the first page was fetched, in seconds since 1970 UTC."""
        return float(pc.min(self.pages["fetched"].cast(pa.int64())).as_py()) / _MICROSECONDS

    @cached_property
    def url_bytes(self) -> Numbers:
        """Length of each URL in bytes, int64[U]."""
        lengths: Numbers = pc.binary_length(self.urls).to_numpy().astype(np.int64)
        return lengths

    def texts(self, numbers: Numbers) -> list[str]:
        """The URLs of these numbers."""
        if len(numbers) <= _FEW:
            return [self.urls[number].as_py() for number in numbers.tolist()]
        urls: list[str] = self.urls.take(pa.array(numbers)).to_pylist()
        return urls

    def numbers_of(self, hashes: Hashes) -> Numbers:
        """The number of each URL, -1 if the recording does not have it: int64[m] for uint64[m]."""
        slots = self._table.find(hashes)
        numbers: Numbers = self._table.values["number"][slots].astype(np.int64)
        numbers[slots < 0] = -1
        return numbers

    def number_of(self, url_hash: int) -> int:
        """`numbers_of` for a single URL."""
        slot = self._table.slot_of(url_hash)
        return self._table.values["number"].item(slot) if slot >= 0 else -1

    @cached_property
    def _table(self) -> HashTable:
        table = HashTable({"number": np.int32})
        table.insert(self.hashes, {"number": np.arange(len(self), dtype=np.int32)})
        return table


def recording_of(path: Path | str) -> Recording:
    """Load a session to be replayed.

    Raises SessionError if ``path`` is none, is damaged or has no pages.
    """
    session = Session.open(path)
    with damage_told(session.path):
        recording = _load(session)
    if not recording.page_count:
        raise SessionError(f"{session.path}: no pages were downloaded, so there is nothing to replay")
    return recording


def as_replayed(recording: Recording, replayed: Session, *, has_links: bool) -> Recording:
    """The recording with the times that its pages had in a replay of it, and with its links if the replay had others.

    Pages that were not fetched again have no time, and none of such links; links to URLs that are not of the recording
    are left out.
    """
    table = replayed.read("pages", ["hash", "milliseconds"])
    numbers = recording.numbers_of(table["hash"].to_numpy())
    is_page = (numbers >= 0) & (numbers < recording.page_count)
    times = np.zeros(recording.page_count)
    times[numbers[is_page]] = pc.fill_null(table["milliseconds"], 0.0).to_numpy()[is_page]
    timed = with_times(recording, times)
    if not has_links:
        return timed
    starts, targets, flags = _links(replayed, recording.hashes, np.argsort(recording.hashes), recording.page_count)
    return replace(timed, starts=starts, targets=targets, flags=flags)


def with_times(recording: Recording, milliseconds: npt.NDArray[np.float64]) -> Recording:
    """The recording with other times of its pages: float64[P]."""
    place = recording.pages.schema.get_field_index("milliseconds")
    pages = recording.pages.set_column(place, "milliseconds", pa.array(milliseconds, pa.float32()))
    return replace(recording, pages=pages)


def _load(session: Session) -> Recording:
    pages = _last_fetches(session.read("pages"))
    page_hashes = pages["hash"].to_numpy()
    seen = session.read("urls", ["hash", "url"])
    others = firsts(seen["hash"].to_numpy())
    others = others[~np.isin(seen["hash"].to_numpy()[others], page_hashes)]
    urls = pa.concat_arrays([_as_large(pages["url"]), _as_large(seen["url"]).take(pa.array(others))])
    hashes = np.concatenate([page_hashes, seen["hash"].to_numpy()[others]])
    by_hash = np.argsort(hashes)
    starts, targets, flags = _links(session, hashes, by_hash, len(page_hashes))
    reasons, names = _reasons(session, hashes, by_hash, len(page_hashes))
    is_followed = (flags & unfollowed(session)) == 0
    seeds = seeds_of(starts, targets, is_followed, _recorded_seeds(session, pages, targets, len(hashes)))
    return Recording(session, urls, hashes, pages, starts, targets, flags, reasons, names, seeds)


def unfollowed(session: Session) -> np.uint8:
    """The flags of links that were recorded and not followed."""
    return np.uint8(UNFOLLOWED | (NOFOLLOW if session.honours_nofollow else 0))


def _is_imported(session: Session) -> bool:
    return bool(session.header["assignment"] == IMPORTED)


def _recorded_seeds(session: Session, pages: pa.Table, targets: Numbers, urls: int) -> Numbers:
    """What a crawl began with: pages of depth 0, and URLs without a page that no link leads to.

    Nothing is known of an import, where every page has depth 0.
    """
    if _is_imported(session):
        return np.empty(0, np.int64)
    is_seed = np.bincount(targets, minlength=urls) == 0
    is_seed[: len(pages)] = (pages["depth"].to_numpy() == 0) & (pages["hops"].to_numpy() == 0)
    return np.flatnonzero(is_seed)


def _as_large(column: pa.ChunkedArray) -> pa.Array:
    """Strings of which there may be more than 2 GiB."""
    return pa.concat_arrays([pa.array([], pa.large_string()), *column.cast(pa.large_string()).chunks])


def _last_fetches(pages: pa.Table) -> pa.Table:
    """Each page once, as it was fetched last in the session's order, where it stands first."""
    hashes = pages["hash"].to_numpy()
    last = last_rows(hashes)
    if len(last) < len(hashes):
        pages = pages.take(pa.array(last[places(hashes[firsts(hashes)], hashes[last])]))
    return pages.combine_chunks()


def _links(
    session: Session, hashes: Hashes, by_hash: Numbers, pages: int
) -> tuple[Numbers, Numbers, npt.NDArray[np.uint8]]:
    """The links of each page as CSR: distinct ones, in the order in which they were recorded first."""
    table = session.read("links")
    sources = places(table["source"].to_numpy(), hashes, by_hash)
    targets = places(table["target"].to_numpy(), hashes, by_hash)
    kept = np.flatnonzero((sources >= 0) & (sources < pages) & (targets >= 0) & (sources != targets))
    keys = sources[kept] * len(hashes) + targets[kept]
    kept = kept[firsts(keys)]
    kept = kept[np.argsort(sources[kept], kind="stable")]
    starts = np.concatenate(([0], np.cumsum(np.bincount(sources[kept], minlength=pages)))).astype(np.int64)
    return starts, targets[kept], table["flags"].to_numpy()[kept]


def _reasons(
    session: Session, hashes: Hashes, by_hash: Numbers, pages: int
) -> tuple[npt.NDArray[np.int16], list[tuple[str, str]]]:
    """Why each URL that is no page has none, and the names of the reasons."""
    table = session.read("outcomes", ["hash", "state", "reason"])
    rows = list(zip(table["state"].to_pylist(), table["reason"].to_pylist(), strict=True))
    names = [(FILTERED, NOT_RECORDED), *sorted(set(rows))]
    numbers = {name: number for number, name in enumerate(names)}
    of_row = np.fromiter(map(numbers.__getitem__, rows), np.int16, len(rows))
    reasons = np.zeros(len(hashes), np.int16)
    urls = places(table["hash"].to_numpy(), hashes, by_hash)
    reasons[urls[urls >= 0]] = of_row[urls >= 0]
    return reasons[pages:], names


def most_linked(recording: Recording, count: int) -> Numbers:
    """Return the ``count`` URLs with most links that are followed, int64; of as many, those that it has first.

    In the order of the recording; fewer if fewer are linked to.  All ranks may know them from the start (Cho and
    Garcia-Molina 2002, section 3.2).
    """
    links = np.bincount(recording.targets[recording.is_followed], minlength=len(recording))
    order = np.argsort(-links, kind="stable")[:count]
    return np.sort(order[links[order] > 0])
