"""Where the links of a page stand: one look at every byte, by the tokens of the HTML standard (13.2.5).

This is the quick way to what libxml2 tells `crawler.pages.links` of most pages: no Python object is made for a tag or a
link.  What only the standard's tree decides, or what is rare, is not understood here: templates, framesets, a slash
that ends the start tag of a raw-text element, character references in rel, thousands of open elements.  Such a page is
left to libxml2.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled
from sessions.schema import EMBEDDED, NOFOLLOW

Bytes = npt.NDArray[np.uint8]
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
SVG: Final = 1
MATH: Final = 2
"""Of an item: where its text stands, a link's flags, and where the name of a meta element stands, if it is one."""

MOST_OPEN = 2000  # libxml2 finds nothing within 2,048, and makes some elements of its own
_LONGEST_WORD = 8
_IS_LONG = -(1 << 63)


def _word(name: bytes) -> int:
    """A name of at most eight bytes as one number."""
    number = 0
    for byte in name:
        number = number << 8 | byte
    return number if number < 1 << 63 else number - (1 << 64)


_A, _AREA, _LINK, _BASE, _META = _word(b"a"), _word(b"area"), _word(b"link"), _word(b"base"), _word(b"meta")
_IFRAME, _FRAME, _FRAMESET = _word(b"iframe"), _word(b"frame"), _word(b"frameset")
_TEMPLATE, _SVG, _MATH = _word(b"template"), _word(b"svg"), _word(b"math")
_SCRIPT, _STYLE, _TITLE, _TEXTAREA = _word(b"script"), _word(b"style"), _word(b"title"), _word(b"textarea")
_XMP, _NOEMBED, _NOFRAMES = _word(b"xmp"), _word(b"noembed"), _word(b"noframes")
_PLAINTEXT = _word(b"plaintex")
_BR, _HR, _IMG, _INPUT, _COL, _PARAM = (_word(name) for name in (b"br", b"hr", b"img", b"input", b"col", b"param"))
_HREF, _SRC, _REL, _NAME, _CONTENT = (_word(name) for name in (b"href", b"src", b"rel", b"name", b"content"))
_NEXT, _PREV, _PREVIOUS = _word(b"next"), _word(b"prev"), _word(b"previous")
_NOFOLLOW, _CANONICAL = np.frombuffer(b"nofollow", np.uint8), np.frombuffer(b"canonical", np.uint8)

_TAB, _LINE, _FORM, _RETURN, _BLANK = 0x09, 0x0A, 0x0C, 0x0D, 0x20
_LESS, _MORE, _SLASH, _EQUAL, _BANG, _QUESTION, _DASH = (ord(one) for one in "<>/=!?-")
_ALL_LESS, _ALL_ONES, _HIGH_BITS = (np.uint64(byte * 0x0101010101010101) for byte in (_LESS, 1, 0x80))
_DOUBLE, _SINGLE, _AMPERSAND, _COMMA = (ord(one) for one in "\"'&,")
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
        at = _next_less(text, words, at)
        if at + 1 >= end:
            return count, more, foreign
        byte = text[at + 1]
        if byte == _SLASH:
            if at + 2 < end and _is_letter(text[at + 2]):
                word, at = _tag_name(text, at + 2)
                at, _ = _rest_of_tag(text, at, 0, links[count], False)
                if depth and opened[depth - 1] == word:
                    depth -= 1
            elif at + 2 < end and text[at + 2] == _MORE:
                at += 3
            else:
                at = _after(text, at + 2, _MORE)
            continue
        if byte in (_BANG, _QUESTION):
            is_comment = at + 3 < end and text[at + 2] == _DASH and text[at + 3] == _DASH and byte == _BANG
            at = _comment_end(text, at + 4) if is_comment else _after(text, at + 2, _MORE)
            continue
        if not _is_letter(byte):
            at += 1
            continue
        word, at = _tag_name(text, at + 1)
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
            if is_closed or word == _PLAINTEXT:
                return NOT_UNDERSTOOD, more, foreign
            at = _script_end(text, at) if word == _SCRIPT else _raw_end(text, at, word)
        if not is_closed and not _is_void(word):
            if depth == len(opened):
                return NOT_UNDERSTOOD, more, foreign
            opened[depth] = word
            depth += 1


