"""The most important measures of replays as a table on standard output."""

from collections.abc import Sequence

from crawler.process.printing import empty_table, headed, printer, which_way_is_good
from crawler.replay.measuring.figures import BY_NAME, PER_PAGE
from crawler.replay.reporting.entry import ReportEntry
from partition.report.scales import scale_for

_COLUMNS = {
    "coverage": "coverage",
    "overlap": "overlap",
    "back_link_quality_10": "quality",
    "storage_imbalance": "storage",
    "requests_imbalance": "requests",
    "idle_share": "idle",
    "urls_per_page": "URLs",
    "bytes_per_page": "bytes",
    "wire_bytes_per_page": "wire",
    "messages_per_page": "messages",
    "virtual_seconds": "virtual",
    "seconds": "time",
    "peak_bytes": "memory",
}


def print_summary(entries: Sequence[ReportEntry]) -> None:
    """Print a row for each of at least one entry.

    Quality is by back-links after 10% of the pages, storage and requests are imbalances; what is sent is per fetch.
    """
    console = printer()
    left_out = set() if any(entry.virtual_seconds for entry in entries) else {"virtual_seconds"}
    columns = {name: title for name, title in _COLUMNS.items() if name not in left_out}
    scales = {name: scale_for(BY_NAME[name], [entry.figures()[name] for entry in entries]) for name in columns}
    table = empty_table(console)
    table.add_column("model")
    table.add_column("K", justify="right")
    for name, title in columns.items():
        unit = scales[name].unit.removesuffix(PER_PAGE).strip()
        more_is_better = BY_NAME[name].more_is_better
        table.add_column(headed(console, title, unit, more_is_better=more_is_better), justify="right")
    for entry in entries:
        figures = entry.figures()
        table.add_row(entry.model, str(entry.k), *(scales[name].text(figures[name]) for name in columns))
    console.print(table)
    console.print(f"{which_way_is_good(console)}; what is sent (URLs to messages) is of each page fetched")
