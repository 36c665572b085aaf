"""What a rank counts while it crawls."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sessions.counters import COUNTERS, Form
from sessions.records import Report


class Counters:
    """Cumulative counts of one rank since its run began: an attribute for each tally of `sessions.counters`.

    What is counted by name is a `collections.Counter`.  ``superstep`` is the number of the one that goes on;
    ``failed``, ``filtered`` and ``queued`` count URLs by reason.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    __slots__ = (
        *(name for name, counter in COUNTERS.items() if counter.is_tally),
        *("failed", "filtered", "queued", "superstep"),
    )

    def __init__(self, superstep: int = 0) -> None:
        for name, counter in COUNTERS.items():
            if counter.is_tally:
                setattr(self, name, Counter() if counter.form is Form.BY_NAME else 0)
        self.superstep = superstep
        self.failed: Counter[str] = Counter()
        self.filtered: Counter[str] = Counter()
        self.queued: Counter[str] = Counter()

    def report(self, measured: Mapping[str, Any]) -> Report:
        """Return the rank's report, as docs/formats.md describes it; ``measured`` has what is no tally."""
        failed, filtered = self.failed.total(), self.filtered.total()
        values = dict(measured) | {
            "failed": failed,
            "filtered": filtered,
            "queued": self.discovered - self.fetched - failed - filtered,
            "reasons": {"failed": dict(self.failed), "filtered": dict(self.filtered), "queued": dict(self.queued)},
            "supersteps": self.superstep,
        }
        return {name: self._tallied(name) if counter.is_tally else values[name] for name, counter in COUNTERS.items()}

    def _tallied(self, name: str) -> Any:
        value = getattr(self, name)
        return {str(key): value[key] for key in sorted(value)} if isinstance(value, Counter) else value
