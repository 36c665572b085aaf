"""The links of a page, in document order.

Links are a[href], area[href], frame[src], iframe[src], and link[href] whose rel says next, prev, previous or
canonical; `<base href>` is honoured.  rel=nofollow is noted, frames are noted as embedded.  Scripts are not run, and
meta refresh is not followed.
"""

import codecs
import re
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

# Without huge_tree everything below 253 open elements is lost, and everything after them; with it, below 2,048.
_parser = etree.HTMLParser(
    encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, collect_ids=False, huge_tree=True
)


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
    text, codec = as_utf8(document, content_type)
    root = _parse(text)
    if root is None:
        return References(url, [], [])
    texts, flags, base = _references(root)
    if codec not in _QUERIES_IN_UTF8:
        texts = [_with_encoded_query(text, codec) for text in texts]
    if base is not None:
        url = join(url, [base])[0] or url
    return References(url, texts, flags)


def resolve(references: References) -> PageLinks:
    """The distinct targets that a page's link texts lead to; those that are not http or https drop out."""
    return _distinct(join(references.base, references.texts), references.flags)


def _parse(text: bytes) -> etree._Element | None:
    try:
        root: etree._Element | None = etree.fromstring(text, _parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    return root


def _references(root: etree._Element) -> tuple[list[str], list[int], str | None]:
    """Link texts as they stand in the page, their flags, and the first base element's reference."""
    references: list[str] = []
    flags: list[int] = []
    base: str | None = None
    for element in root.iter(*_ATTRIBUTES):
        tag = element.tag
        reference = element.get(_ATTRIBUTES[tag])
        if reference is None:
            continue
        relation = element.get("rel")
        if tag == "base":
            base = base if base is not None else reference
        elif tag == "link":
            if relation is not None and not _FOLLOWED_RELATIONS.isdisjoint(relation.lower().split()):
                references.append(reference)
                flags.append(0)
        else:
            references.append(reference)
            nofollow = relation is not None and "nofollow" in relation.lower()
            flags.append((NOFOLLOW if nofollow else 0) | (EMBEDDED if tag in _EMBEDDING else 0))
    return references, flags, base


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
