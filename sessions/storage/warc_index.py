"""Where in a set of WARC files the page of each URL stands.

The index is built by one pass over the record headers (100,000 records a second) and holds an offset per
URL; a body is read when it is asked for.  Files may be foreign, uncompressed, or end in the middle of a record: what is
readable counts, the rest is a warning.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from sessions.storage.warc import PURPOSE
from sessions.storage.warc_file import Place
from sessions.url import canonical, site_of

_GZIP_MAGIC = b"\x1f\x8b"
_WARC_MAGIC = b"WARC/"
_READ_BYTES = 1 << 20
_GZIP_WINDOW = 31


class NotAWarcError(ValueError):
    """A file that is no WARC file, or not one that can be read at an offset."""


class IndexEntry(NamedTuple):
    """What answers for a URL: the record with the response's header, and the one with its body.

    They differ where the header is a revisit record's, which says that the body is that of another record.
    """

    head: Place
    body: Place


@dataclass
class Index:
    """Every canonical URL that has an answer.  ``warnings`` are lines for the user, each naming file and offset.

    ``robots`` are the robots.txt files that a crawl kept beside its pages, and the redirects to them; a URL may be a
    page as well.  ``newest`` is the latest WARC-Date of an answer as it stands in the file, empty if none has one.
    """

    entries: dict[str, IndexEntry] = field(default_factory=dict)
    robots: dict[str, IndexEntry] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    newest: str = ""

    def answers(self) -> dict[str, IndexEntry]:
        """What answers for each URL: its page, or else what a crawl was told when it asked for a robots.txt."""
        return self.robots | self.entries

    def find(self, url: str) -> IndexEntry | None:
        """What answers for a URL, as in `answers`."""
        return self.entries.get(url) or self.robots.get(url)

    def sites(self) -> set[str]:
        """The sites that have pages."""
        return {site_of(url) for url in self.entries}

    def roots(self) -> list[str]:
        """The sites' root pages, as far as they are there."""
        return sorted(url for url in self.entries if url.count("/") == 3 and url.endswith("/"))

    def rootless(self) -> dict[str, str]:
        """For each site without a root page the shortest of its URLs, of equal ones the first; robots.txt is none."""
        rooted = {site_of(url) for url in self.roots()}
        shortest: dict[str, str] = {}
        for url in self.entries:
            site = site_of(url)
            if site in rooted or (url.count("/") == 3 and url.endswith("/robots.txt")):
                continue
            other = shortest.setdefault(site, url)
            if (len(url), url) < (len(other), other):
                shortest[site] = url
        return dict(sorted(shortest.items()))

    def seeds(self) -> list[str]:
        """A page of each site, its root if it is there: seeds for a crawl."""
        return sorted([*self.roots(), *self.rootless().values()])


class _Revisit(NamedTuple):
    url: str
    place: Place
    digest: str | None
    refers_to: str | None


def build_index(paths: Iterable[Path]) -> Index:
    """Index WARC files; of several records of a URL the last one counts, in the order of the files.

    Raises OSError if a file cannot be opened and NotAWarcError if it holds no WARC records.
    """
    return _Builder().build(paths)


