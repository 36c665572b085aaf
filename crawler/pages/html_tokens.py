"""The tokens of HTML in a page's bytes (HTML standard, 13.2.5): tags, attributes, comments, and where raw text ends.

A name of at most `LONGEST_NAME` bytes is one number, so that names are compared without a string.  All functions take
places in a text, uint8[n] of valid UTF-8, and return places; one beyond the text says that a token has no end.
"""

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled, inlined

Bytes = npt.NDArray[np.uint8]

LONGEST_NAME = 8
_IS_LONG = -(1 << 63)


def name_number(name: bytes) -> int:
    """Return a name of at most eight bytes as one number, int64; of a longer one its first eight are to be given."""
    number = 0
    for byte in name:
        number = number << 8 | byte
    return number if number < 1 << 63 else number - (1 << 64)


SCRIPT, PLAINTEXT = name_number(b"script"), name_number(b"plaintex")
_LESS, MORE, SLASH, BANG, QUESTION = (ord(one) for one in "<>/!?")
_EQUAL, _DASH, _DOUBLE, _SINGLE = (ord(one) for one in "=-\"'")
_TAB, _LINE, _FORM, _RETURN, _BLANK = 0x09, 0x0A, 0x0C, 0x0D, 0x20
_ALL_LESS, _ALL_ONES, _HIGH_BITS = (np.uint64(byte * 0x0101010101010101) for byte in (_LESS, 1, 0x80))


@compiled
def is_letter(byte: int) -> bool:
    """Whether a byte is a letter of ASCII."""
    return 0x61 <= (byte | 0x20) <= 0x7A


@compiled
def is_space(byte: int) -> bool:
    """Whether a byte separates attributes."""
    return byte in (_BLANK, _LINE, _TAB, _RETURN, _FORM)


@compiled
def next_less(text: Bytes, words: npt.NDArray[np.uint64], at: int) -> int:
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
def after(text: Bytes, at: int, byte: int) -> int:
    """The place behind the next such byte, beyond the document if there is none."""
    end = len(text)
    while at < end and text[at] != byte:
        at += 1
    return at + 1


@inlined
def after_spaces(text: Bytes, at: int) -> int:
    """The next place that has no space."""
    while at < len(text) and is_space(text[at]):
        at += 1
    return at


@compiled
def name_at(text: Bytes, start: int, stop: int) -> int:
    """The name that stands there in lower case as one number: of the first bytes, if it is longer."""
    word = 0
    for at in range(start, min(stop, start + LONGEST_NAME)):
        byte = int(text[at])
        word = word << 8 | (byte | 0x20 if 0x41 <= byte <= 0x5A else byte)
    return word


@compiled
def stands_at(text: Bytes, at: int, word: Bytes) -> bool:
    """Whether a word in lower case stands there, in any case."""
    if at + len(word) > len(text):
        return False
    found = True
    for place in range(len(word)):
        found &= (text[at + place] | 0x20) == word[place]
    return found


@compiled
def tag_name(text: Bytes, start: int) -> tuple[int, int]:
    """The name of a tag, as one number, and where it ends; that of a longer name is no other's."""
    at, end, word = start, len(text), 0
    while at < end:
        byte = int(text[at])
        if byte in (MORE, SLASH) or is_space(byte):
            break
        byte = byte | 0x20 if 0x41 <= byte <= 0x5A else byte
        if at - start < LONGEST_NAME:
            word = word << 8 | byte
        elif word != PLAINTEXT:
            word = (word << 7 ^ (word >> 57 & 0x7F) ^ byte) | _IS_LONG
        at += 1
    return word, at


@inlined
def attribute_name_end(text: Bytes, at: int) -> int:
    """Where the name of an attribute ends that begins at ``at``, whatever its first byte is."""
    end = len(text)
    at += 1
    while at < end and text[at] != _EQUAL and text[at] != MORE and text[at] != SLASH and not is_space(text[at]):
        at += 1
    return at


