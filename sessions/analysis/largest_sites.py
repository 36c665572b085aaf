"""The sites of a session by their pages: how many were fetched of each, what they answered, and their bytes."""

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sessions.session import Session


class SiteFigures(NamedTuple):
    """Fetches of a site, of these those answered with 2xx, with 3xx, and with 4xx or 5xx; bytes as received."""

    site: str
    pages: int
    good: int
    redirects: int
    errors: int
    bytes: int


def largest_sites(session: Session, most: int) -> list[SiteFigures]:
    """Return up to ``most`` sites, those with most pages first, equal ones by name; a row of memory for each site."""
    counted = [_counted(batch) for batch in session.batches("pages", ["site", "status", "bytes"])]
    if not counted:
        return []
    columns = pa.concat_tables(counted).group_by("site").aggregate([(name, "sum") for name in _COUNTS])
    sites = columns.append_column("minus_pages", pc.negate(columns["pages_sum"]))
    largest = sites.sort_by([("minus_pages", "ascending"), ("site", "ascending")]).slice(0, most)
    return [SiteFigures(row["site"], *(row[f"{name}_sum"] for name in _COUNTS)) for row in largest.to_pylist()]


_COUNTS = SiteFigures._fields[1:]


def _counted(batch: pa.RecordBatch) -> pa.Table:
    """The figures of the sites of a batch of pages."""
    status = batch["status"]
    kinds = {
        "pages": pc.greater_equal(status, 0),
        "good": _between(status, 200, 300),
        "redirects": _between(status, 300, 400),
        "errors": _between(status, 400, 600),
    }
    columns = {name: kind.cast(pa.int64()) for name, kind in kinds.items()}
    rows = pa.table({"site": batch["site"].cast(pa.string()), **columns, "bytes": batch["bytes"].cast(pa.int64())})
    sums = rows.group_by("site").aggregate([(name, "sum") for name in _COUNTS])
    return sums.rename_columns([name.removesuffix("_sum") for name in sums.column_names])


def _between(status: pa.Array, low: int, high: int) -> pa.Array:
    return pc.and_(pc.greater_equal(status, low), pc.less(status, high))
