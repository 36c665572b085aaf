"""One figure of a report: a table, how it is drawn, and why it is not where it is not known."""

from collections.abc import Sequence
from dataclasses import dataclass, field

Cell = str | int | float | None
Row = tuple[Cell, ...]

ALL = ""
"""Names all sessions together."""
LINES, POINTS, COLUMNS = "lines", "points", "columns"


class NotKnownError(Exception):
    """A figure that a session does not tell; the message says why."""


@dataclass(frozen=True)
class Drawing:
    """How a table is drawn: the columns ``ys`` over the column ``x``.

    ``kind`` is `LINES`, `POINTS` (both axes logarithmic) or `COLUMNS`; ``across`` and ``up`` are what the axes are.
    """

    kind: str
    x: str
    ys: tuple[str, ...]
    across: str
    up: str


@dataclass(frozen=True)
class ReportFigure:
    """What a figure is.

    Attributes:
        name: of its CSV file, and in report.json.
        group: the heading that it stands below.
        title: what stands above it.
        meaning: what it is, in a sentence or two.
        head: names of the columns; ratios are from 0 to 1, times UTC.
        drawing: how it is drawn, if it is.
        shown: how many rows the page shows as a table; all are in the CSV file.
    """

    name: str
    group: str
    title: str
    meaning: str
    head: tuple[str, ...]
    drawing: Drawing | None = None
    shown: int = 0


@dataclass(frozen=True)
class ToldFigure:
    """A figure as sessions tell it.

    Attributes:
        figure: what it is.
        rows: by session, in the order of time; "" names all of them together.
        unknown: why a session does not tell it, by session.
    """

    figure: ReportFigure
    rows: dict[str, Sequence[Row]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
