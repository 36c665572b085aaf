"""What is true of a single row, whatever stands in the others.

A check takes a batch of rows and yields (row in the batch, what is wrong with it).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import UnionType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.checking.hash_queries import where
from sessions.schema import EMBEDDED, FAILED, FILTERED, NOFOLLOW, REDIRECT, UNFOLLOWED, Page, RobotsRow
from sessions.session import CommittedTable
from sessions.url import canonical, site_of, url_hashes

NO_WARC = -1
"""Stands for the WARC file of a page without a stored body."""
UNKNOWN_WARC = -2
"""Stands for a WARC file that is not committed."""

_FLAGS = NOFOLLOW | REDIRECT | EMBEDDED | UNFOLLOWED
_STATUS = (100, 999)
_NOT_MODIFIED = 304
NULLABLE = {
    table: {name for name, kind in row.__annotations__.items() if isinstance(kind, UnionType)}
    for table, row in {"pages": Page, "robots": RobotsRow}.items()
}
"""By table, the columns in which a value may be missing; none may be in the other tables."""


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a table file.

    ``runs`` are those that committed the file's epochs, ``warcs`` gives the rank's WARC files numbers, ``with_bodies``
    are the runs that wrote any, ``honours_noindex`` says whether pages that say noindex have none, and ``dropped``
    until when pages were fetched whose bodies were dropped (None: none were).
    """

    rows: pa.RecordBatch
    file: CommittedTable
    runs: frozenset[str]
    warcs: Mapping[str, int]
    with_bodies: frozenset[str]
    honours_noindex: bool
    dropped: datetime | None

    def numbers(self, column: str) -> npt.NDArray[Any]:
        """A column of numbers without nulls."""
        array: npt.NDArray[Any] = self.rows.column(column).to_numpy(zero_copy_only=False)
        return array

    def strings(self, column: str) -> list[Any]:
        """A column of strings."""
        strings: list[Any] = self.rows.column(column).to_pylist()
        return strings

    def warc_numbers(self) -> npt.NDArray[np.int32]:
        """The number of each page's WARC file, `NO_WARC` or `UNKNOWN_WARC`: int32[rows]."""
        encoded = self.rows.column("warc_file").dictionary_encode(null_encoding="encode")
        names = encoded.dictionary.to_pylist()
        numbers = np.array([self.warcs.get(name, UNKNOWN_WARC) if name else NO_WARC for name in names], dtype=np.int32)
        codes: npt.NDArray[np.int32] = encoded.indices.to_numpy(zero_copy_only=False)
        return numbers[codes]


Found = Iterator[tuple[int, str]]


def no_unwanted_nulls(batch: Batch) -> Found:
    """Every value is there, but for those that `sessions.schema` allows to be missing."""
    for field, column in zip(batch.rows.schema, batch.rows.columns, strict=True):
        if column.null_count and field.name not in NULLABLE.get(batch.file.table, ()):
            for row in where(column.is_null().to_numpy(zero_copy_only=False)):
                yield row, f"{field.name} is null"


