"""Where the links of a page stand: one look at every byte, by its tokens (`html_tokens`).

This is the quick way to what libxml2 tells `crawler.pages.links` of most pages: no Python object is made for a tag or a
link.  What only the standard's tree decides, or what is rare, is not understood here: templates, framesets, a slash
that ends the start tag of a raw-text element, character references in rel, thousands of open elements.  Such a page is
left to libxml2.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from crawler.pages.html_tokens import (
    BANG,
    LONGEST_NAME,
    MORE,
    PLAINTEXT,
    QUESTION,
    SCRIPT,
    SLASH,
    Bytes,
    after,
    after_declaration,
    attribute_name_end,
    attribute_value,
    is_letter,
    is_space,
    name_at,
    name_number,
    next_less,
    raw_end,
    script_end,
    stands_at,
    tag_name,
)
from sessions.compiled import compiled, inlined
from sessions.schema import EMBEDDED, NOFOLLOW

Items = npt.NDArray[np.int32]

MOST_LINKS, MOST_OTHERS = 4096, 256
"""Links of a page, and its base and meta elements; a page with more is not understood."""
NOT_UNDERSTOOD: Final = -1
START: Final = 0
STOP: Final = 1
FLAGS: Final = 2
NAME_START: Final = 3
NAME_STOP: Final = 4
COLUMNS: Final = 5
"""Of an item: where its text stands, a link's flags, and where the name of a meta element stands, if it is one."""
SVG: Final = 1
MATH: Final = 2
"""Bits of `scan`'s ``foreign``: which elements of other kinds the page has."""

MOST_OPEN = 2000  # libxml2 finds nothing within 2,048, and makes some elements of its own

_A, _AREA, _LINK, _BASE, _META = (name_number(name) for name in (b"a", b"area", b"link", b"base", b"meta"))
_IFRAME, _FRAME, _FRAMESET = (name_number(name) for name in (b"iframe", b"frame", b"frameset"))
_TEMPLATE, _SVG, _MATH = (name_number(name) for name in (b"template", b"svg", b"math"))
_STYLE, _TITLE, _TEXTAREA = (name_number(name) for name in (b"style", b"title", b"textarea"))
_XMP, _NOEMBED, _NOFRAMES = (name_number(name) for name in (b"xmp", b"noembed", b"noframes"))
_BR, _HR, _IMG = (name_number(name) for name in (b"br", b"hr", b"img"))
_INPUT, _COL, _PARAM = (name_number(name) for name in (b"input", b"col", b"param"))
_HREF, _SRC, _REL, _NAME, _CONTENT = (name_number(name) for name in (b"href", b"src", b"rel", b"name", b"content"))
_NEXT, _PREV, _PREVIOUS = (name_number(name) for name in (b"next", b"prev", b"previous"))
_NOFOLLOW, _CANONICAL = np.frombuffer(b"nofollow", np.uint8), np.frombuffer(b"canonical", np.uint8)

_BLANK, _AMPERSAND, _COMMA = 0x20, 0x26, 0x2C
_FOLLOWED, _SAYS_NOFOLLOW, _UNCLEAR = 1, 2, 4


@compiled
def scan(text: Bytes, links: Items, others: Items, opened: npt.NDArray[np.int64]) -> tuple[int, int, int]:
    """Write the links of a document, in order, to ``links`` and its base and meta elements to ``others``.

    Return how many there are of both, the first NOT_UNDERSTOOD if it is not, and whether there is SVG or MathML, as
    bits.  ``text`` is valid UTF-8; ``links`` is int32[MOST_LINKS + 1, COLUMNS], ``others`` int32[MOST_OTHERS + 1,
    COLUMNS], and ``opened``, int64[MOST_OPEN], is room to work in.
    """
    count = more = depth = at = foreign = 0
    end = len(text)
    words = text[: end & ~7].view(np.uint64)
    while True:
        at = next_less(text, words, at)
        if at + 1 >= end:
            return count, more, foreign
        byte = text[at + 1]
        if byte == SLASH:
            word, at = _end_tag(text, at, links[count])
            if depth and opened[depth - 1] == word:
                depth -= 1
            continue
        if byte in (BANG, QUESTION):
            at = after_declaration(text, at)
            continue
        if not is_letter(byte):
            at += 1
            continue
        word, at = tag_name(text, at + 1)
        if word in (_TEMPLATE, _FRAME, _FRAMESET):
            return NOT_UNDERSTOOD, more, foreign
        if word in (_SVG, _MATH):
            foreign |= SVG if word == _SVG else MATH
        item = others[more] if word in (_BASE, _META) else links[count]
        item[:] = 0
        is_wanted = word in (_A, _AREA, _LINK, _IFRAME, _BASE, _META)
        at, is_closed = _rest_of_tag(text, at, word, item, is_wanted)
        if item[FLAGS] & _UNCLEAR:
            return NOT_UNDERSTOOD, more, foreign
        if at <= end and item[STOP] and _counts(word, item):
            if word in (_BASE, _META):
                more += 1
            else:
                count += 1
            if count == len(links) or more == len(others):
                return NOT_UNDERSTOOD, more, foreign
        if at > end:
            return count, more, foreign
        if _is_raw(word):
            if is_closed or word == PLAINTEXT:
                return NOT_UNDERSTOOD, more, foreign
            at = script_end(text, at) if word == SCRIPT else raw_end(text, at, word)
        if not is_closed and not _is_void(word):
            if depth == len(opened):
                return NOT_UNDERSTOOD, more, foreign
            opened[depth] = word
            depth += 1


