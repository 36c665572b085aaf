"""What a response says: its headers, its document, its links."""

from dataclasses import dataclass
from hashlib import sha1

from crawler.network.web import Response
from crawler.pages.content_decoding import decoded
from crawler.pages.content_type import is_html, type_that_counts
from crawler.pages.link_finder import LinkFinder, PageReferences
from crawler.pages.links import IsOver, never
from sessions.url import join, percent_encoded

_REDIRECTS = {301, 302, 303, 307, 308}
_HEADERS = (
    b"etag",
    b"last-modified",
    b"date",
    b"age",
    b"expires",
    b"retry-after",
)
_SEPARATORS = {b"content-type": ", ", b"content-encoding": ", ", b"cache-control": "\n", b"x-robots-tag": "\n"}
"""Headers of which all lines count, and what they are joined by."""


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
        """A header field of the response, by its name in lower case; of Cache-Control and X-Robots-Tag all lines.

        Content-Encoding is one list, Content-Type the one that counts.
        """
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


def references_in(
    response: Response, reading: Reading, finder: LinkFinder, is_over: IsOver = never
) -> PageReferences | None:
    """The links of a page; None unless it is a successful response that is HTML, or looks like it untyped.

    Reading stops where ``is_over`` says so.
    """
    if (
        not 200 <= response.status < 300
        or not reading.document
        or not is_html(reading.headers.get(b"content-type"), reading.document)
    ):
        return None
    return finder.references(response.request.url, reading.document, reading.headers.get(b"content-type", ""), is_over)


def headers_of(head: list[bytes]) -> dict[bytes, str]:
    """The fields that the crawler looks at; the first of several of the same name counts, of some all (see `header`).

    Location is ASCII: other bytes are percent-encoded as they came.
    """
    fields: dict[bytes, str] = {}
    for line in head[1:]:
        name, _, value = line.partition(b":")
        name = name.strip().lower()
        if name in _HEADERS and name not in fields:
            fields[name] = value.strip().decode("utf-8", "replace")
        elif name in _SEPARATORS:
            before = fields[name] + _SEPARATORS[name] if name in fields else ""
            fields[name] = before + value.strip().decode("utf-8", "replace")
        elif name == b"location" and name not in fields:
            fields[name] = percent_encoded(value.strip())
    if "," in fields.get(b"content-type", ""):
        fields[b"content-type"] = type_that_counts(fields[b"content-type"])
    return fields
