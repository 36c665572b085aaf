"""Who owns a prefix that no page has as its longest: the part with most of the pages beneath it."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from partition.cut.metis import Parts

_LAST = chr(0x10FFFF)  # after every character that a URL may have


def majority_beneath(keys: Sequence[str], parts: Parts, prefixes: Sequence[str]) -> Parts:
    """The part of most keys that begin with each prefix, the lowest of several: int32[m]; each begins one at least.

    ``keys`` are the n pages' keys (`partition.assignment.url_prefixes`), ``parts`` int32[n] theirs.
    """
    order = sorted(range(len(keys)), key=keys.__getitem__)
    in_order, parts_in_order = [keys[page] for page in order], parts[order]
    found = np.empty(len(prefixes), np.int32)
    for number, prefix in enumerate(prefixes):
        begin = bisect_left(in_order, prefix)
        end = bisect_left(in_order, prefix + _LAST, begin)
        found[number] = np.bincount(parts_in_order[begin:end]).argmax()
    return found
