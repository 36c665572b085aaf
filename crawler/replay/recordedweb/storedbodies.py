"""A recording's pages with their bodies, out of its WARC files, to be read and parsed once more."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crawler.replay.recordedplaces import recorded_place
from crawler.replay.recordedweb.recordedpages import RecordedPages
from crawler.replay.recording import Recording
from crawler.web import Request, Response
from sessions.importing.message import parse_response
from sessions.localweb.index import Entry, Index, build_index, read_block
from sessions.session import Session, SessionError


class StoredBodies:
    """Answers with head and body as they were stored, or as the tables have it where a page's body was not."""

    def __init__(self, recording: Recording, index: Index) -> None:
        self._pages = RecordedPages(recording)
        self._entries = index.entries

    def respond(self, requests: Sequence[Request]) -> list[Response]:
        """The responses to requests for pages, in this order."""
        return [self._with_body(response) for response in self._pages.respond(requests)]

    def _with_body(self, response: Response) -> Response:
        entry = self._entries.get(response.request.url)
        message = _message(entry) if entry is not None else None
        if message is None or response.recorded is None:
            return response
        head, body = message
        page = response.recorded.page
        return replace(response, head=head, body=body, truncated=page.truncated or "", recorded=None)


def index_of(session: Session) -> Index:
    """Where the bodies of a session's pages lie; those of an import, in the files that it was made from.

    Raises SessionError if there are none, or a file is gone or cannot be read at an offset.
    """
    paths = [file.path for file in session.warc_files()] or _imported_from(session)
    if not paths:
        raise SessionError(f"{session.path}: has no bodies; replay it without --bodies")
    try:
        return build_index(paths)
    except OSError as error:
        raise SessionError(f"{error.filename}: {error.strerror}; the bodies of {session.path} lie there") from error
    except ValueError as error:
        raise SessionError(str(error)) from error


def _imported_from(session: Session) -> list[Path]:
    return [recorded_place(session, name) for name in session.header["configuration"].get("warc", ())]


def _message(entry: Entry) -> tuple[list[bytes], bytes] | None:
    """The header lines and the body that a URL was answered with; None if the record is no response."""
    head = parse_response(read_block(entry.head))
    body = head if entry.body == entry.head else parse_response(read_block(entry.body))
    return (head.head, body.body) if head is not None and body is not None else None
