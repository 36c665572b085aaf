"""Questions of all ranks to all ranks, a seam: who puts them knows nothing of MPI."""

from collections.abc import Callable
from typing import Protocol


class Asking(Protocol):
    """What the ranks' exchange has to offer here: `crawler.exchange.link_exchange.LinkExchange`, or a fake of it."""

    @property
    def ranks(self) -> int:
        """K."""
        ...

    def ask(self, questions: list[bytes], answer: Callable[[list[memoryview]], list[bytes]]) -> list[memoryview] | None:
        """Send each rank its questions, have ``answer`` deal with those that come, and return the answers.

        All by rank.  None if no rank had a question.  Blocks until all ranks have called it.
        """
        ...
