"""The seam that decides in what order a rank's URLs are fetched, and the orderings behind it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings
from crawler.frontier.orderings import ORDERINGS
from crawler.frontier.single_queue import SingleQueue
from crawler.frontier.url_queue import UrlQueue
from crawler.urls.batch import UrlBatch

if TYPE_CHECKING:
    from crawler.frontier.back_links import CountedOrdering
    from crawler.frontier.budgets.star import BudgetedOrdering


class Ordering(Protocol):
    """The frontier: URLs that this rank owns and has not fetched.  It knows no clock.

    The rank adds what it has just accepted, and takes some whenever the workbench has room; when a URL is then
    visited is the workbench's business.  An ordering may hold back what comes next until most of what it gave has been
    visited: then `current` is 0, and the rank has it `move_on`.
    """

    def __len__(self) -> int:
        """How many URLs wait here."""
        ...

    @property
    def ready(self) -> int:
        """How many of them have their place in the order."""
        ...

    @property
    def current(self) -> int:
        """How many `take` can give before the ordering must move on."""
        ...

    def move_on(self) -> None:
        """Go on to what comes next, so that some URLs are current if any are ready."""
        ...

    def add(self, batch: UrlBatch) -> None:
        """Accept newly discovered URLs."""
        ...

    def take(self, count: int) -> UrlBatch:
        """Remove and return the next URLs, up to ``count`` of the current ones."""
        ...

    def drain(self) -> Iterator[UrlBatch]:
        """Remove and return all that waits, a batch at a time, in no particular order."""
        ...

    @property
    def budgeted(self) -> "BudgetedOrdering | None":
        """Where URLs wait for the budgets of their domains, if this ordering wants STAR to count in-degrees."""
        ...

    @property
    def back_links(self) -> "CountedOrdering | None":
        """What back-links are counted for, if this ordering goes by them."""
        ...


class BreadthFirst(SingleQueue):
    """First found, first fetched."""

    def __init__(self, folder: Path, memory: int, _settings: OrderSettings = DEFAULT_SETTINGS) -> None:
        super().__init__(UrlQueue(folder, "breadth-first", memory))


class OwnFirst:
    """Two orderings as one: from ``later`` URLs are taken only when there are no others."""

    def __init__(self, own: Ordering, later: Ordering) -> None:
        self._own = own
        self._later = later

    def __len__(self) -> int:
        return len(self._own) + len(self._later)

    @property
    def ready(self) -> int:
        return self._own.ready + self._later.ready

    @property
    def current(self) -> int:
        return self._next.current

    def move_on(self) -> None:
        self._next.move_on()

    def add(self, batch: UrlBatch) -> None:
        self._own.add(batch)

    def take(self, count: int) -> UrlBatch:
        """Up to ``count`` URLs, all from the same of the two orderings."""
        return self._next.take(count)

    def drain(self) -> Iterator[UrlBatch]:
        yield from self._own.drain()
        yield from self._later.drain()

    @property
    def budgeted(self) -> "BudgetedOrdering | None":
        return self._own.budgeted

    @property
    def back_links(self) -> "CountedOrdering | None":
        return self._own.back_links

    @property
    def _next(self) -> Ordering:
        return self._own if self._own.ready else self._later


def ordering_named(name: str, folder: Path, memory: int, settings: OrderSettings = DEFAULT_SETTINGS) -> Ordering:
    """Return an ordering of `ORDERINGS`, of whose URLs about ``memory`` bytes are in memory and the rest in ``folder``.

    Raises ValueError for a name that it has not.
    """
    made: Ordering = ORDERINGS.load(name)(folder, memory, settings)
    return made
