"""The session that an import makes: one rank, one epoch, no bodies; it gets its name when it is whole.

Until then it lies beside that place in a folder with a dot before its name, which goes away when the import fails or
is interrupted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.counters import nothing_counted
from sessions.peak_memory import peak_memory
from sessions.records import Header, Report
from sessions.schema import Page
from sessions.session import new_run_id
from sessions.url import Hashes
from sessions.writing.atomic_folder import whole_folder
from sessions.writing.commit import claim, commit
from sessions.writing.recorder import Depths, Hops, Recorder

ASSIGNMENT = "imported"
ENDING = "imported"
NOT_IMPORTED = "not-imported"
"""Why a URL that others link to stays in the frontier: nothing that was imported tells more of it."""

_RANK = 0


class _Recorder(Recorder):
    """A recorder that takes pages by the column as well: for millions of pages that differ in little."""

    def pages(self, rows: pa.RecordBatch) -> None:
        """Add rows to the pages table."""
        self._tables["pages"].append(rows.columns)


class ImportedSession:
    """Takes rows, as a `Recorder` does, and counts them.  `imported_session` makes it and finishes it.

    ``folder`` is where it lies until it is whole, ``started`` is when the import began, in UTC, and ``run`` its name.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self.folder = folder
        self.run = run
        self.started = datetime.now(UTC)
        self._recorder = _Recorder(folder, _RANK, run, store_bodies=False)
        self._began = perf_counter(), process_time()
        self._statuses: Counter[int] = Counter()
        self.pages = self.bytes = self.decoded_bytes = self.links = self.discovered = self.queued = 0

    def add_page(self, page: Page) -> None:
        """Add a page.  Its URL is added by `add_urls`."""
        self._recorder.page(page)
        self._statuses[page.status] += 1
        self.pages += 1
        self.bytes += page.bytes
        self.decoded_bytes += page.decoded_bytes

    def add_pages(self, rows: pa.RecordBatch) -> None:
        """Add pages, as rows of `sessions.schema.PAGES`."""
        self._recorder.pages(rows)
        for status, count in zip(*np.unique(rows["status"].to_numpy(), return_counts=True), strict=True):
            self._statuses[int(status)] += int(count)
        self.pages += rows.num_rows
        self.bytes += int(rows["bytes"].to_numpy().sum())
        self.decoded_bytes += int(rows["decoded_bytes"].to_numpy().sum())

    def add_urls(self, hashes: Hashes, urls: Sequence[str]) -> None:
        """Add URLs of pages and of targets of links, each once."""
        self._recorder.urls(hashes, urls, *_nowhere(len(hashes)))
        self.discovered += len(hashes)

    def add_links(self, sources: Hashes, targets: Hashes, flags: npt.NDArray[np.uint8]) -> None:
        """Add distinct links between URLs that are added before or after; no page links to itself."""
        self._recorder.links(sources, targets, flags)
        self.links += len(sources)

    def leave(self, hashes: Hashes) -> None:
        """Put URLs that have no page into the frontier."""
        self._recorder.frontier(hashes, *_nowhere(len(hashes)), [NOT_IMPORTED] * len(hashes))
        self.queued += len(hashes)

    def commit(self, folder: Path, header: Header) -> None:
        """Bring everything to disk and end the session."""
        entry = self._recorder.close_epoch()
        report = self._report()
        commit(folder, header, 0, [{**entry, "report": report}], {"reason": ENDING, "seconds": report["seconds"]})

    def close(self) -> None:
        """Release the files."""
        self._recorder.close()

    def _report(self) -> Report:
        seconds, cpu = (now - began for now, began in zip((perf_counter(), process_time()), self._began, strict=True))
        queued = {NOT_IMPORTED: self.queued} if self.queued else {}
        return nothing_counted() | {
            "discovered": self.discovered,
            "fetched": self.pages,
            "queued": self.queued,
            "reasons": {"failed": {}, "filtered": {}, "queued": queued},
            "statuses": {str(status): count for status, count in sorted(self._statuses.items())},
            "links": self.links,
            "bytes": self.bytes,
            "decoded_bytes": self.decoded_bytes,
            "seconds": seconds,
            "cpu": {"other": cpu},
            "peak_rss": peak_memory(),
        }


def _nowhere(count: int) -> tuple[Depths, Hops]:
    """Depths and hops of URLs to which no way from a seed is known."""
    return np.zeros(count, np.uint16), np.zeros(count, np.uint8)


@contextmanager
def imported_session(out: Path, kind: str, sources: Mapping[str, Any]) -> Iterator[ImportedSession]:
    """A session to fill, which becomes ``out`` at the end of the with statement.

    ``kind`` says what it is made from, and ``sources`` by what files; both are noted as its configuration.  If the
    statement ends with an exception, nothing is left.  Raises SessionError
    if ``out`` is there and not an empty folder, and OSError if it cannot be written.
    """
    with whole_folder(out) as partial:
        run = new_run_id()
        configuration = {"import": kind, **sources}
        header = claim(partial, run=run, ranks=1, assignment=ASSIGNMENT, configuration=configuration)
        session = ImportedSession(partial, run)
        try:
            yield session
            session.commit(partial, header)
        finally:
            session.close()
