"""A unit as a worklist that a crawl can keep to, on the volunteer's machine."""

from datetime import datetime
from pathlib import Path

import pyarrow as pa

from crawler.work.unit import Unit
from crawler.worklist.manifest import RankedSession, WorklistOrigin, write_manifest
from crawler.worklist.rows import KINDS, OLD, SCHEMA, write_rows
from sessions.url import url_hash


def write_unit_worklist(folder: Path, unit: Unit) -> str:
    """Write a unit's URLs, in their order, as a worklist into a new folder; its identity.

    Of what a worklist tells of its URLs a unit has only the kind and the order: the other columns say nothing.
    """
    folder.mkdir()
    exported = datetime.fromisoformat(unit.exported)
    files = []
    for kind in KINDS:
        rows = [
            {
                "url": url,
                "hash": url_hash(url),
                "kind": kind,
                "in_degree": 0,
                "visits": 0,
                "priority": float(-place),
                **({"out_degree": 0, "change": 0.0, "age": 0.0, "last": exported} if kind == OLD else {}),
            }
            for place, (url, its_kind) in enumerate(unit.urls)
            if its_kind == kind
        ]
        written = write_rows(folder, kind, 0, [pa.RecordBatch.from_pylist(rows, schema=SCHEMA)])
        if written is not None:
            files.append(written)
    origin = WorklistOrigin(
        formula="unit",
        settings={"worklist": unit.worklist, "unit": unit.number},
        now=unit.exported,
        crawl_seconds=1.0,
        sessions=[RankedSession("", "", unit.exported)],
        visited_again=0,
        kept_links=0,
        without_links=0,
        has_urls=True,
    )
    return write_manifest(folder, origin, files, ()).identity