class _Builder:
    def __init__(self) -> None:
        self._index = Index()
        self._by_digest: dict[str, Place] = {}
        self._revisits: list[_Revisit] = []

    def build(self, paths: Iterable[Path]) -> Index:
        for path in paths:
            self._add_file(path)
        for revisit in self._revisits:
            self._add_revisit(revisit)
        return self._index

    def _add_file(self, path: Path) -> None:
        is_compressed = _is_compressed(path)
        last: tuple[WarcRecordType, str | None, str | None, str | None, str | None, str | None, int] | None = None
        records = self._records(path)
        for record in records:
            offset = record.stream_pos
            if last is not None:
                if last[-1] == offset:
                    raise NotAWarcError(f"{path} is compressed in one piece; recompress it record by record")
                self._add_record(path, *last, stop=offset)
            headers = record.headers
            last = (
                record.record_type,
                headers.get("WARC-Target-URI"),
                headers.get("WARC-Payload-Digest"),
                headers.get("WARC-Refers-To-Target-URI"),
                headers.get("WARC-Date"),
                headers.get(PURPOSE),
                offset,
            )
        if last is None:
            raise NotAWarcError(f"{path} is not a WARC file")
        stop, is_whole, has_more = _record_end(path, last[-1], is_compressed)
        if is_whole:
            self._add_record(path, *last, stop=stop)
        broken = stop if is_whole else last[-1]
        if not is_whole or has_more:
            self._index.warnings.append(f"{path} is cut off or damaged at offset {broken}; serving what is before")

    def _records(self, path: Path) -> Iterator[WarcRecord]:
        """The file's records, ending where it is damaged."""
        with open(path, "rb", buffering=_READ_BYTES) as file:
            try:
                yield from ArchiveIterator(file, record_types=WarcRecordType.any_type, parse_http=False)
            except OSError:
                return  # whoever asks where the last record ends finds out

    def _add_record(
        self,
        path: Path,
        kind: WarcRecordType,
        target: str | None,
        digest: str | None,
        refers_to: str | None,
        date: str | None,
        purpose: str | None,
        offset: int,
        *,
        stop: int,
    ) -> None:
        if kind not in (WarcRecordType.response, WarcRecordType.revisit) or target is None:
            return
        url = canonical(target.strip("<>"))  # wget writes the brackets of the standard's grammar
        if url is None:
            return
        place = Place(str(path), offset, stop - offset)
        if purpose is not None:
            if kind == WarcRecordType.response:
                self._index.robots[url] = IndexEntry(place, place)
            return
        self._index.newest = max(self._index.newest, date or "")
        if kind == WarcRecordType.revisit:
            self._revisits.append(_Revisit(url, place, digest, refers_to and canonical(refers_to.strip("<>"))))
            return
        self._index.entries[url] = IndexEntry(place, place)
        if digest is not None:
            self._by_digest[digest] = place

    def _add_revisit(self, revisit: _Revisit) -> None:
        """A revisit whose body is known answers for its URL; one that only says "not modified" changes nothing."""
        body = self._by_digest.get(revisit.digest) if revisit.digest else None
        if body is None and revisit.refers_to in self._index.entries:
            body = self._index.entries[revisit.refers_to].body
        if body is not None:
            self._index.entries[revisit.url] = IndexEntry(revisit.place, body)


def read_stored(place: Place) -> bytes:
    """A record as it stands in its file: a gzip member, or plain.  Raises OSError if it cannot be read."""
    with open(place.file, "rb") as file:
        return os.pread(file.fileno(), place.length, place.offset)


def read_block(place: Place) -> bytes:
    """A record's block (for a response: the HTTP message) as stored.

    Raises OSError or ValueError if the file has changed since it was indexed.
    """
    data = read_stored(place)
    if data.startswith(_GZIP_MAGIC):
        try:
            data = zlib.decompress(data, _GZIP_WINDOW)
        except zlib.error as error:
            raise ValueError(f"{place.file}: no readable record at offset {place.offset}") from error
    head, end = _split_head(data)
    length = _content_length(head)
    if length is None or len(data) < end + length:
        raise ValueError(f"{place.file}: no readable record at offset {place.offset}")
    return data[end : end + length]


def _is_compressed(path: Path) -> bool:
    with open(path, "rb") as file:
        magic = file.read(len(_WARC_MAGIC))
    if magic == _WARC_MAGIC:
        return False
    if magic.startswith(_GZIP_MAGIC):
        return True
    raise NotAWarcError(f"{path} is not a WARC file (neither plain nor compressed with gzip)")


def _record_end(path: Path, offset: int, is_compressed: bool) -> tuple[int, bool, bool]:
    """Where the record at ``offset`` ends, whether it is there as a whole, and whether something follows it."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        file.seek(offset)
        if is_compressed:
            member = zlib.decompressobj(_GZIP_WINDOW)
            try:
                while not member.eof and (data := file.read(_READ_BYTES)):
                    member.decompress(data)
            except zlib.error:
                return offset, False, True
            stop = file.tell() - len(member.unused_data)
            return stop, member.eof, stop < size
        data = file.read(1 << 16)
        head, end = _split_head(data)
        length = _content_length(head)
        stop = offset + end + (length or 0)
        if length is None or stop > size:
            return offset, False, True
        file.seek(stop)
        return stop, True, bool(file.read(_READ_BYTES).strip())


def _split_head(data: bytes) -> tuple[bytes, int]:
    """A record's header block, and where its block begins."""
    end = data.find(b"\r\n\r\n")
    return (data[:end], end + 4) if end >= 0 else (b"", len(data))


def _content_length(head: bytes) -> int | None:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return None
