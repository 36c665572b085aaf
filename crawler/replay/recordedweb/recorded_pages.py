"""A recording's pages as a rank takes them in: rows of the pages table and links as strings, a batch at a time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from crawler.network.web import Recorded, Request, Response
from crawler.replay.recording import Numbers, Recording
from sessions.hash_arrays import concatenated_ranges
from sessions.schema import Page
from sessions.url import url_hashes

_OF_THE_REPLAY = frozenset(("warc_file", "warc_offset", "duplicate_of", "unchanged_since"))
"""What a page has in the session that it was recorded in, and not in another."""
_MICROSECONDS = 1e6
_FEW = 8
"""Up to so many rows are read one by one sooner than Arrow copies them."""


class RecordedPages:
    """Answers with what a recording has in its tables: pages as rows, links as strings."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        # Each column has its price in a round, however few pages are in it.
        pages = recording.pages
        names = [name for name in Page._fields if name not in _OF_THE_REPLAY and pages[name].null_count < len(pages)]
        columns = {name: _whole(pages[name]) for name in names}
        columns["fetched"] = columns["fetched"].cast(pa.int64())
        self._rows = pa.RecordBatch.from_pydict(columns)

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests for pages, in this order."""
        numbers = self._recording.numbers_of(url_hashes([request.url for request in requests]))
        assert np.all((numbers >= 0) & (numbers < self._recording.page_count)), "only pages are asked for"
        return [_response(request, recorded) for request, recorded in zip(requests, self.take(numbers), strict=True)]

    def take(self, numbers: Numbers) -> list[Recorded]:
        """The pages of these numbers, int64[m], in this order."""
        rows = self._columns(numbers)
        # Ten times as fast as Arrow, which makes of a time zone's name a time zone for every value.
        rows["fetched"] = [datetime.fromtimestamp(time / _MICROSECONDS, UTC) for time in rows["fetched"]]
        nothing = [None] * len(numbers)
        pages = map(Page, *(rows.get(name, nothing) for name in Page._fields))
        recording = self._recording
        starts = recording.starts[numbers]
        counts = recording.starts[numbers + 1] - starts
        places = concatenated_ranges(starts, counts)
        ends = np.cumsum(counts)
        links = recording.urls.take(pa.array(recording.targets[places])).to_pylist()
        flags = recording.flags[places].tolist()
        bounds = zip((ends - counts).tolist(), ends.tolist(), strict=True)
        return [
            Recorded(page, links[start:stop], flags[start:stop])
            for page, (start, stop) in zip(pages, bounds, strict=True)
        ]

    def _columns(self, numbers: Numbers) -> dict[str, list[Any]]:
        """The rows of these pages, by column."""
        if len(numbers) > _FEW:
            rows: dict[str, list[Any]] = self._rows.take(pa.array(numbers)).to_pydict()
            return rows
        places = numbers.tolist()
        names = self._rows.schema.names
        return {
            name: [column[place].as_py() for place in places]
            for name, column in zip(names, self._rows.columns, strict=True)
        }


def _response(request: Request, recorded: Recorded) -> Response:
    page = recorded.page
    return Response(
        request,
        status=page.status,
        started=page.fetched.timestamp(),
        milliseconds=page.milliseconds,
        ip=page.ip or "",
        recorded=recorded,
    )


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
