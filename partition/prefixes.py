"""URLs as keys that prefixes of can own: host, path and query, without scheme and userinfo.

A prefix is a plain string prefix of keys that holds at least the host and the slash after it: "a.example/" is a site,
"a.example/dir/" a directory, "a.example/dir/pa" what begins so.  Of several prefixes that a key has, the longest wins.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


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


def shared_prefixes(
    buffer: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """How many leading bytes each text shares with the one before, 0 for the first: int64[n].

    The n texts stand in ``buffer`` at ``starts``, ``lengths`` bytes each.  One comparison per byte position is made
    for all texts at once.
    """
    shared = np.zeros(len(starts), np.int64)
    alike = np.arange(1, len(starts))
    limits = np.minimum(lengths[1:], lengths[:-1])
    position = 0
    while alike.size:
        alike = alike[limits[alike - 1] > position]
        alike = alike[buffer[starts[alike] + position] == buffer[starts[alike - 1] + position]]
        position += 1
        shared[alike] = position
    return shared
