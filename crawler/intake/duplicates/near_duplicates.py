"""Pages that say nearly what another page of their site says, told by their similarity hashes."""

from collections import OrderedDict

import numpy as np

PAGES_PER_SITE = 1024
_SITES = 1 << 14
_FIRST_ROOM = 8


class NearDuplicates:
    """Knows the last pages that this rank took of each site: 1,024 of a site, of the last 16,384 sites.

    Two pages are near duplicates if their hashes differ in at most ``bits`` bits.  Of those that are, the first is
    remembered.
    """

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._sites: OrderedDict[str, _LastPages] = OrderedDict()

    def meets(self, site: str, simhash: int) -> bool:
        """Is a page a near duplicate of one of its site?  If not, it is remembered."""
        pages = self._sites.setdefault(site, _LastPages())
        self._sites.move_to_end(site)
        if len(self._sites) > _SITES:
            self._sites.popitem(last=False)
        if pages.has_within(self._bits, simhash):
            return True
        pages.add(simhash)
        return False


class _LastPages:
    """The hashes of the last pages of a site."""

    def __init__(self) -> None:
        self._hashes = np.empty(_FIRST_ROOM, np.uint64)
        self._count = 0

    def has_within(self, bits: int, simhash: int) -> bool:
        known = self._hashes[: self._count]
        return bool((np.bitwise_count(known ^ np.uint64(simhash)) <= bits).any())

    def add(self, simhash: int) -> None:
        if self._count == len(self._hashes):
            if self._count == PAGES_PER_SITE:
                self._hashes[:-1] = self._hashes[1:].copy()
                self._count -= 1
            else:
                self._hashes = np.resize(self._hashes, 2 * self._count)
        self._hashes[self._count] = simhash
        self._count += 1
