"""A table as CSV (RFC 4180): for spreadsheets, R and pandas."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from partition.report.results import Value

Cell = str | Value | None


def as_csv(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table with a head, lines ended as RFC 4180 has it."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
