"""What each site answered: statuses, media types and bytes."""

import pyarrow as pa
import pyarrow.compute as pc

from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays
from sessions.url import domain_of

ANSWERS = ReportFigure(
    "answers",
    "Domains",
    "Answers by site, status and type",
    "Fetches and bytes of bodies as received, by site and its domain, HTTP status and media type without parameters; "
    "most fetches first.",
    ("site", "domain", "status", "type", "fetches", "bytes"),
    shown=20,
)
_KEYS = ["site", "status", "type"]


def answers_of(arrays: SessionArrays) -> list[Row]:
    """A row for each site, status and type that occur together; one of memory for each."""
    if arrays.is_graph:
        raise NotKnownError("an imported graph tells no answers")
    parts = [_counted(batch) for batch in arrays.session.batches("pages", ["site", "status", "content_type", "bytes"])]
    table = pa.concat_tables(parts).group_by(_KEYS).aggregate([("fetches", "sum"), ("bytes", "sum")])
    rows = [
        (row["site"], row["status"], row["type"], row["fetches_sum"], row["bytes_sum"]) for row in table.to_pylist()
    ]
    rows.sort(key=lambda row: (-row[3], *row[:3]))
    return [(site, domain_of(site), *others) for site, *others in rows]


def _counted(batch: pa.RecordBatch) -> pa.Table:
    told = pc.fill_null(batch["content_type"], "")
    types = pc.utf8_lower(pc.utf8_trim_whitespace(pc.replace_substring_regex(told, ";.*", "")))
    rows = pa.table(
        {
            "site": batch["site"],
            "status": batch["status"],
            "type": pc.if_else(pc.equal(types, ""), "none told", types),
            "bytes": pc.fill_null(batch["bytes"], 0),
        }
    )
    counted = rows.group_by(_KEYS).aggregate([([], "count_all"), ("bytes", "sum")])
    return counted.rename_columns(
        [{"count_all": "fetches", "bytes_sum": "bytes"}.get(name, name) for name in counted.column_names]
    ).select([*_KEYS, "fetches", "bytes"])