@inlined
def _end_tag(text: Bytes, at: int, item: npt.NDArray[np.int32]) -> tuple[int, int]:
    """The name of an end tag, 0 if it has none, and the place behind it; ``item`` is left as it is."""
    if at + 2 < len(text) and is_letter(text[at + 2]):
        word, at = tag_name(text, at + 2)
        at, _ = _rest_of_tag(text, at, 0, item, False)
        return word, at
    return 0, after(text, at + 2, MORE)


@inlined
def _rest_of_tag(text: Bytes, at: int, word: int, item: npt.NDArray[np.int32], is_wanted: bool) -> tuple[int, bool]:
    """Go through a tag's attributes; the place behind it, and whether it ends in a slash.

    A tag that has no end is none; the place is beyond that of the document.  Of a tag that is wanted, its item, which
    was all 0, gets the first href, src or content, the first name, and what the first rel says.
    """
    end = len(text)
    has_rel = False
    while True:
        is_closed = False
        while at < end and (is_space(text[at]) or text[at] == SLASH):
            is_closed = text[at] == SLASH
            at += 1
        if at < end and text[at] == MORE:
            return at + 1, is_closed
        start, stop = at, attribute_name_end(text, at)
        value, value_stop, at = attribute_value(text, stop)
        if at >= end:
            return end + 1, False
        if not is_wanted or stop - start > LONGEST_NAME:
            continue
        name = name_at(text, start, stop)
        if name == (_CONTENT if word == _META else _SRC if word == _IFRAME else _HREF):
            if not item[STOP]:
                item[START], item[STOP] = value, value_stop
        elif name == _NAME and word == _META:
            if not item[NAME_STOP]:
                item[NAME_START], item[NAME_STOP] = value, value_stop
        elif name == _REL and not has_rel:
            has_rel = True
            item[FLAGS] = _relations(text, value, value_stop)


@compiled
def _relations(text: Bytes, at: int, stop: int) -> int:
    """What the words of a rel attribute say, as bits."""
    says = 0
    while at < stop:
        start = at
        while at < stop and text[at] > _BLANK and text[at] != _COMMA:
            if text[at] == _AMPERSAND or text[at] >= 0x7F:
                return _UNCLEAR
            at += 1
        if at < stop and text[at] < _BLANK and not is_space(text[at]):
            return _UNCLEAR
        length = at - start
        if length == 4 or length == 8:
            word = name_at(text, start, at)
            if word in (_NEXT, _PREV, _PREVIOUS):
                says |= _FOLLOWED
            if length == 8 and stands_at(text, start, _NOFOLLOW):
                says |= _SAYS_NOFOLLOW
        if length == 9 and stands_at(text, start, _CANONICAL):
            says |= _FOLLOWED
        at += 1
    return says


@compiled
def _counts(word: int, item: npt.NDArray[np.int32]) -> bool:
    """Whether an element that has what it needs leads somewhere; its flags are made those of a link."""
    found = item[FLAGS]
    if word == _META:
        return bool(item[NAME_STOP] > 0)
    if word == _LINK and not found & _FOLLOWED:
        return False
    item[FLAGS] = (NOFOLLOW if found & _SAYS_NOFOLLOW else 0) | (EMBEDDED if word == _IFRAME else 0)
    return True


@compiled
def _is_raw(word: int) -> bool:
    """Whether the content of an element is no markup."""
    if word in (SCRIPT, _STYLE, _TITLE, _TEXTAREA, _IFRAME):
        return True
    return word in (_XMP, _NOEMBED, _NOFRAMES, PLAINTEXT)


@compiled
def _is_void(word: int) -> bool:
    if word in (_BR, _IMG, _HR, _INPUT, _COL, _PARAM):
        return True
    return word in (_LINK, _META, _BASE, _AREA)
