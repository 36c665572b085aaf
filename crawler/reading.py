"""What a response says: its headers, its document, its links."""

from dataclasses import dataclass
from hashlib import sha1

from crawler.content import decoded
from crawler.links import IsOver, References, find_references, never
from crawler.web import Response
from sessions.url import join

_REDIRECTS = {301, 302, 303, 307, 308}
_HTML = ("text/html", "application/xhtml+xml")
_SNIFFED = (b"<!doctype html", b"<html", b"<head", b"<body", b"<a ")
_SNIFF_BYTES = 512
_HEADERS = (
    b"content-type",
    b"content-encoding",
    b"etag",
    b"last-modified",
    b"location",
    b"date",
    b"age",
    b"expires",
    b"retry-after",
)
_HEADERS_IN_LINES = (b"cache-control", b"x-robots-tag")


@dataclass(frozen=True, slots=True)
class Reading:
    """A response, read: its header fields as text, the document with its encoding taken off, where it redirects to.

    ``digest`` is the SHA-1 of ``document``, None if that is empty; ``error`` says what kept the document from being
    decoded in full.
    """

    headers: dict[bytes, str]
    document: bytes
    digest: bytes | None
    redirect: str | None
    error: str

    def header(self, name: bytes) -> str | None:
        """A header field of the response, by its name in lower case; of Cache-Control and X-Robots-Tag all lines."""
        return self.headers.get(name)


def read(response: Response, document_limit: int) -> Reading:
    """Read a response.  The document is at most ``document_limit`` bytes of what the body decodes to."""
    headers = headers_of(response.head)
    encoding = headers.get(b"content-encoding", "").strip().lower()
    document, error = decoded(response.body, encoding, document_limit)
    redirect = None
    if response.status in _REDIRECTS and (location := headers.get(b"location")):
        redirect = join(response.request.url, [location])[0]
    return Reading(headers, document, sha1(document).digest() if document else None, redirect, error)


def references_in(response: Response, reading: Reading, is_over: IsOver = never) -> References | None:
    """The link texts of a page; None unless it is a successful response that is HTML, or looks like it untyped.

    Reading stops where ``is_over`` says so.
    """
    if not 200 <= response.status < 300 or not reading.document or not _is_html(reading):
        return None
    return find_references(response.request.url, reading.document, reading.headers.get(b"content-type", ""), is_over)


def _is_html(reading: Reading) -> bool:
    content_type = reading.headers.get(b"content-type")
    if content_type is not None:
        return content_type.lower().lstrip().startswith(_HTML)
    start = reading.document[:_SNIFF_BYTES].lstrip().lower()
    return any(mark in start for mark in _SNIFFED)


def headers_of(head: list[bytes]) -> dict[bytes, str]:
    """The fields that the crawler looks at; the first of several of the same name counts, or each as a line."""
    fields: dict[bytes, str] = {}
    for line in head[1:]:
        name, _, value = line.partition(b":")
        name = name.strip().lower()
        if name in _HEADERS and name not in fields:
            fields[name] = value.strip().decode("utf-8", "replace")
        elif name in _HEADERS_IN_LINES:
            before = fields[name] + "\n" if name in fields else ""
            fields[name] = before + value.strip().decode("utf-8", "replace")
    return fields
