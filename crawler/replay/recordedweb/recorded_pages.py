"""A recording's pages as a rank takes them in: rows of the pages table, and links whose strings are read when asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from crawler.network.web import Recorded, Request, Response
from crawler.replay.recording import Numbers, Recording
from crawler.urls.targets import PageTargets
from sessions.schema import Page
from sessions.url import Hashes, url_hash

_OF_THE_REPLAY = frozenset(("warc_file", "warc_offset", "duplicate_of", "unchanged_since"))
"""What a page has in the session that it was recorded in, and not in another."""
_MICROSECONDS = 1e6
_FEW_VALUES = 1024
"""Of a column with no more different values these are kept."""
_STRING_BYTES = 64

Reader = Callable[[int], Any]
"""Reads a column's value in a row."""


@dataclass(frozen=True, slots=True)
class RecordedTargets:
    """The `crawler.urls.targets.Targets` of a ``page``, which are URLs of the recording, by their ``numbers``."""

    recording: Recording
    page: int

    @property
    def numbers(self) -> Numbers:
        """The numbers of the targets: int64[n]."""
        starts = self.recording.starts
        return self.recording.targets[starts.item(self.page) : starts.item(self.page + 1)]

    @property
    def hashes(self) -> Hashes:
        """The hash of each: uint64[n]."""
        return self.recording.hashes[self.numbers]

    @property
    def nbytes(self) -> int:
        """About so many bytes of memory their strings would take."""
        return int(self.recording.url_bytes[self.numbers].sum()) + _STRING_BYTES * len(self.numbers)

    def urls(self, places: Sequence[int]) -> list[str]:
        """The URLs at these places."""
        return self.recording.texts(self.numbers[places])


class RecordedPages:
    """Answers with what a recording has in its tables."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._readers = [
            _nothing if name in _OF_THE_REPLAY else _reader(_whole(recording.pages[name])) for name in Page._fields
        ]

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests for pages, in this order."""
        numbers = [self._recording.number_of(url_hash(request.url)) for request in requests]
        pages = self._recording.page_count
        assert all(0 <= number < pages for number in numbers), "only pages are asked for"
        return [_response(request, self.take(number)) for request, number in zip(requests, numbers, strict=True)]

    def take(self, number: int) -> Recorded:
        """The page of this number."""
        return Recorded(Page._make([read(number) for read in self._readers]), self._links(number))

    def _links(self, number: int) -> PageTargets:
        recording = self._recording
        links = slice(recording.starts.item(number), recording.starts.item(number + 1))
        return PageTargets(RecordedTargets(recording, number), recording.flags[links])


def _reader(column: pa.Array) -> Reader:
    """How a column is read a row at a time; Arrow takes a microsecond for a value, and ten times as long for a time."""
    if pa.types.is_timestamp(column.type):
        microseconds = column.cast(pa.int64()).to_numpy().item
        return lambda row: datetime.fromtimestamp(microseconds(row) / _MICROSECONDS, UTC)
    if not column.null_count and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        item: Reader = column.to_numpy().item
        return item
    if pc.count_distinct(column, mode="all").as_py() <= _FEW_VALUES:
        encoded = column.dictionary_encode(null_encoding="encode")
        code, values = encoded.indices.to_numpy().item, encoded.dictionary.to_pylist()
        return lambda row: values[code(row)]
    return lambda row: column[row].as_py()


def _nothing(_: int) -> None:
    """What a page has only in the session that it was recorded in."""


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