@compiled
def _is_letter(byte: int) -> bool:
    return 0x61 <= (byte | 0x20) <= 0x7A


@compiled
def _is_space(byte: int) -> bool:
    return byte in (_BLANK, _LINE, _TAB, _RETURN, _FORM)


@compiled
def _is_raw(word: int) -> bool:
    """Whether the content of an element is no markup."""
    if word in (_SCRIPT, _STYLE, _TITLE, _TEXTAREA, _IFRAME):
        return True
    return word in (_XMP, _NOEMBED, _NOFRAMES, _PLAINTEXT)


@compiled
def _is_void(word: int) -> bool:
    if word in (_BR, _IMG, _HR, _INPUT, _COL, _PARAM):
        return True
    return word in (_LINK, _META, _BASE, _AREA)


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
def _next_less(text: Bytes, words: npt.NDArray[np.uint64], at: int) -> int:
    """The place of the next ``<``, or the end; ``words`` are the bytes of the text, eight at a time.

    What is subtracted from a word borrows into its highest bits from the lowest byte on that is none of those looked
    for (Warren, Hacker's Delight, 6-1).
    """
    end = len(text)
    while at < end and (at & 7 or at + 8 > end):
        if text[at] == _LESS:
            return at
        at += 1
    word = at >> 3
    while word < len(words):
        differs = words[word] ^ _ALL_LESS
        if (differs - _ALL_ONES) & ~differs & _HIGH_BITS:
            break
        word += 1
    at = max(at, word << 3)
    while at < end and text[at] != _LESS:
        at += 1
    return at


@compiled
def _after(text: Bytes, at: int, byte: int) -> int:
    """The place behind the next such byte."""
    end = len(text)
    while at < end and text[at] != byte:
        at += 1
    return at + 1


@compiled
def _word_at(text: Bytes, start: int, stop: int) -> int:
    """The name that stands there in lower case as one number: of the first bytes, if it is longer."""
    word = 0
    for at in range(start, min(stop, start + _LONGEST_WORD)):
        byte = int(text[at])
        word = word << 8 | (byte | 0x20 if 0x41 <= byte <= 0x5A else byte)
    return word


@compiled
def _tag_name(text: Bytes, start: int) -> tuple[int, int]:
    """The name of a tag, as one number, and where it ends; that of a longer name is no other's."""
    at, end, word = start, len(text), 0
    while at < end:
        byte = int(text[at])
        if byte in (_MORE, _SLASH) or _is_space(byte):
            break
        byte = byte | 0x20 if 0x41 <= byte <= 0x5A else byte
        if at - start < _LONGEST_WORD:
            word = word << 8 | byte
        elif word != _PLAINTEXT:
            word = (word << 7 ^ (word >> 57 & 0x7F) ^ byte) | _IS_LONG
        at += 1
    return word, at


@compiled
def _rest_of_tag(text: Bytes, at: int, word: int, item: npt.NDArray[np.int32], is_wanted: bool) -> tuple[int, bool]:
    """Go through a tag's attributes; the place behind it, and whether it ends in a slash.

    A tag that has no end is none; the place is beyond that of the document.  Of a tag that is wanted, its item gets
    the first href or src, the first name, and what the first rel says.
    """
    end = len(text)
    has_rel = has_name = has_text = False
    while True:
        is_closed = False
        while at < end and (_is_space(text[at]) or text[at] == _SLASH):
            is_closed = text[at] == _SLASH
            at += 1
        if at >= end:
            return end + 1, False
        if text[at] == _MORE:
            return at + 1, is_closed
        start = at
        at += 1
        while at < end and text[at] != _EQUAL and text[at] != _MORE and text[at] != _SLASH and not _is_space(text[at]):
            at += 1
        stop = at
        while at < end and _is_space(text[at]):
            at += 1
        value = value_stop = at
        if at < end and text[at] == _EQUAL:
            at += 1
            while at < end and _is_space(text[at]):
                at += 1
            if at >= end:
                return end + 1, False
            value = at
            if text[at] == _DOUBLE or text[at] == _SINGLE:
                quote = text[at]
                value += 1
                at += 1
                while at < end and text[at] != quote:
                    at += 1
                value_stop = at
                at += 1
            else:
                while at < end and text[at] != _MORE and not _is_space(text[at]):
                    at += 1
                value_stop = at
            if at >= end:
                return end + 1, False
        if not is_wanted or stop - start > _LONGEST_WORD:
            continue
        name = _word_at(text, start, stop)
        if name == (_CONTENT if word == _META else _SRC if word == _IFRAME else _HREF):
            if not has_text:
                has_text = True
                item[START], item[STOP] = value, value_stop
        elif name == _NAME and word == _META and not has_name:
            has_name = True
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
        if at < stop and text[at] < _BLANK and not _is_space(text[at]):
            return _UNCLEAR
        length = at - start
        if length == 4 or length == 8:
            word = _word_at(text, start, at)
            if word in (_NEXT, _PREV, _PREVIOUS):
                says |= _FOLLOWED
            if length == 8 and _stands_at(text, start, _NOFOLLOW):
                says |= _SAYS_NOFOLLOW
        if length == 9 and _stands_at(text, start, _CANONICAL):
            says |= _FOLLOWED
        at += 1
    return says


