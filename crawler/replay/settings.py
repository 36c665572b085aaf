"""How a session is replayed, whether under MPI or as an estimate."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from crawler.exchange.parallel_modes import CROSS_OVER, EXCHANGE
from crawler.frontier.order_settings import DEFAULT_SETTINGS, OrderSettings


@dataclass(frozen=True)
class ReplaySettings:
    """docs/replay.md says what each means.

    A superstep is ``pages_per_superstep`` pages a rank; ``mode`` is one of `crawler.exchange.parallel_modes.MODES`; the
    ``replicated`` most linked URLs are known to all ranks from the start; the replay ends after ``max_pages`` over all
    ranks, if that is given.  ``order`` is one of `crawler.frontier.orderings.ORDERINGS`, and ``order_settings`` are
    those of the orderings.
    """

    pages_per_superstep: int = 1000
    mode: str = EXCHANGE
    replicated: int = 0
    max_pages: int | None = None
    order: str = "bfs"
    order_settings: OrderSettings = DEFAULT_SETTINGS

    def as_plain_values(self) -> dict[str, Any]:
        """Return all of it by name, as JSON can hold it."""
        values = asdict(self)
        asked = values.pop("order_settings")
        return values | {name: str(value) if isinstance(value, Path) else value for name, value in asked.items()}

    def with_end(self, pages: int) -> "ReplaySettings":
        """In cross-over every rank would fetch all that it can reach: there the end comes after ``pages``, if not
        after others that were asked for."""
        if self.mode != CROSS_OVER or self.max_pages is not None:
            return self
        return replace(self, max_pages=pages)
