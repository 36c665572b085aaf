"""The most important measures of replays as a table on standard output."""

from collections.abc import Sequence

from crawler.process.printing import empty_table, printer
from crawler.replay.measuring.figures import BY_NAME, PER_PAGE
from crawler.replay.reporting.entry import ReportEntry
from partition.report.scales import Scale, scale_for

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
    "seconds": "time",
    "peak_bytes": "memory",
}


def print_summary(entries: Sequence[ReportEntry]) -> None:
    """Print a row for each of at least one entry.

    Quality is by back-links after 10% of the pages, storage and requests are imbalances; what is sent is per fetch.
    """
    console = printer()
    scales = {name: scale_for(BY_NAME[name], [entry.figures()[name] for entry in entries]) for name in _COLUMNS}
    table = empty_table(console)
    table.add_column("model")
    table.add_column("K", justify="right")
    for name, title in _COLUMNS.items():
        table.add_column(_headed(title, scales[name]), justify="right")
    for entry in entries:
        figures = entry.figures()
        table.add_row(entry.model, str(entry.k), *(scales[name].text(figures[name]) for name in _COLUMNS))
    console.print(table)


def _headed(title: str, scale: Scale) -> str:
    unit = scale.unit.removesuffix(PER_PAGE).strip()
    return f"{title}, {unit}" if unit else title
