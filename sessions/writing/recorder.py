"""What one rank writes while it crawls: its tables and its WARC files, an epoch at a time."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sessions.records import RankFiles
from sessions.schema import TABLES, Page, RestRow, RobotsRow
from sessions.storage.tables import TableWriter, release_memory, sync_folder
from sessions.storage.warc import Exchange, Members
from sessions.storage.warc_file import Place, WarcSeries
from sessions.url import Hashes
from sessions.writing.merging import SmallFiles, as_record

_ROWS_PER_BATCH = 512
_RESTS_IN_MEMORY = 1 << 14
_EXTERNAL_PAIRS_IN_MEMORY = 1 << 14
LONG_REST_SECONDS = 10.0
"""A rest longer than this is worth an epoch of its own."""

Depths = npt.NDArray[np.uint16]
Hops = npt.NDArray[np.uint8]


def rank_folder(session: Path, rank: int) -> Path:
    """The folder of one rank in a session."""
    return session / f"rank-{rank:04d}"


class Recorder:
    """Writes a rank's part of a session.

    What was handed in becomes part of the session when `close_epoch` has returned on every rank and rank 0 has
    committed what they returned (`sessions.writing.commit.commit`); until then a reader does not see it.

    ``epoch`` is the number of the first epoch that this run closes.  Files carry epoch and run in their names, so a run
    that goes on with a session writes beside those before it.  ``information`` is what the WARC files say of the crawl
    (see `sessions.storage.warc_file.WarcFile`).
    """

    def __init__(
        self,
        session: Path,
        rank: int,
        run: str,
        *,
        store_bodies: bool = True,
        epoch: int = 1,
        information: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = rank_folder(session, rank)
        self._folder.mkdir(parents=True, exist_ok=True)
        sync_folder(session)
        self._tables = {name: TableWriter(self._folder, name, run) for name in TABLES}
        self._warc = WarcSeries(self._folder, f"{run}-{rank:04d}", information=information) if store_bodies else None
        self._epoch = epoch
        self._small_files = SmallFiles(session, run, epoch)
        self._pages: list[Page] = []
        self._outcomes: list[tuple[int, str, str, int]] = []
        self._robots: list[RobotsRow] = []
        self._rests: dict[str, RestRow] = {}
        self._external: Counter[tuple[str, str]] = Counter()
        self.has_long_rest = False
        """Was a rest of more than `LONG_REST_SECONDS` handed in since the last epoch closed?"""

    def prepare(self, exchange: Exchange) -> Members | None:
        """An HTTP exchange as `store` takes it, now or later; None if the session keeps no bodies."""
        return self._warc.prepare(exchange) if self._warc is not None else None

    def store(self, members: Members | None) -> Place | None:
        """Keep an HTTP exchange that was prepared; None if there is nothing to keep."""
        return self._warc.append(members) if self._warc is not None and members is not None else None

    def keep(self, exchange: Exchange) -> None:
        """Keep an HTTP exchange that is no page's, if the session keeps bodies."""
        self.store(self.prepare(exchange))

    def page(self, page: Page) -> None:
        """Add a row to the pages table."""
        self._pages.append(page)
        if len(self._pages) >= _ROWS_PER_BATCH:
            self._hand_over("pages", self._pages)

    def links(self, sources: Hashes, targets: Hashes, flags: npt.NDArray[np.uint8]) -> None:
        """Add links: the hashes of source and target pages and the flags of `sessions.schema`, one each a row."""
        self._tables["links"].append([sources, targets, flags])

    def urls(self, hashes: Hashes, urls: Sequence[str], depths: Depths, hops: Hops) -> None:
        """Add URLs that this rank has accepted as its own, on the ways on which they were found first."""
        self._tables["urls"].append([hashes, urls, depths, hops])

    def nearer(self, hashes: Hashes, depths: Depths, hops: Hops) -> None:
        """Note the least depths and fewest hops known now of URLs that were accepted before, on a longer way."""
        self._tables["nearer"].append([hashes, depths, hops])

    def referrals(self, sources: Hashes, targets: Hashes) -> None:
        """Add pairs of domains, by hash, of which the one was found to link to the other for the first time."""
        self._tables["referrals"].append([sources, targets])

    def external_sites(self, sources: Iterable[str], targets: Iterable[str]) -> None:
        """Count links out of scope: the site of each one's page, and the site that it leads to."""
        self._external.update(zip(sources, targets, strict=True))
        if len(self._external) >= _EXTERNAL_PAIRS_IN_MEMORY:
            self._hand_over_external()

    def external_urls(self, sources: Hashes, urls: Sequence[str], flags: npt.NDArray[np.uint8]) -> None:
        """Add links out of scope: the hashes of their pages, canonical URLs, and the flags of `sessions.schema`."""
        self._tables["external_urls"].append([sources, urls, flags])

    def outcome(self, url_hash: int, state: str, reason: str) -> None:
        """Note that a discovered URL will have no page: it was filtered, or it failed."""
        self._outcomes.append((url_hash, state, reason, self._epoch))
        if len(self._outcomes) >= _ROWS_PER_BATCH:
            self._hand_over("outcomes", self._outcomes)

    def robots(self, row: RobotsRow) -> None:
        """Note what came of asking an origin for its robots.txt."""
        self._robots.append(row)
        if len(self._robots) >= _ROWS_PER_BATCH:
            self._hand_over("robots", self._robots)

    def rest(self, row: RestRow) -> None:
        """Note how long a site has to rest after an answer, and how often in a row it has failed; the last counts."""
        self._rests[row.site] = row
        self.has_long_rest |= row.seconds > LONG_REST_SECONDS
        if len(self._rests) >= _RESTS_IN_MEMORY:
            self._hand_over_rests()

    def exchanges(self, columns: Sequence[npt.NDArray[Any]]) -> None:
        """Note what this rank sent at the end of a superstep: the columns of `sessions.schema.EXCHANGES`."""
        self._tables["exchanges"].append(columns)

    def frontier(self, hashes: Hashes, depths: Depths, hops: Hops, reasons: Sequence[str]) -> None:
        """Save URLs that are still queued at the session's end, and why."""
        self._tables["frontier"].append([hashes, depths, hops, reasons])

    def close_epoch(self, *, merges: bool = False) -> RankFiles:
        """Bring everything handed in so far to disk; names, lengths, rows and checksums for the commit record.

        With ``merges`` files of earlier epochs may be merged (`sessions.writing.merging`); then `remove_replaced` must
        be called once the epoch is committed.
        """
        self._hand_over("pages", self._pages)
        self._hand_over("outcomes", self._outcomes)
        self._hand_over("robots", self._robots)
        self._hand_over_rests()
        self._hand_over_external()
        self.has_long_rest = False
        finished = {name: writer.close_epoch(self._epoch) for name, writer in self._tables.items()}
        grown = self._warc.sync() if self._warc is not None else []
        folder = self._folder.name
        closed = {name: as_record(folder, file) for name, file in finished.items() if file is not None}
        tables = self._small_files.add(self._epoch, closed, merges=merges)
        release_memory()
        sync_folder(self._folder)
        self._epoch += 1
        return {
            "tables": tables,
            "warc": [{"file": f"{folder}/{name}", "bytes": length, "xxh3": xxh3} for name, length, xxh3 in grown],
        }

    def remove_replaced(self) -> None:
        """Remove files that were merged into others when the epoch before was closed, which is committed by now."""
        self._small_files.remove_replaced()

    def flush(self) -> None:
        """Hand complete WARC records to the operating system, so that little is lost if the process is killed."""
        if self._warc is not None:
            self._warc.flush()

    def close(self) -> None:
        """Release the files.  What no epoch has closed over stays uncommitted."""
        for writer in self._tables.values():
            writer.close()
        if self._warc is not None:
            self._warc.close()

    def _hand_over_rests(self) -> None:
        self._hand_over("rests", list(self._rests.values()))
        self._rests.clear()

    def _hand_over_external(self) -> None:
        self._hand_over("external_sites", [(*sites, links) for sites, links in self._external.items()])
        self._external.clear()

    def _hand_over(self, table: str, rows: list[Any]) -> None:
        if rows:
            self._tables[table].append(list(zip(*rows, strict=True)))
            rows.clear()