@compiled
def _stands_at(text: Bytes, at: int, word: Bytes) -> bool:
    """Whether a word in lower case stands there, in any case."""
    if at + len(word) > len(text):
        return False
    found = True
    for place in range(len(word)):
        found &= (text[at + place] | 0x20) == word[place]
    return found


@compiled
def _comment_end(text: Bytes, at: int) -> int:
    """The place behind a comment whose text begins at ``at``."""
    end = len(text)
    if at < end and text[at] == _MORE:
        return at + 1
    if at + 1 < end and text[at] == _DASH and text[at + 1] == _MORE:
        return at + 2
    while at + 2 < end:
        if text[at] == _DASH and text[at + 1] == _DASH:
            if text[at + 2] == _MORE:
                return at + 3
            if text[at + 2] == _BANG and at + 3 < end and text[at + 3] == _MORE:
                return at + 4
        at += 1
    return end


@compiled
def _is_end_tag(text: Bytes, at: int, word: int) -> bool:
    """Whether ``</`` and the name of this number stand there, and nothing else of a name."""
    end = len(text)
    if at + 2 >= end or text[at + 1] != _SLASH or not _is_letter(text[at + 2]):
        return False
    stop = at + 2
    while stop < end and stop - at <= _LONGEST_WORD + 2 and _is_letter(text[stop]):
        stop += 1
    if stop >= end or not (_is_space(text[stop]) or text[stop] == _SLASH or text[stop] == _MORE):
        return False
    return stop - at - 2 <= _LONGEST_WORD and _word_at(text, at + 2, stop) == word


@compiled
def _raw_end(text: Bytes, at: int, word: int) -> int:
    """Where the end tag of a raw-text element begins."""
    end = len(text)
    while at < end:
        if text[at] == _LESS and _is_end_tag(text, at, word):
            return at
        at += 1
    return end


@compiled
def _script_end(text: Bytes, at: int) -> int:
    """Where the end tag of a script begins: within a comment, `<script>` hides the next end tag (13.2.5.20 on)."""
    end = len(text)
    is_comment = is_hidden = False
    while at < end:
        byte = text[at]
        if byte == _LESS:
            if at + 3 < end and text[at + 1] == _BANG and text[at + 2] == _DASH and text[at + 3] == _DASH:
                if not is_comment:
                    is_comment = True
                    at += 2  # its dashes may be those of the end
                    continue
            elif _is_end_tag(text, at, _SCRIPT):
                if not is_hidden:
                    return at
                is_hidden = False
            elif is_comment and not is_hidden and _is_start_of_script(text, at):
                is_hidden = True
        elif byte == _MORE and is_comment and text[at - 1] == _DASH and text[at - 2] == _DASH:
            is_comment = is_hidden = False
        at += 1
    return end


@compiled
def _is_start_of_script(text: Bytes, at: int) -> bool:
    stop = at + 7
    if stop >= len(text) or not (_is_space(text[stop]) or text[stop] == _SLASH or text[stop] == _MORE):
        return False
    return _word_at(text, at + 1, stop) == _SCRIPT
