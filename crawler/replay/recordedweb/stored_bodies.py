"""A recording's pages with their bodies, out of its WARC files, to be read and parsed once more."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crawler.network.web import Request, Response
from crawler.replay.recordedweb.recorded_pages import RecordedPages
from crawler.replay.recording import Recording
from crawler.replay.source import recorded_place
from sessions.importing.http_message import parse_response
from sessions.session import Session, SessionError
from sessions.storage.warc_index import Index, IndexEntry, build_index, read_block
from sessions.url import url_hash

MOST_UNREAD = 0.01
"""The share of bodies that may be unreadable before what a replay found in them is in doubt."""


@dataclass(frozen=True, slots=True)
class BodyCounts:
    """What became of the bodies of fetched pages.

    Attributes:
        read: pages read from their bodies.
        not_kept: pages whose bodies the recorded crawl did not keep, so that the tables tell their links.
        unread: pages whose bodies should be there and could not be read; the tables tell their links, too.
        first_unread: the URL of one of these, "" if there is none.
    """

    read: int = 0
    not_kept: int = 0
    unread: int = 0
    first_unread: str = ""

    @property
    def share_unread(self) -> float:
        """Of the bodies that should be there, those that could not be read."""
        return self.unread / max(1, self.read + self.unread)

    def __str__(self) -> str:
        not_kept = f", {self.not_kept:,} from the tables since their bodies were not kept" if self.not_kept else ""
        first = f", the first that of {self.first_unread}" if self.unread else ""
        return (
            f"{self.read:,} pages were read from their bodies{not_kept}; {self.unread:,} bodies "
            f"({self.share_unread:.1%}) could not be read{first}"
        )


def total(some: Iterable[BodyCounts]) -> BodyCounts:
    """The counts of all ranks together."""
    every = list(some)
    return BodyCounts(
        sum(counts.read for counts in every),
        sum(counts.not_kept for counts in every),
        sum(counts.unread for counts in every),
        next((counts.first_unread for counts in every if counts.unread), ""),
    )


class StoredBodies:
    """Answers with head and body as they were stored, or as the tables have it where there is none; it counts both."""

    def __init__(self, recording: Recording, index: Index) -> None:
        self._recording = recording
        self._pages = RecordedPages(recording)
        self._entries = index.entries
        self._read = self._not_kept = self._unread = 0
        self._first_unread = ""

    @property
    def counts(self) -> BodyCounts:
        """What became of the bodies that were asked for so far."""
        return BodyCounts(self._read, self._not_kept, self._unread, self._first_unread)

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests for pages, in this order."""
        return [self._with_body(response) for response in self._pages.respond(requests)]

    def _with_body(self, response: Response) -> Response:
        entry = self._entries.get(response.request.url)
        message = _message(entry) if entry is not None else None
        if message is None or response.recorded is None:
            self._go_without(response.request.url)
            return response
        self._read += 1
        head, body = message
        page = response.recorded.page
        return replace(response, head=head, body=body, truncated=page.truncated or "", recorded=None)

    def _go_without(self, url: str) -> None:
        """Count a page whose body is not to be had."""
        number = self._recording.number_of(url_hash(url))
        if not self._recording.is_imported and self._recording.pages["warc_file"][number].as_py() is None:
            self._not_kept += 1
            return
        self._unread += 1
        self._first_unread = self._first_unread or url


def index_of(session: Session) -> Index:
    """Where the bodies of a session's pages lie; those of an import, in the files that it was made from.

    Raises SessionError if there are none, or a file is gone or cannot be read at an offset.
    """
    paths = [file.path for file in session.warc_files()] or _imported_from(session)
    if not paths:
        dropped = session.dropped
        why = f": they were dropped on {dropped[-1]['at']} (cutweb compact --drop-bodies)" if dropped else ""
        raise SessionError(f"{session.path}: has no bodies{why}; replay it without --bodies")
    try:
        return build_index(paths)
    except OSError as error:
        raise SessionError(f"{error.filename}: {error.strerror}; the bodies of {session.path} lie there") from error
    except ValueError as error:
        raise SessionError(str(error)) from error


def _imported_from(session: Session) -> list[Path]:
    return [recorded_place(session, name) for name in session.header["configuration"].get("warc", ())]


def _message(entry: IndexEntry) -> tuple[list[bytes], bytes] | None:
    """The header lines and the body that a URL was answered with; None if the record is damaged, or no response."""
    try:
        head = parse_response(read_block(entry.head))
        body = head if entry.body == entry.head else parse_response(read_block(entry.body))
    except (OSError, ValueError):
        return None
    return (head.head, body.body) if head is not None and body is not None else None
