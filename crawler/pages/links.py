"""The links of a page, in document order.

Links are a[href], area[href], frame[src], iframe[src], and link[href] whose rel says next, prev, previous or
canonical; `<base href>` is honoured.  rel=nofollow is noted, frames are noted as embedded, and what the page asks of
robots in meta elements.  Scripts are not run, and meta refresh is not followed.  libxml2 reads the page; markup that it
reads otherwise than the HTML standard is masked (`html_masking`), and read again.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from lxml import etree

from crawler.pages.charset import as_utf8
from crawler.pages.html_masking import masked
from crawler.pages.html_suspects import NOTED, needs_masking
from crawler.pages.web_codecs import with_encoded_queries
from crawler.urls.targets import PageTargets, listed
from sessions.schema import EMBEDDED, NOFOLLOW
from sessions.url import join

_NO_ATTRIBUTE = ""
_ATTRIBUTES = {
    "a": "href",
    "area": "href",
    "frame": "src",
    "iframe": "src",
    "link": "href",
    "base": "href",
    "meta": "content",
}
_ATTRIBUTES |= dict.fromkeys(NOTED - _ATTRIBUTES.keys(), _NO_ATTRIBUTE)
_EMBEDDING = {"frame", "iframe"}
_FOLLOWED_RELATIONS = {"next", "prev", "previous", "canonical"}
MOST_METAS = 100
_TEXTS_AT_ONCE = 4096
_BYTES_AT_ONCE = 1 << 16
_SHORT_BYTES = 1 << 18
PARSED_BYTES = 16 << 20
"""How much of a document is looked at."""

IsOver = Callable[[], bool]
"""Whether the time that a page may take is over: asked now and then, a few milliseconds apart."""


def never() -> bool:
    """No limit of time."""
    return False


class PageLinks(NamedTuple):
    """The distinct targets of a page's links as canonical URLs, in document order, with the flags of each.

    ``dropped`` more were left out: targets beyond the limit, or distinct link texts that were not looked at any more.
    """

    urls: list[str]
    flags: list[int]
    dropped: int = 0


class References(NamedTuple):
    """Link texts as they stand in a page, in document order, with their flags, and the URL that they start from.

    ``metas`` are the names and contents of its first hundred meta elements that have both.  ``is_cut``: reading was
    stopped before the end.
    """

    base: str
    texts: list[str]
    flags: list[int]
    metas: list[tuple[str, str]]
    is_cut: bool = False

    def targets(self, *, nofollow: bool = False, most: int | None = None, is_over: IsOver = never) -> PageTargets:
        """The distinct targets of the links, as `resolve` gives them."""
        return listed(*resolve(self, nofollow=nofollow, most=most, is_over=is_over))


def find_references(url: str, document: bytes, content_type: str, is_over: IsOver = never) -> References:
    """The link texts of an HTML document that was fetched from ``url``, its content encoding taken off.

    Reading stops where ``is_over`` says so.
    """
    return references_in_text(url, *as_utf8(document[:PARSED_BYTES], content_type), is_over)


def references_in_text(url: str, text: bytes, encoding: str, is_over: IsOver = never) -> References:
    """`find_references` of a document in valid UTF-8 that was in ``encoding``."""
    is_cut = _parse(text, is_over)
    if _collector.noted and not is_cut and needs_masking(text, _collector.noted):
        is_cut = _parse_masked(text, is_over)
    texts, flags, base, metas = _collector.take()
    texts = with_encoded_queries(texts, encoding)
    if base is not None:
        url = join(url, with_encoded_queries([base], encoding))[0] or url
    return References(url, texts, flags, metas, is_cut)


def resolve(
    references: References, *, nofollow: bool = False, most: int | None = None, is_over: IsOver = never
) -> PageLinks:
    """The distinct targets that a page's link texts lead to, in document order, but ``most`` of them.

    Those that are not http or https drop out.  ``nofollow``: the page asks that of all its links.
    """
    texts, flags = references.texts, references.flags
    most = len(texts) if most is None else most
    targets: dict[str, int] = {}
    done = 0
    while done < len(texts) and len(targets) <= most and not (done and is_over()):
        part = slice(done, done + _TEXTS_AT_ONCE)
        _add_distinct(targets, join(references.base, texts[part]), flags[part])
        done = part.stop
    dropped = max(0, len(targets) - most)
    if done < len(texts):
        dropped += len(set(texts[done:]).difference(texts[:done]))
    flags = list(targets.values())[:most]
    if nofollow:
        flags = [flag | NOFOLLOW for flag in flags]
    return PageLinks(list(targets)[:most], flags, dropped)


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
        self.metas: list[tuple[str, str]] = []
        self.noted: set[str] = set()

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A start tag of the document, its name in lower case."""
        name = _ATTRIBUTES.get(tag)
        if name is None:
            return
        if (text := attributes.get(name)) is None:
            if name is _NO_ATTRIBUTE:
                self.noted.add(tag)
            return
        if tag == "base":
            self.base = text if self.base is None else self.base
            return
        if tag == "meta":
            if "name" in attributes and len(self.metas) < MOST_METAS:
                self.metas.append((attributes["name"].strip(), text))
            return
        relations = attributes.get("rel", "").lower().replace(",", " ").split()
        if tag == "link" and _FOLLOWED_RELATIONS.isdisjoint(relations):
            return
        embedded = 0
        if tag in _EMBEDDING:
            embedded = EMBEDDED
            self.noted.add(tag)
        self.texts.append(text)
        self.flags.append((NOFOLLOW if "nofollow" in relations else 0) | embedded)

    def close(self) -> None:
        """The end of the document, or of what could be read of it."""

    def take(self) -> tuple[list[str], list[int], str | None, list[tuple[str, str]]]:
        """What was collected; then the collector is ready for the next document."""
        collected = self.texts, self.flags, self.base, self.metas
        self._start_afresh()
        return collected


