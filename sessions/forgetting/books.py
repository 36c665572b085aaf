"""What a rank's counters lose with the rows that are forgotten."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sessions.records import Report
from sessions.schema import FAILED, FILTERED

_QUEUED = "queued"


class Lost:
    """The rows that one rank has lost since its run began, as its counters count them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._by_name: dict[str, Counter[str]] = {"statuses": Counter(), "defects": Counter()}
        self._reasons: dict[str, Counter[str]] = {FAILED: Counter(), FILTERED: Counter(), _QUEUED: Counter()}

    def pages(self, rows: pa.RecordBatch) -> None:
        """Take note of pages."""
        self._counts["fetched"] += rows.num_rows
        for column in ("bytes", "decoded_bytes"):
            self._counts[column] += pc.sum(rows[column]).as_py() or 0
        for counter, column in (("duplicates", "duplicate_of"), ("unchanged", "unchanged_since")):
            self._counts[counter] += rows.num_rows - rows[column].null_count
        self._by_name["statuses"].update(map(str, rows["status"].to_pylist()))
        self._by_name["defects"].update(error for error in rows["error"].to_pylist() if error is not None)

    def rows(self, counter: str, count: int) -> None:
        """Take note of things that a counter counts."""
        self._counts[counter] += count

    def outcomes(self, rows: pa.RecordBatch) -> None:
        """Take note of outcomes."""
        for state, reason in zip(rows["state"].to_pylist(), rows["reason"].to_pylist(), strict=True):
            self._counts[state] += 1
            self._reasons[state][reason] += 1

    def frontier(self, rows: pa.RecordBatch) -> None:
        """Take note of URLs that were queued when the crawl ended."""
        self._reasons[_QUEUED].update(rows["reason"].to_pylist())

    @property
    def pages_lost(self) -> int:
        """How many pages are lost."""
        return self._counts["fetched"]

    def taken_from(self, report: Report) -> Report:
        """A report of the rank without what is lost."""
        left: dict[str, Any] = dict(report)
        for name, count in self._counts.items():
            if name in left:
                left[name] -= count
        for name, counts in self._by_name.items():
            if name in left:
                left[name] = _without(left[name], counts)
        left["reasons"] = {state: _without(of, self._reasons[state]) for state, of in report["reasons"].items()}
        left["queued"] = left["discovered"] - left["fetched"] - left[FAILED] - left[FILTERED]
        return left


def _without(counts: Mapping[str, int], lost: Mapping[str, int]) -> dict[str, int]:
    return {name: left for name, count in counts.items() if (left := count - lost.get(name, 0))}
