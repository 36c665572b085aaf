"""URLs as keys that prefixes of can own: host, path and query, without scheme and userinfo.

A prefix is a plain string prefix of keys that holds at least the host and the slash after it: "a.example/" is a site,
"a.example/dir/" a directory, "a.example/dir/pa" what begins so.  Of several prefixes that a key has, the longest wins.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_BITS = 8
_WORD = 8
_ONE = np.uint64(1)


def url_key(url: str) -> str:
    """``host[:port]/path?query`` of a canonical URL: what prefixes are matched with."""
    authority, slash, rest = url[7 + (url[4] == "s") :].partition("/")
    return authority.rpartition("@")[2] + slash + rest


def url_keys(urls: Sequence[str]) -> list[str]:
    """`url_key` of each URL of a batch, in order."""
    keys = [url[8:] if url[4] == "s" else url[7:] for url in urls]
    if any("@" in key for key in keys):
        return [url_key(url) for url in urls]
    return keys


def site_prefix(site: str) -> str:
    """The prefix that all keys of a site (`sessions.url.site_of`) have, and no others."""
    return site + "/"


def site_of_key(key: str) -> str:
    """The site of a key, or of a prefix."""
    return key.partition("/")[0]


def directories_of_key(key: str) -> list[str]:
    """The directories that a key lies in, from outside to inside: with the slash of the path, or the question mark."""
    path, mark, _ = key.partition("?")
    ends = [end + 1 for end, letter in enumerate(path) if letter == "/"]
    return [path[:end] for end in ends] + [path + mark] * bool(mark)


def shared_prefixes(
    buffer: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """How many leading bytes each text shares with the one before, 0 for the first: int64[n].

    The n texts stand in ``buffer`` at ``starts``, ``lengths`` bytes each.  All texts are compared at once, eight bytes
    at a time.
    """
    shared = np.zeros(len(starts), np.int64)
    words = _words(buffer)
    limits = np.zeros(len(starts), np.int64)
    limits[1:] = np.minimum(lengths[1:], lengths[:-1])
    alike = np.flatnonzero(limits)
    position = 0
    while alike.size:
        differences = _words_at(words, starts[alike] + position) ^ _words_at(words, starts[alike - 1] + position)
        # The lowest bit that differs has as many zeros below it as the lower bytes that do not differ have bits.
        same = np.bitwise_count((differences & (~differences + _ONE)) - _ONE).astype(np.int64) // _BITS
        reach = np.minimum(position + same, limits[alike])
        shared[alike] = reach
        position += _WORD
        alike = alike[(reach == position) & (limits[alike] > position)]
    return shared


def _words(buffer: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """The eight bytes from each place on, as far as there are eight; the last of them if there are not."""
    if len(buffer) < _WORD:
        buffer = np.concatenate([buffer, np.zeros(_WORD - len(buffer), np.uint8)])
    return np.ndarray((len(buffer) - _WORD + 1,), "<u8", buffer, 0, (1,))


def _words_at(words: npt.NDArray[np.uint64], places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The bytes from each place on, the first one lowest, zeros where the buffer has no more."""
    there = np.minimum(places, len(words) - 1)
    bits = (_BITS * (places - there)).astype(np.uint64)
    words_there: npt.NDArray[np.uint64] = words[there] >> bits
    return words_there
