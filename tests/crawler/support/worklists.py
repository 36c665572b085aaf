"""Worklists made by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from crawler.worklist.manifest import RankedSession, WorklistManifest, WorklistOrigin, write_manifest
from crawler.worklist.rows import NEW, OLD, SCHEMA, write_rows
from sessions.url import url_hash

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SESSIONS = (
    RankedSession("/crawls/1", "20260101T000000-aaaaaa", "2026-01-01T00:00:00+00:00"),
    RankedSession("/crawls/2", "20260201T000000-bbbbbb", "2026-02-01T00:00:00+00:00"),
)


def new_row(url: str, priority: float, **facts: Any) -> dict[str, Any]:
    """A row for a URL that was only discovered."""
    row = dict.fromkeys(SCHEMA.names)
    return {
        **row,
        "url": url,
        "hash": url_hash(url),
        "kind": NEW,
        "in_degree": 1,
        "visits": 0,
        "priority": priority,
    } | facts


def old_row(url: str, priority: float, age: float = 0.5, **facts: Any) -> dict[str, Any]:
    """A row for a URL that was visited."""
    last = NOW - timedelta(days=180 * age)
    visited = {"kind": OLD, "out_degree": 2, "change": 1.0, "age": age, "visits": 1, "last": last}
    return new_row(url, priority) | visited | facts


def in_order(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows as a worklist has them."""
    return sorted(rows, key=lambda row: (-row["priority"], -(row["age"] or 0.0), row["hash"]))


def write_worklist(
    path: Path, rows: Sequence[dict[str, Any]], *, rows_per_file: int = 1 << 20, seeds: Sequence[str] = (), **told: Any
) -> WorklistManifest:
    """Write rows, in the order in which they are given, as a worklist."""
    path.mkdir()
    files = []
    for kind in (NEW, OLD):
        of_kind = [row for row in rows if row["kind"] == kind]
        for number, first in enumerate(range(0, len(of_kind), rows_per_file)):
            batch = pa.RecordBatch.from_pylist(of_kind[first : first + rows_per_file], schema=SCHEMA)
            written = write_rows(path, kind, number, [batch])
            assert written is not None
            files.append(written)
    facts = {
        "formula": "anansi",
        "settings": {"gone": 2, "limit": None},
        "now": NOW.isoformat(),
        "crawl_seconds": 15552000.0,
        "sessions": SESSIONS,
        "visited_again": 0,
        "kept_links": 0,
        "without_links": 0,
        "has_urls": True,
    }
    return write_manifest(path, WorklistOrigin(**facts | told), files, seeds)