@inlined
def attribute_value(text: Bytes, at: int) -> tuple[int, int, int]:
    """From where to where the value of an attribute stands whose name ends at ``at``, and the place behind it.

    The place is the document's end, or beyond it, if the value has none.
    """
    end = len(text)
    at = after_spaces(text, at)
    if at >= end or text[at] != _EQUAL:
        return at, at, at
    at = after_spaces(text, at + 1)
    if at >= end:
        return at, at, at
    quote = text[at]
    if quote in (_DOUBLE, _SINGLE):
        stop = after(text, at + 1, quote)
        return at + 1, stop - 1, stop
    value = at
    while at < end and text[at] != MORE and not is_space(text[at]):
        at += 1
    return value, at, at


@compiled
def after_declaration(text: Bytes, at: int) -> int:
    """The place behind a comment, a doctype or what the standard calls a bogus comment."""
    is_comment = at + 3 < len(text) and text[at + 1] == BANG and text[at + 2] == _DASH and text[at + 3] == _DASH
    return _comment_end(text, at + 4) if is_comment else after(text, at + 2, MORE)


@compiled
def _comment_end(text: Bytes, at: int) -> int:
    """The place behind a comment whose text begins at ``at``."""
    end = len(text)
    if at < end and text[at] == MORE:
        return at + 1
    if at + 1 < end and text[at] == _DASH and text[at + 1] == MORE:
        return at + 2
    while at + 2 < end:
        if text[at] == _DASH and text[at + 1] == _DASH:
            if text[at + 2] == MORE:
                return at + 3
            if text[at + 2] == BANG and at + 3 < end and text[at + 3] == MORE:
                return at + 4
        at += 1
    return end


@compiled
def raw_end(text: Bytes, at: int, word: int) -> int:
    """Where the end tag of a raw-text element begins."""
    end = len(text)
    while at < end:
        if text[at] == _LESS and _is_end_tag(text, at, word):
            return at
        at += 1
    return end


@compiled
def script_end(text: Bytes, at: int) -> int:
    """Where the end tag of a script begins: within a comment, `<script>` hides the next end tag (13.2.5.20 on)."""
    end = len(text)
    is_comment = is_hidden = False
    while at < end:
        byte = text[at]
        if byte == _LESS:
            if at + 3 < end and text[at + 1] == BANG and text[at + 2] == _DASH and text[at + 3] == _DASH:
                if not is_comment:
                    is_comment = True
                    at += 2  # its dashes may be those of the end
                    continue
            elif _is_end_tag(text, at, SCRIPT):
                if not is_hidden:
                    return at
                is_hidden = False
            elif is_comment and not is_hidden and _is_start_of_script(text, at):
                is_hidden = True
        elif byte == MORE and is_comment and text[at - 1] == _DASH and text[at - 2] == _DASH:
            is_comment = is_hidden = False
        at += 1
    return end


@compiled
def _is_end_tag(text: Bytes, at: int, word: int) -> bool:
    """Whether ``</`` and the name of this number stand there, and nothing else of a name."""
    end = len(text)
    if at + 2 >= end or text[at + 1] != SLASH or not is_letter(text[at + 2]):
        return False
    stop = at + 2
    while stop < end and stop - at <= LONGEST_NAME + 2 and is_letter(text[stop]):
        stop += 1
    if stop >= end or not (is_space(text[stop]) or text[stop] == SLASH or text[stop] == MORE):
        return False
    return stop - at - 2 <= LONGEST_NAME and name_at(text, at + 2, stop) == word


@compiled
def _is_start_of_script(text: Bytes, at: int) -> bool:
    stop = at + 7
    if stop >= len(text) or not (is_space(text[stop]) or text[stop] == SLASH or text[stop] == MORE):
        return False
    return name_at(text, at + 1, stop) == SCRIPT
