"""HTML that somebody wrote, taken apart into links and text without understanding more of it than that.

Evolution changes pages of which it knows nothing, so it works on bytes: a document is scanned into tags, text, and
what is neither (comments, scripts); a change replaces spans and leaves every other byte as it was.  Everything written
is ASCII, which stands for itself in every encoding that is edited at all.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from typing import NamedTuple

from sessions.url import join

_TOKEN = re.compile(
    rb"(?P<comment><!--(?:.*?-->|(?P<open>.*)))"
    rb"|<(?P<raw>script|style|title|textarea)\b[^>]*+>(?:.*?</(?P=raw)\s*>|(?P<unclosed>.*))"
    rb"|<(?P<name>a|area|frame|iframe|base|meta)(?=[\s/])(?P<attributes>[^>]*+)>"
    rb"|(?P<end></body\b)"
    rb"|(?P<frameset><frameset\b)"
    rb"|(?P<other>(?:<(?!!--|/body\b|(?:script|style|title|textarea|a|area|frame|iframe|base|meta|frameset)\b)"
    rb"[^>]*+>[^<]{0,39}+(?=<))+|<[^>]*+>)"  # many at once, with the short texts between them
    rb"|(?P<text>[^<]+)|<",
    re.IGNORECASE | re.DOTALL,
)
_REFERENCE = re.compile(rb"(?<![\w-])(?:href|src)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_NOFOLLOW = re.compile(rb"(?<![\w-])rel\s*=\s*[\"']?[^\"'>]*nofollow", re.IGNORECASE)
_ROBOTS_NOFOLLOW = re.compile(rb"robots.*(?:nofollow|none)|(?:nofollow|none).*robots", re.IGNORECASE | re.DOTALL)
_PLAIN_ANCHOR = re.compile(rb"<a\b[^>]*>([^<]*)</a>", re.IGNORECASE)
_ITEM, _ITEM_END = b"<li>", b"</li>\n"
_NOT_ASCII_BASED = re.compile(rb"\x00|\x1b\$|^\xfe\xff|^\xff\xfe")
_SHORTEST_TEXT = 40
_LOOSE = (b"a", b"area")


class Anchor(NamedTuple):
    """A link where it stands: its canonical target, the spans of its tag and of the attribute, and what it is.

    ``is_loose``: it can be taken out without breaking the page (a and area, not frames).
    """

    target: str
    tag: tuple[int, int]
    attribute: tuple[int, int]
    is_loose: bool
    is_followed: bool


@dataclass
class Markup:
    """What a document is made of.

    ``texts`` are the spans of longer pieces of text, ``place`` is where something can be added at its end.
    ``is_mute``: what is added there may not be seen, or not be followed, by those who read the page (a frameset, a
    comment that never ends, a robots meta element that says nofollow).
    """

    anchors: list[Anchor] = field(default_factory=list)
    texts: list[tuple[int, int]] = field(default_factory=list)
    place: int = 0
    is_mute: bool = False


class _Found(NamedTuple):
    reference: str
    tag: tuple[int, int]
    attribute: tuple[int, int]
    name: bytes
    is_followed: bool


def is_editable(html: bytes) -> bool:
    """Whether ASCII may be written into a document: not if its encoding is UTF-16 or one with escape sequences."""
    return bool(html.strip()) and _NOT_ASCII_BASED.search(html[: 1 << 16]) is None


def take_apart(url: str, html: bytes) -> Markup:
    """Scan the document at ``url``."""
    markup = Markup(place=len(html))
    found: list[_Found] = []
    base: str | None = None
    is_followed = True
    for token in _TOKEN.finditer(html):
        kind = token.lastgroup
        if kind == "text":
            if len(token[0].strip()) >= _SHORTEST_TEXT:
                markup.texts.append(token.span())
        elif kind == "end":
            markup.place = min(markup.place, token.start())
        elif kind == "attributes":
            name, attributes = token["name"].lower(), token["attributes"]
            if name == b"meta":
                is_followed = is_followed and _ROBOTS_NOFOLLOW.search(attributes) is None
            elif (reference := _REFERENCE.search(attributes)) is not None:
                text = _text(next(filter(None, reference.groups()), b""))
                if name == b"base":
                    base = base or text
                    continue
                start, stop = reference.span()
                at = token.start("attributes")
                span = at + start, at + stop
                found.append(_Found(text, token.span(), span, name, _NOFOLLOW.search(attributes) is None))
        elif kind in ("frameset", "unclosed") or (kind == "comment" and token["open"] is not None):
            markup.is_mute = True
    markup.is_mute |= not is_followed
    document_base = url if base is None else join(url, [base])[0] or url
    for link, target in zip(found, join(document_base, [link.reference for link in found]), strict=True):
        if target is not None and target != url:
            is_loose = link.name in _LOOSE
            markup.anchors.append(Anchor(target, link.tag, link.attribute, is_loose, link.is_followed and is_followed))
    return markup


class Revision(NamedTuple):
    """What is to become of a document.

    ``cut`` are the targets whose links go, ``swapped`` those that come instead, one for one as far as they go;
    ``listed`` are (target, title) of links added at the end, where every reader finds them; ``texts`` are the
    positions, from 0 up to 1 among the document's pieces of text, of those that are written anew.
    """

    cut: frozenset[str]
    swapped: Sequence[str]
    listed: Sequence[tuple[str, str]]
    texts: Sequence[float]


def revised(url: str, html: bytes, revision: Revision, write: Callable[[int], str]) -> bytes:
    """The document at ``url`` with a revision made; ``write`` gives ASCII text of about a number of characters."""
    markup = take_apart(url, html)
    spare = list(revision.swapped)
    changes = list(_link_changes(html, markup, revision.cut, spare))
    listed = [*((target, f"See also {number}") for number, target in enumerate(spare, 1)), *revision.listed]
    added: list[str] = []
    rewritten = {int(position * len(markup.texts)) for position in revision.texts} if markup.texts else set()
    for start, stop in (markup.texts[piece] for piece in sorted(rewritten)):
        changes.append((start, stop, write(stop - start).encode()))
    if revision.texts and not markup.texts:
        added.append(f"<p>{write(_SHORTEST_TEXT)}</p>\n")
    if listed:
        items = "".join(f'<li><a href="{escape(target)}">{escape(title)}</a></li>\n' for target, title in listed)
        added.append(f"<ul>\n{items}</ul>\n")
    if added:
        changes.append((markup.place, markup.place, "".join(added).encode()))
    return _replaced(html, changes)


def _link_changes(
    html: bytes, markup: Markup, cut: frozenset[str], spare: list[str]
) -> Iterator[tuple[int, int, bytes]]:
    """Spans to replace so that the links to ``cut`` go; as many of ``spare`` as can be come in their place."""
    instead: dict[str, str] = {}
    for anchor in markup.anchors:
        if anchor.target not in cut or not anchor.is_loose:
            continue
        if anchor.target not in instead and spare and anchor.is_followed:
            instead[anchor.target] = spare.pop(0)
        if anchor.target in instead:
            yield *anchor.attribute, f'href="{escape(instead[anchor.target])}"'.encode()
            continue
        start, stop = anchor.tag
        plain = _PLAIN_ANCHOR.match(html, start)
        if plain is None:
            yield *anchor.attribute, b""
            continue
        stop = plain.end()
        is_item = html[start - len(_ITEM) : start] == _ITEM and html.startswith(_ITEM_END, stop)
        yield (start - len(_ITEM), stop + len(_ITEM_END), b"") if is_item else (start, stop, b"")


def _replaced(html: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """``html`` with spans replaced; of two that overlap, the one that begins first counts."""
    parts: list[bytes] = []
    at = 0
    for start, stop, text in sorted(changes, key=lambda change: change[:2]):
        if start >= at:
            parts += (html[at:start], text)
            at = stop
    return b"".join((*parts, html[at:]))


def _text(reference: bytes) -> str:
    try:
        text = reference.decode()
    except UnicodeDecodeError:
        text = reference.decode("latin-1")
    return unescape(text)
