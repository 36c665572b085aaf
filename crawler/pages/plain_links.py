"""Link texts that the URL standard leaves as they are, joined and hashed without a Python object for each.

A text is plain if it has but letters, digits and a few marks that mean the same in every part of a URL, and no segment
of dots, ``../`` in front aside.  Of ``&`` it is known whether it is a character reference.  What is joined is what ada
would make of it (`sessions.url.join`), and what is not plain is left to ada.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from crawler.pages.html_tokens import Bytes
from crawler.pages.link_scan import FLAGS, START, STOP, Items
from sessions.compiled import compiled
from sessions.schema import EMBEDDED, NOFOLLOW
from sessions.url import Hashes
from sessions.url_hash import LONGEST, xxh3_of

NOWHERE: Final = -1
NOT_PLAIN: Final = -2
IS_UNKNOWN: Final = 1
"""The hash in place of that of a URL that is not known yet."""

_SLASH, _DOT, _QUESTION, _NUMBER, _COLON, _AND, _PERCENT, _DASH = (ord(mark) for mark in "/.?#:&%-")
_SEMICOLON, _EQUAL, _PLUS = (ord(mark) for mark in ";=+")
_PLAIN = np.zeros(256, np.bool_)
_PLAIN[[*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$()*+,;=:@/&%"]] = True

Places = npt.NDArray[np.int32]


@compiled
def join_plain(
    text: Bytes, links: Items, count: int, base: Bytes, urls: Bytes, ends: Places, hashes: Hashes, unknown: Items
) -> int:
    """Join the first ``count`` links of a page as far as they are plain; of how many it is not known where they lead.

    ``base`` is a canonical URL.  ``urls``, uint8[count * LONGEST], gets the URLs one after the other, ``ends``,
    int32[count + 1], where each begins and ends, ``hashes``, uint64[count], their hashes.  What leads nowhere, or is
    not plain, is an empty URL, with the hash 0 or IS_UNKNOWN; where the texts of the latter begin and end goes to
    ``unknown``, int32[count, 2], in order.
    """
    origin, folder, path = _parts(base)
    others = size = 0
    ends[0] = 0
    for link in range(count):
        stop = _join(text, links[link, START], links[link, STOP], base, origin, folder, path, urls, size)
        hashes[link] = 0
        if stop >= 0:
            hashes[link] = xxh3_of(urls, size, stop)
            size = stop
        elif stop == NOT_PLAIN:
            hashes[link] = IS_UNKNOWN
            unknown[others, 0], unknown[others, 1] = links[link, START], links[link, STOP]
            others += 1
        ends[link + 1] = size
    return others


@compiled
def distinct(
    links: Items,
    count: int,
    hashes: Hashes,
    urls: Bytes,
    ends: Places,
    other_hashes: Hashes,
    others: Bytes,
    other_ends: Places,
    packed: Bytes,
    slots: npt.NDArray[np.int16],
    flags: Bytes,
) -> int:
    """Write to ``packed`` each URL once, at its first place, of those that lead somewhere; how many there are.

    ``hashes``, ``urls`` and ``ends`` are those of `join_plain`; ``others`` are the URLs of links that were not plain,
    in order, with their hashes, and ends as those of ``urls``.  ``hashes`` and ``ends`` are made those of ``packed``;
    ``flags``, uint8[count], are filled.  A target is nofollow only if all links to it are, and embedded if one is.
    ``slots``, int16[a power of two, at least twice the links], is room to work in.
    """
    mask = len(slots) - 1
    slots[:] = -1
    different = size = start = other = 0
    for link in range(count):
        url, flag, last = hashes[link], np.uint8(links[link, FLAGS]), ends[link + 1]
        source, first, stop = urls, start, last
        if first == stop and url == IS_UNKNOWN:
            source, url, first, stop = others, other_hashes[other], other_ends[other], other_ends[other + 1]
            other += 1
        start = last
        if first == stop:
            continue
        slot = np.int64(url) & mask
        while slots[slot] >= 0 and hashes[slots[slot]] != url:
            slot = (slot + 1) & mask
        if slots[slot] >= 0:
            known = flags[slots[slot]]
            flags[slots[slot]] = (known & flag & NOFOLLOW) | ((known | flag) & EMBEDDED)
            continue
        for at in range(first, stop):
            packed[size] = source[at]
            size += 1
        slots[slot] = different
        hashes[different], flags[different] = url, flag
        different += 1
        ends[different] = size
    return different


@compiled
def _parts(base: Bytes) -> tuple[int, int, int]:
    """Where the origin of a canonical URL ends, the folder of its path, and the path."""
    origin = 8
    while base[origin] != _SLASH:
        origin += 1
    path = folder = origin
    while path < len(base) and base[path] != _QUESTION and base[path] != _NUMBER:
        if base[path] == _SLASH:
            folder = path + 1
        path += 1
    return origin, folder, path


@compiled
def _join(
    text: Bytes, at: int, stop: int, base: Bytes, origin: int, folder: int, path: int, urls: Bytes, size: int
) -> int:
    """Write the URL of a text behind ``size``; where it ends, or NOWHERE, or NOT_PLAIN."""
    limit = size + LONGEST
    kept = len(base)
    if at < stop and text[at] != _NUMBER:
        scheme = _scheme_end(text, at, stop)
        if scheme > at:
            if not _is_http(text, at, scheme):
                return NOWHERE if not _may_be_http(text, at, scheme) else NOT_PLAIN
            size, at = _host(text, at, scheme, stop, urls, size)
            if size < 0:
                return NOT_PLAIN
            kept = 0
        elif text[at] == _SLASH:
            if at + 1 < stop and text[at + 1] == _SLASH:
                return NOT_PLAIN
            kept, at = origin + 1, at + 1
        elif text[at] == _QUESTION:
            kept = path
        else:
            at, kept = _without_dots(text, at, stop, base, origin, folder)
    if size + kept > limit:
        return NOT_PLAIN
    for place in range(kept):
        urls[size] = base[place]
        size += 1
    return _path_and_query(text, at, stop, urls, size, limit)


@compiled
def _scheme_end(text: Bytes, start: int, stop: int) -> int:
    """The place of the colon behind a scheme, or ``start`` if there is none."""
    at = start
    if not 0x61 <= (text[at] | 0x20) <= 0x7A:
        return start
    while at < stop:
        byte = text[at]
        if byte == _COLON:
            return at
        is_word = 0x61 <= (byte | 0x20) <= 0x7A or 0x30 <= byte <= 0x39
        if not is_word and byte not in (_DASH, _DOT, _PLUS):
            return start
        at += 1
    return start


@compiled
def _is_http(text: Bytes, start: int, colon: int) -> bool:
    """Whether a scheme in lower case is http or https."""
    size = colon - start
    if size < 4 or size > 5 or (size == 5 and text[start + 4] != 0x73):
        return False
    return bool(text[start] == 0x68 and text[start + 1] == 0x74 and text[start + 2] == 0x74 and text[start + 3] == 0x70)


@compiled
def _may_be_http(text: Bytes, start: int, colon: int) -> bool:
    """Whether a scheme is http or https in capitals."""
    return colon - start in (4, 5) and (text[start] | 0x20) == 0x68 and (text[start + 1] | 0x20) == 0x74


@compiled
def _host(text: Bytes, at: int, colon: int, stop: int, urls: Bytes, size: int) -> tuple[int, int]:
    """Write scheme and host of an absolute URL, and the slash behind.

    Return where that ends, -1 if they are not plain, and where the rest of the text begins.
    """
    if colon + 3 >= stop or text[colon + 1] != _SLASH or text[colon + 2] != _SLASH:
        return -1, at
    first = host = colon + 3
    label, is_named = 0, False
    for place in range(at, host):
        urls[size] = text[place]
        size += 1
    while host < stop and host - first < LONGEST // 2:
        byte = text[host]
        if byte in (_SLASH, _QUESTION, _NUMBER):
            break
        if byte == _DOT:
            if label == 0:
                return -1, at
            label = 0
        else:
            is_letter = 0x61 <= (byte | 0x20) <= 0x7A
            if not is_letter and not 0x30 <= byte <= 0x39 and byte != _DASH:
                return -1, at
            if byte == _DASH and text[host - 1] == _DASH:  # perhaps in xn--
                return -1, at
            if label == 0:
                is_named = is_letter
            label += 1
            byte = byte | 0x20 if is_letter else byte
        urls[size] = byte
        size += 1
        host += 1
    if label == 0 or not is_named:  # perhaps an address
        return -1, at
    if host < stop and text[host] == _SLASH:
        host += 1
    urls[size] = _SLASH
    return size + 1, host


@compiled
def _without_dots(text: Bytes, at: int, stop: int, base: Bytes, origin: int, folder: int) -> tuple[int, int]:
    """Go through the ``./`` and ``../`` in front.

    Return the place behind them, and where the folder ends that they lead to.
    """
    while at < stop and text[at] == _DOT:
        behind = at + 1
        is_up = behind < stop and text[behind] == _DOT
        behind += is_up
        is_last = behind == stop or text[behind] == _QUESTION or text[behind] == _NUMBER
        if not is_last and text[behind] != _SLASH:
            break
        if is_up and folder > origin + 1:
            folder -= 1
            while base[folder - 1] != _SLASH:
                folder -= 1
        at = behind if is_last else behind + 1
        if is_last:
            break
    return at, folder


@compiled
def _path_and_query(text: Bytes, at: int, stop: int, urls: Bytes, size: int, limit: int) -> int:
    """Write what follows a URL's folder, its fragment left out; where it ends, or NOT_PLAIN."""
    is_query = False
    while at < stop:
        byte = text[at]
        if byte == _NUMBER:
            break
        if size >= limit:
            return NOT_PLAIN
        if byte == _QUESTION:
            is_query = True
        elif not _PLAIN[byte]:
            return NOT_PLAIN
        elif byte == _AND:
            skipped = _reference(text, at, stop)
            if skipped < 0:
                return NOT_PLAIN
            at += skipped
        elif byte == _PERCENT:
            if not is_query and at + 2 < stop and text[at + 1] == 0x32 and (text[at + 2] | 0x20) == 0x65:  # a dot
                return NOT_PLAIN
        elif byte == _DOT and not is_query and urls[size - 1] == _SLASH and _is_dots(text, at, stop):
            return NOT_PLAIN
        urls[size] = byte
        size += 1
        at += 1
    return size


@compiled
def _is_dots(text: Bytes, at: int, stop: int) -> bool:
    """Whether the segment that begins there is one of one or two dots."""
    at += 1
    if at < stop and text[at] == _DOT:
        at += 1
    return at == stop or text[at] == _SLASH or text[at] == _QUESTION or text[at] == _NUMBER


@compiled
def _reference(text: Bytes, at: int, stop: int) -> int:
    """How many bytes to leave out behind an ampersand, or -1 if it may begin another character's reference."""
    behind = at + 1
    is_and = stop - at >= 5 and text[at + 1] == 0x61 and text[at + 2] == 0x6D and text[at + 3] == 0x70
    if is_and and text[at + 4] == _SEMICOLON:
        return 4
    while behind < stop and (0x61 <= (text[behind] | 0x20) <= 0x7A or 0x30 <= text[behind] <= 0x39):
        behind += 1
    if behind == at + 1:
        return -1 if behind < stop and text[behind] == _NUMBER else 0
    return 0 if behind < stop and text[behind] == _EQUAL else -1
