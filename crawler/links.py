"""The links of a page, in document order.

Links are a[href], area[href], frame[src], iframe[src], and link[href] whose rel says next, prev, previous or
canonical; `<base href>` is honoured.  rel=nofollow is noted, frames are noted as embedded.  Scripts are not run, and
meta refresh is not followed.
"""

import codecs
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import quote

from lxml import etree

from crawler.charset import as_utf8
from sessions.schema import EMBEDDED, NOFOLLOW
from sessions.url import join

_ATTRIBUTES = {"a": "href", "area": "href", "frame": "src", "iframe": "src", "link": "href", "base": "href"}
_EMBEDDING = {"frame", "iframe"}
_QUERIES_IN_UTF8 = {"utf-8", "utf-16-le", "utf-16-be"}
_FOLLOWED_RELATIONS = {"next", "prev", "previous", "canonical"}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_SAFE_IN_QUERY = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "\"#'<>")
_AS_REFERENCE = "cutweb-reference"
PARSED_BYTES = 16 << 20
"""How much of a document is looked at."""


class PageLinks(NamedTuple):
    """The distinct targets of a page's links as canonical URLs, in document order, with the flags of each."""

    urls: list[str]
    flags: list[int]


class References(NamedTuple):
    """Link texts as they stand in a page, in document order, with their flags, and the URL that they start from."""

    base: str
    texts: list[str]
    flags: list[int]


def find_references(url: str, document: bytes, content_type: str) -> References:
    """The link texts of an HTML document that was fetched from ``url``, its content encoding taken off."""
    text, codec = as_utf8(document[:PARSED_BYTES], content_type)
    texts, flags, base = _collected(text)
    if codec not in _QUERIES_IN_UTF8:
        texts = [_with_encoded_query(text, codec) for text in texts]
    if base is not None:
        url = join(url, [base])[0] or url
    return References(url, texts, flags)


def resolve(references: References) -> PageLinks:
    """The distinct targets that a page's link texts lead to; those that are not http or https drop out."""
    return _distinct(join(references.base, references.texts), references.flags)


class _Collector:
    """Collects link texts while libxml2 reads.

    It is given each start tag and builds no tree: that is faster, and takes time linear in the number of a tag's
    attributes, where libxml2's tree takes quadratic time.
    """

    def __init__(self) -> None:
        self._start_afresh()

    def _start_afresh(self) -> None:
        self.texts: list[str] = []
        self.flags: list[int] = []
        self.base: str | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A start tag of the document, its name in lower case."""
        name = _ATTRIBUTES.get(tag)
        if name is None or (text := attributes.get(name)) is None:
            return
        if tag == "base":
            self.base = text if self.base is None else self.base
            return
        relations = attributes.get("rel", "").lower().replace(",", " ").split()
        if tag == "link" and _FOLLOWED_RELATIONS.isdisjoint(relations):
            return
        self.texts.append(text)
        self.flags.append((NOFOLLOW if "nofollow" in relations else 0) | (EMBEDDED if tag in _EMBEDDING else 0))

    def close(self) -> None:
        """The end of the document, or of what could be read of it."""

    def take(self) -> tuple[list[str], list[int], str | None]:
        """What was collected; then the collector is ready for the next document."""
        collected = self.texts, self.flags, self.base
        self._start_afresh()
        return collected


_collector = _Collector()
# Without huge_tree everything below 253 open elements is lost, and everything after them; with it, below 2,048.
_parser = etree.HTMLParser(encoding="utf-8", target=_collector, no_network=True, huge_tree=True)


def _collected(text: bytes) -> tuple[list[str], list[int], str | None]:
    """Link texts as they stand in a document in UTF-8, their flags, and the first base element's reference."""
    with suppress(etree.XMLSyntaxError, ValueError):  # what was read before the error counts
        etree.fromstring(text, _parser)
    return _collector.take()


def _with_encoded_query(reference: str, codec: str) -> str:
    """The query of a link is sent in the page's own encoding (URL standard, 4.1 "percent-encode after encoding")."""
    if reference.isascii():
        return reference
    before, mark, rest = reference.partition("?")
    return before + mark + _NOT_ASCII.sub(lambda match: quote(match[0], _SAFE_IN_QUERY, codec, _AS_REFERENCE), rest)


def _as_reference(error: UnicodeError) -> tuple[str, int]:
    """What the URL standard writes for characters that the page's encoding has not: &#N;, percent-encoded."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(f"%26%23{ord(character)}%3B" for character in error.object[error.start : error.end]), error.end


codecs.register_error(_AS_REFERENCE, _as_reference)


def _distinct(urls: list[str | None], flags: list[int]) -> PageLinks:
    """Each target once, at its first place; it is nofollow only if all links to it are."""
    if not any(flags):
        distinct = dict.fromkeys(urls, 0)
        distinct.pop(None, None)
        return PageLinks(list(distinct), [0] * len(distinct))  # type: ignore[arg-type]
    merged: dict[str, int] = {}
    for url, flag in zip(urls, flags, strict=True):
        if url is not None:
            known = merged.setdefault(url, flag)
            merged[url] = (known & flag & NOFOLLOW) | ((known | flag) & EMBEDDED)
    return PageLinks(list(merged), list(merged.values()))