def strings_are_unicode(batch: Batch) -> Found:
    """Strings are UTF-8."""
    for field, column in zip(batch.rows.schema, batch.rows.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            yield 0, f"column {field.name}, from this row on: {error}"


def hash_of_url(batch: Batch) -> Found:
    """A URL's hash is the xxh3 of the URL."""
    urls = batch.strings("url")
    right = url_hashes(urls)
    for row in where(batch.numbers("hash") != right):
        yield row, f"hash {batch.numbers('hash')[row]} is not that of {urls[row]} ({right[row]})"


def url_is_canonical(batch: Batch) -> Found:
    """A URL is in canonical form."""
    for row, url in enumerate(batch.strings("url")):
        if (form := canonical(url)) != url:
            yield row, f"{url!r} is not canonical" + (f"; {form!r} would be" if form else "")


def site_of_url(batch: Batch) -> Found:
    """A page's site is its URL's."""
    for row, (url, site) in enumerate(zip(batch.strings("url"), batch.strings("site"), strict=True)):
        if url.startswith(("http://", "https://")) and site_of(url) != site:
            yield row, f"site {site!r} is not that of {url}"


def status_in_range(batch: Batch) -> Found:
    """An HTTP status has three digits."""
    status = batch.numbers("status")
    for row in where((status < _STATUS[0]) | (status > _STATUS[1])):
        yield row, f"status {status[row]} is not in {_STATUS[0]}-{_STATUS[1]}"


def unchanged_is_not_modified(batch: Batch) -> Found:
    """A page that has not changed since an earlier session was answered with 304."""
    is_unchanged = batch.rows.column("unchanged_since").is_valid().to_numpy(zero_copy_only=False)
    status = batch.numbers("status")
    for row in where(is_unchanged & (status != _NOT_MODIFIED)):
        yield row, f"unchanged_since is given, with status {status[row]}"


def sizes_are_not_negative(batch: Batch) -> Found:
    """Sizes and times are at least 0."""
    for column in ("bytes", "decoded_bytes", "milliseconds"):
        values = batch.numbers(column)
        for row in where(~(values >= 0)):
            yield row, f"{column} is {values[row]}"


def rank_is_the_files(batch: Batch) -> Found:
    """A page's rank is the one in whose folder it is."""
    ranks = batch.numbers("rank")
    for row in where(ranks != batch.file.rank):
        yield row, f"rank {ranks[row]} in a file of rank {batch.file.rank}"


def run_is_the_epochs(batch: Batch) -> Found:
    """A page was fetched by the run that committed it."""
    for row, run in enumerate(batch.strings("run")):
        if run not in batch.runs:
            yield row, f"run {run!r} in an epoch of run {' or '.join(map(repr, sorted(batch.runs)))}"


def warc_file_is_committed(batch: Batch) -> Found:
    """A page names a WARC file of its rank, if the session keeps bodies at all and that of such a page."""
    numbers = batch.warc_numbers()
    for row in where(numbers == UNKNOWN_WARC):
        yield row, f"warc_file {batch.rows.column('warc_file')[row].as_py()!r} is not among the rank's committed files"
    if batch.with_bodies & batch.runs:
        needs_body = np.ones(len(numbers), np.bool_)
        if batch.honours_noindex:
            needs_body = ~batch.rows.column("noindex").fill_null(False).to_numpy(zero_copy_only=False)
        if batch.dropped is not None:
            is_later = pc.greater_equal(batch.rows["fetched"], pa.scalar(batch.dropped))
            needs_body &= is_later.to_numpy(zero_copy_only=False)
        if not batch.runs <= batch.with_bodies:
            needs_body &= np.isin(batch.strings("run"), list(batch.with_bodies))
        for row in where((numbers == NO_WARC) & needs_body):
            yield row, "no warc_file, in a session that keeps bodies"


def no_self_link(batch: Batch) -> Found:
    """A link leads to another page."""
    sources = batch.numbers("source")
    for row in where(sources == batch.numbers("target")):
        yield row, f"a link from page {sources[row]} to itself"


def flags_are_known(batch: Batch) -> Found:
    """Link flags are those of `sessions.schema`."""
    flags = batch.numbers("flags")
    for row in where((flags & np.uint8(~_FLAGS & 0xFF)) != 0):
        yield row, f"unknown link flags {flags[row]}"


def state_is_known(batch: Batch) -> Found:
    """An outcome is filtered or failed."""
    for row, state in enumerate(batch.strings("state")):
        if state not in (FILTERED, FAILED):
            yield row, f"unknown state {state!r}"


def came_to_something(batch: Batch) -> Found:
    """Asking for a robots.txt ended with an answer or an error."""
    for row, (status, error) in enumerate(zip(batch.strings("status"), batch.strings("error"), strict=True)):
        if status is None and not error:
            yield row, "neither a status nor an error"


def something_was_sent(batch: Batch) -> Found:
    """Whatever went to another rank had URLs in it."""
    urls, numbers, receivers = (batch.numbers(column) for column in ("urls", "numbers", "receiver"))
    is_wrong = (urls < 1) | (numbers < 0) | (numbers > urls) | (receivers == batch.file.rank)
    for row in where(is_wrong | (batch.numbers("bytes") < 1) | (batch.numbers("wire_bytes") < 1)):
        yield row, f"{urls[row]} URLs, {numbers[row]} as numbers, sent to rank {receivers[row]}"


def epoch_is_the_files(batch: Batch) -> Found:
    """An outcome belongs to the epoch that committed it, of which its file has rows."""
    epochs = batch.numbers("epoch")
    first, last = batch.file.first_epoch, batch.file.epoch
    for row in where((epochs < first) | (epochs > last)):
        which = f"epoch {last}" if first == last else f"epochs {first} to {last}"
        yield row, f"epoch {epochs[row]} in a file of {which}"


def reason_is_given(batch: Batch) -> Found:
    """Whatever has no page has a reason."""
    for row, reason in enumerate(batch.strings("reason")):
        if not reason:
            yield row, "no reason"


def not_to_itself(batch: Batch) -> Found:
    """A referral leads to another domain."""
    sources = batch.numbers("source")
    for row in where(sources == batch.numbers("target")):
        yield row, f"a referral from domain {sources[row]} to itself"


def rest_is_bounded(batch: Batch) -> Found:
    """A rest is a number of seconds."""
    seconds = batch.numbers("seconds")
    for row in where(~(seconds >= 0) | ~np.isfinite(seconds)):
        yield row, f"a rest of {seconds[row]} s"


def some_links(batch: Batch) -> Found:
    """A pair of sites is there for its links."""
    links = batch.numbers("links")
    for row in where(links < 1):
        yield row, f"{links[row]} links"


SOUND: list[Callable[[Batch], Found]] = [no_unwanted_nulls, strings_are_unicode]
"""Without these, the other checks cannot be made."""

ROW_CHECKS: dict[str, list[Callable[[Batch], Found]]] = {
    "pages": [
        hash_of_url,
        site_of_url,
        status_in_range,
        unchanged_is_not_modified,
        sizes_are_not_negative,
        rank_is_the_files,
        run_is_the_epochs,
        warc_file_is_committed,
    ],
    "links": [no_self_link, flags_are_known],
    "urls": [hash_of_url, url_is_canonical],
    "nearer": [],
    "outcomes": [state_is_known, epoch_is_the_files, reason_is_given],
    "frontier": [reason_is_given],
    "robots": [rank_is_the_files, came_to_something],
    "exchanges": [rank_is_the_files, something_was_sent],
    "referrals": [not_to_itself],
    "rests": [rest_is_bounded],
    "external_sites": [some_links],
    "external_urls": [flags_are_known, url_is_canonical],
}
