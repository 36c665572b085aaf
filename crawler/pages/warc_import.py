"""A session from WARC files: pages and links as a crawl would have recorded them, read by the same reader.

Each http or https URL of a response record is a page, as its first record tells it.  What pages link to and the files
do not have stays in the frontier.  Bodies are not copied.  A robots.txt is no page, whoever kept it; only in a crawl of
ours it is one if it was fetched as a page, since its own requests for robots.txt files are marked.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from crawler.network.web import Request, Response
from crawler.pages.link_finder import LinkFinder
from crawler.pages.page_row import page_row
from crawler.pages.response_reader import read, references_in
from crawler.pages.robots_meta import asked_of
from crawler.urls.hash_table import HashTable
from crawler.urls.link_buffer import LinkBuffer
from crawler.urls.targets import listed
from sessions.importing.http_message import Message, parse_response
from sessions.importing.imported_session import ImportedSession, imported_session
from sessions.importing.source import SourceError, at_offset
from sessions.importing.warc_reader import Record, records
from sessions.progress import Progress, quiet
from sessions.schema import REDIRECT
from sessions.session import check_claimable
from sessions.storage.warc import PURPOSE, SOFTWARE
from sessions.url import canonical, url_hash

DOCUMENT_LIMIT = 64 << 20
"""Bytes of a document that are looked at once its encoding is taken off."""
LINKS_PER_BATCH = 4096

_KINDS = ("response", "warcinfo")
_ROBOTS_PATH = "robots.txt"
_TRUNCATIONS = ("length", "time", "disconnect", "unspecified")

Warn = Callable[[str], None]


@dataclass
class WarcSession:
    """What became of WARC files: how much is in the session, and what is not.

    ``repeated`` responses were of pages that were there already, ``foreign`` ones had no http or https URL,
    ``unreadable`` ones were no HTTP response, ``robots`` were robots.txt files, and redirects to them.  ``queued`` URLs
    are linked to and not in the files.
    """

    pages: int = 0
    links: int = 0
    bytes: int = 0
    queued: int = 0
    repeated: int = 0
    foreign: int = 0
    unreadable: int = 0
    robots: int = 0


def import_warcs(
    paths: Sequence[Path], out: Path, progress: Progress = quiet, warn: Warn = lambda _: None
) -> WarcSession:
    """Make the session ``out`` from WARC files; of several responses of a page the first one counts.

    ``warn`` is told of responses that cannot be read.  Raises SourceError if a file is no WARC file or is damaged,
    or if there are no pages at all, SessionError if ``out`` is taken, OSError if it cannot be written.
    """
    check_claimable(out)
    with imported_session(out, "warc", {"warc": [str(path.resolve()) for path in paths]}) as session:
        pages = _Importer(session, warn)
        for path in paths:
            marks_robots = False
            for record in records(path, _KINDS, progress):
                if record.kind == "warcinfo":
                    marks_robots = _marks_robots(record.block)
                elif record.kind in _KINDS:
                    pages.take(path, record, marks_robots=marks_robots)
        counts = pages.finish()
        if not counts.pages:
            raise SourceError(f"{', '.join(map(str, paths))}: no pages")
    return counts


class _Importer:
    """Hands the pages of response records to a session, with their links."""

    def __init__(self, session: ImportedSession, warn: Warn) -> None:
        self._session = session
        self._warn = warn
        self._known = HashTable({"is_page": np.bool_})
        self._waiting = LinkBuffer(np.uint64)
        self._finder = LinkFinder()
        self._counts: Counter[str] = Counter()

    def take(self, path: Path, record: Record, *, marks_robots: bool = False) -> None:
        """Record the page of a response, unless it is there already, or a robots.txt.

        ``marks_robots``: the file has a mark at each robots.txt that is no page.
        """
        target = record.fields.get("warc-target-uri", "")
        url = canonical(target.strip("<> "))  # wget writes the brackets of the standard's grammar
        if url is None:
            self._counts["foreign"] += 1
            return
        is_robots = not marks_robots and url.split("/", 3)[3] == _ROBOTS_PATH
        if is_robots or PURPOSE.lower() in record.fields:
            self._counts["robots"] += 1
            return
        page_hash = url_hash(url)
        slot = self._known.slot_of(page_hash)
        if slot >= 0 and self._known.values["is_page"][slot]:
            self._counts["repeated"] += 1
            return
        message = parse_response(record.block)
        if message is None:
            self._counts["unreadable"] += 1
            self._warn(str(at_offset(path, record.offset, f"no HTTP response in the record of {url}; left out")))
            return
        if slot >= 0:
            self._known.values["is_page"][slot] = True
        else:
            hashes = np.array([page_hash], np.uint64)
            self._known.insert(hashes, {"is_page": np.ones(1, np.bool_)})
            self._session.add_urls(hashes, [url])
        self._record(_response(path, record, url, message), page_hash)

    def finish(self) -> WarcSession:
        """Record the links that wait, and what has no page as the frontier."""
        self._settle()
        slots = self._known.occupied()
        rest = self._known.keys(slots[~self._known.values["is_page"][slots]])
        self._session.leave(np.sort(rest))
        session = self._session
        return WarcSession(session.pages, session.links, session.bytes, session.queued, **self._counts)

    def _record(self, response: Response, page_hash: int) -> None:
        reading = read(response, DOCUMENT_LIMIT)
        references = references_in(response, reading, self._finder)
        metas = references.metas if references is not None else ()
        asked = asked_of("", reading.header(b"x-robots-tag"), metas)
        self._session.add_page(page_row(page_hash, response, reading, run=self._session.run, asked=asked))
        if reading.redirect is not None:
            self._waiting.add((page_hash,), listed([reading.redirect], [REDIRECT]))
        elif references is not None:
            self._waiting.add((page_hash,), references.targets(nofollow=asked.nofollow))
        if len(self._waiting) >= LINKS_PER_BATCH:
            self._settle()

    def _settle(self) -> None:
        """Record the links that wait, and those of their targets that are new."""
        links = self._waiting.take()
        (sources,), targets = links.columns, links.hashes
        away = sources != targets
        self._session.add_links(sources[away], targets[away], links.flags[away])
        _, first = np.unique(targets, return_index=True)
        is_new = np.zeros(len(links), np.bool_)
        is_new[first] = ~self._known.contains(targets[first])
        new = links.where(is_new)
        self._known.insert(new.hashes, {"is_page": np.zeros(len(new), np.bool_)})
        self._session.add_urls(new.hashes, new.urls())


def _marks_robots(information: bytes) -> bool:
    """Whether the fields of a warcinfo record say that a crawl of ours wrote the file."""
    fields = dict(line.partition(b":")[::2] for line in information.lower().splitlines())
    return fields.get(b"software", b"").strip().startswith(SOFTWARE.encode() + b"/") and b"robots" in fields


def _response(path: Path, record: Record, url: str, message: Message) -> Response:
    """A record as the web would have given it."""
    is_cut = message.is_cut or len(record.block) < record.block_bytes
    truncated = record.fields.get("warc-truncated", "").lower() or ("unspecified" if is_cut else "")
    return Response(
        Request(url, None),
        message.status,
        message.head,
        message.body,
        truncated=truncated if not truncated or truncated in _TRUNCATIONS else "unspecified",
        started=_date(path, record),
        ip=record.fields.get("warc-ip-address", ""),
    )


def _date(path: Path, record: Record) -> float:
    """The time of a record in seconds since 1970."""
    text = record.fields.get("warc-date", "")
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise at_offset(path, record.offset, f"the record that begins here has WARC-Date {text!r}") from None
    return date.replace(tzinfo=date.tzinfo or UTC).timestamp()
