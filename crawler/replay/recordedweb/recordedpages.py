"""A recording's pages as a rank takes them in: rows of the pages table and links as strings, a batch at a time."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from crawler.replay.recording import Numbers, Recording
from crawler.spans import places_in
from crawler.web import Recorded, Request, Response
from sessions.schema import Page
from sessions.url import url_hashes

_OF_THE_REPLAY = {"warc_file": None, "warc_offset": None, "duplicate_of": None, "unchanged_since": None}
"""What a page has in the session that it was recorded in, and not in another."""


class RecordedPages:
    """Answers with what a recording has in its tables: pages as rows, links as strings."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        count = recording.page_count
        # Where a page lies in another session, and what it was compared with there, is nothing to this one.
        kept = [name for name in Page._fields if name not in _OF_THE_REPLAY]
        nothing = {name: pa.nulls(count, recording.pages.schema.field(name).type) for name in _OF_THE_REPLAY}
        columns = {name: recording.pages[name].combine_chunks() for name in kept} | nothing
        self._rows = pa.RecordBatch.from_arrays(
            [_whole(columns[name]) for name in Page._fields], schema=recording.pages.schema
        )

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests for pages, in this order."""
        numbers = self._recording.numbers_of(url_hashes([request.url for request in requests]))
        assert np.all((numbers >= 0) & (numbers < self._recording.page_count)), "only pages are asked for"
        return [_response(request, recorded) for request, recorded in zip(requests, self.take(numbers), strict=True)]

    def take(self, numbers: Numbers) -> list[Recorded]:
        """The pages of these numbers, int64[m], in this order."""
        rows = self._rows.take(pa.array(numbers))
        pages = map(Page, *(column.to_pylist() for column in rows.columns))
        recording = self._recording
        starts = recording.starts[numbers]
        counts = recording.starts[numbers + 1] - starts
        places = places_in(starts, counts)
        ends = np.cumsum(counts)
        links = recording.urls.take(pa.array(recording.targets[places])).to_pylist()
        flags = recording.flags[places].tolist()
        bounds = zip((ends - counts).tolist(), ends.tolist(), strict=True)
        return [
            Recorded(page, links[start:stop], flags[start:stop])
            for page, (start, stop) in zip(pages, bounds, strict=True)
        ]


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


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    return column
