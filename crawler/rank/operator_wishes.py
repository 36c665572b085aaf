"""A topic of `crawler.exchange.announcements`: what an operator wants, to pause, to go on, or to stop.

A crawl that is to pause begins no request more.  When all ranks' transfers have ended an epoch closes, and the web's
clock stands still until the crawl is to go on: no delay, rest, lease or limit of time notices the pause.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crawler.exchange.verdict import Status
from crawler.launch.operator_wish import Wish, begin_wishes, end_wishes, wish_for
from crawler.monitoring.events import say


class OperatorWishes:
    """What the operator of a run wants, as this rank has heard; ``stop`` has this rank stop as a signal would.

    ``is_quiet``: it wants a pause, and on no rank is a transfer under way.
    """

    def __init__(self, session: Path, run: str, stop: Callable[[], object]) -> None:
        self._session = session
        self._run = run
        self._stop = stop
        self._wish = Wish.GO_ON
        self.is_quiet = False

    @contextmanager
    def read(self, *, is_first: bool) -> Iterator[None]:
        """Within it wishes are taken; by rank 0, the ``is_first``."""
        if is_first:
            begin_wishes(self._session, self._run)
        try:
            yield
        finally:
            if is_first:
                end_wishes(self._session)

    @property
    def is_pausing(self) -> bool:
        """Is no request to be begun?"""
        return self._wish is Wish.PAUSE

    def news(self) -> bytes | None:
        wish = wish_for(self._session, self._run)
        return wish.encode() if wish is not self._wish else None

    def hear(self, news: bytes) -> None:
        self._wish = Wish(news.decode())
        self.is_quiet = False
        say("operator wishes", wish=str(self._wish))
        if self._wish is Wish.STOP:
            self._stop()

    def look_at(self, states: Sequence[Status]) -> None:
        """A superstep has ended with these states of all ranks."""
        self.is_quiet = self.is_pausing and not any(state.in_flight for state in states)
