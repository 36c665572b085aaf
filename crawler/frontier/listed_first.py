"""The ordering of a crawl that works off a worklist: new URLs and old ones by turns, each kind as it is listed.

The m-th URL (m = 0, 1, ...) that a rank takes is an old one if the whole number of old ones that m + 1 URLs are to
have is larger than that of m, which is floor(m (10^6 - S) / 10^6) with S, the share of new ones, in millionths.  So any
first m of them have the share within one URL, as long as there are both kinds; then the other kind goes on.  Source of
the share: Anansi's nine tenths for new pages (thesis, NC State, 2010).

URLs that are not listed wait behind those that are.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.frontier.url_queue import UrlQueue
from crawler.urls.batch import Mask, UrlBatch, joined
from crawler.urls.kinds import are_of_kind
from crawler.worklist.rows import NEW, OLD

WHOLE = 1_000_000
"""Shares are told in millionths."""


class ListedFirst:
    """The frontier of a crawl by a worklist.

    About ``memory`` bytes of URLs are in memory, the rest in ``folder``.  ``share`` of the URLs, in millionths, are
    new ones.  What is taken is counted in ``handed_out``, by kind; earlier runs have taken ``earlier`` URLs.  Unlisted
    ones are taken only if it ``goes_beyond`` the list, when that is used up.
    """

    def __init__(
        self,
        folder: Path,
        memory: int,
        *,
        share: int,
        handed_out: Counter[str],
        earlier: int = 0,
        goes_beyond: bool = False,
    ) -> None:
        self._of_kind = {name: UrlQueue(folder, f"listed-{name}", memory // 3) for name in (NEW, OLD)}
        self._unlisted = UrlQueue(folder, "unlisted", memory // 3)
        self._share_of_old = WHOLE - share
        self._handed_out = handed_out
        self._earlier = earlier
        self._goes_beyond = goes_beyond

    def __len__(self) -> int:
        return self._listed + (len(self._unlisted) if self._goes_beyond else 0)

    @property
    def ready(self) -> int:
        return len(self)

    @property
    def current(self) -> int:
        return len(self)

    def move_on(self) -> None:
        """Nothing is ever held back."""

    def add(self, batch: UrlBatch) -> None:
        """Accept URLs; those that are listed bear their kind among their flags, and come in the order of the list."""
        for kind, queue in (*self._of_kind.items(), ("", self._unlisted)):
            queue.add(batch.where(are_of_kind(batch.flags, kind)))

    def take(self, count: int) -> UrlBatch:
        """Remove and return the next URLs; unlisted ones only when no others are left."""
        if not self._listed:
            return self._unlisted.take(count)
        is_old = self._turns(min(count, self._listed))
        new, old = self._of_kind[NEW].take(int((~is_old).sum())), self._of_kind[OLD].take(int(is_old.sum()))
        for kind, taken in ((NEW, new), (OLD, old)):
            if len(taken):
                self._handed_out[kind] += len(taken)
        places = np.empty(len(is_old), np.intp)
        places[~is_old], places[is_old] = np.arange(len(new)), len(new) + np.arange(len(old))
        return joined([new, old]).take(places)

    def drain(self) -> Iterator[UrlBatch]:
        """Remove and return all URLs, unlisted ones last."""
        for queue in (*self._of_kind.values(), self._unlisted):
            yield from queue.drain()

    @property
    def budgeted(self) -> None:
        return None

    @property
    def back_links(self) -> None:
        return None

    @property
    def left(self) -> dict[str, int]:
        """How many URLs of each kind are left here."""
        return {kind: len(queue) for kind, queue in self._of_kind.items()}

    @property
    def _listed(self) -> int:
        return sum(map(len, self._of_kind.values()))

    def _turns(self, count: int) -> Mask:
        """Which of the next ``count`` URLs are old ones: bool[count].  What a kind lacks the other has."""
        numbers = np.arange(count + 1) + self._earlier + self._handed_out.total()
        is_old = np.diff(old_ones_of(numbers, self._share_of_old)) > 0
        for turns, queue, other in ((~is_old, self._of_kind[NEW], True), (is_old, self._of_kind[OLD], False)):
            is_old[np.flatnonzero(turns)[len(queue) :]] = other
        return is_old


def in_millionths(share: float) -> int:
    """A share from 0 to 1 as a whole number."""
    return round(share * WHOLE)


def old_ones_of(numbers: npt.NDArray[np.int64], share: int) -> npt.NDArray[np.int64]:
    """How many of the first m URLs are old ones, for int64[n] numbers m, if ``share`` millionths are to be."""
    # Numbers beyond 2^63 / 10^6 would not fit.
    wholes, rest = np.divmod(numbers, WHOLE)
    of_these: npt.NDArray[np.int64] = wholes * share + rest * share // WHOLE
    return of_these