_collector = _Collector()
# Without huge_tree everything below 253 open elements is lost, and everything after them; with it, below 2,048.
_parser = etree.HTMLParser(encoding="utf-8", target=_collector, no_network=True, huge_tree=True)


def _parse(text: bytes, is_over: IsOver) -> bool:
    """Let the collector see a document in UTF-8; whether its end was not reached for lack of time."""
    with suppress(etree.XMLSyntaxError, ValueError):  # what was read before the error counts
        if len(text) > _SHORT_BYTES:
            return _parse_in_pieces(text, is_over)
        etree.fromstring(text, _parser)
    return False


def _parse_masked(text: bytes, is_over: IsOver) -> bool:
    """Let the collector see a document once more, as the HTML standard reads it; as `_parse`."""
    document, is_cut = masked(text, is_over)
    if document is text:
        return is_cut
    _collector.take()
    return _parse(document, is_over) or is_cut


def _parse_in_pieces(text: bytes, is_over: IsOver) -> bool:
    is_cut = False
    try:
        for start in range(0, len(text), _BYTES_AT_ONCE):
            if is_cut := is_over():
                break
            _parser.feed(text[start : start + _BYTES_AT_ONCE])
    finally:
        with suppress(etree.XMLSyntaxError, ValueError):  # there may have been nothing, or half a tag
            _parser.close()
    return is_cut


def _add_distinct(targets: dict[str, int], urls: list[str | None], flags: list[int]) -> None:
    """Add the URLs that are new to the targets; a target is nofollow only if all links to it are."""
    if not targets and not any(flags):
        targets.update(dict.fromkeys(urls, 0))  # type: ignore[arg-type]
        targets.pop(None, None)  # type: ignore[call-overload]
        return
    for url, flag in zip(urls, flags, strict=True):
        if url is not None:
            known = targets.setdefault(url, flag)
            targets[url] = (known & flag & NOFOLLOW) | ((known | flag) & EMBEDDED)
