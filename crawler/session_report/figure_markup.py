"""Figures of a report as HTML: plots, tables, and a line for each that is not known."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby

from crawler.process.printing import number
from crawler.session_report.report_figure import ALL, COLUMNS, LINES, POINTS, Cell, ToldFigure
from partition.report.columns import Columns, columns_as_svg
from partition.report.curves import Curves, curves_as_svg

_MOST_COLUMNS, _FEWEST_POINTS = 40, 2
_LONG_TABLE = 12
"""Of tables with more rows the page shows the last session's."""
_WORDS = {"back_links": "back-links", "good": "2xx"}
_SHARES = ("share", "share_of_links", "share_of_targets", "found", "repeated", "reciprocity")


def figures_as_html(figures: Iterable[ToldFigure], sessions: int) -> str:
    """A section for each group of figures; of ``sessions`` sessions."""
    sections = []
    for group, its in groupby(figures, key=lambda figure: figure.figure.group):
        inside = list(its)
        plots = [drawn for figure in inside if (drawn := _plot(figure))]
        tables = [_table(figure, sessions) for figure in inside if figure.figure.shown and any(figure.rows.values())]
        unknown = _unknown(inside)
        drawn = f'<div class="plots">{"".join(plots)}</div>' if plots else ""
        meanings = "".join(
            f"<dt>{escape(figure.figure.title)}</dt><dd>{escape(figure.figure.meaning)}</dd>"
            for figure in inside
            if figure.figure.drawing is not None and any(figure.rows.values())
        )
        explained = f'<details><summary>What is drawn</summary><dl class="models">{meanings}</dl></details>'
        sections.append(
            f"<h2>{escape(group)}</h2>{drawn}{explained if plots else ''}"
            f'<div class="pair">{"".join(tables)}</div>{unknown}'
        )
    return "".join(sections)


def _plot(figure: ToldFigure) -> str:
    drawing = figure.figure.drawing
    told = {session: rows for session, rows in figure.rows.items() if rows}
    if drawing is None or not told:
        return ""
    head = figure.figure.head
    x, ys = head.index(drawing.x), [head.index(name) for name in drawing.ys]
    if drawing.kind == COLUMNS and len(told) == 1:
        (rows,) = told.values()
        shown = rows[:_MOST_COLUMNS]
        heights = [_number(row[ys[0]]) for row in shown]
        return columns_as_svg(Columns(figure.figure.title, drawing.across, [_text(row[x]) for row in shown], heights))
    lines = {
        _line_name(session, head[y], len(told), len(ys)): [(_number(row[x]), _number(row[y])) for row in rows]
        for session, rows in told.items()
        for y in ys
    }
    if drawing.kind == LINES and all(len(points) < _FEWEST_POINTS for points in lines.values()):
        return ""
    return curves_as_svg(Curves(figure.figure.title, drawing.across, drawing.up, lines, drawing.kind == POINTS))


def _line_name(session: str, column: str, sessions: int, columns: int) -> str:
    if columns == 1:
        return session
    return column.replace("_", " ") if sessions == 1 else f"{session} {column.replace('_', ' ')}"


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


def _table(figure: ToldFigure, sessions: int) -> str:
    what = figure.figure
    told = {session: rows for session, rows in figure.rows.items() if rows}
    if what.shown > _LONG_TABLE:
        told = dict(list(told.items())[-1:])
    rows = [[session, *row] for session, its in told.items() for row in its[: what.shown]]
    names = ["session", *what.head]
    cells = [[_cell(name, cell) for name, cell in zip(names, row, strict=True)] for row in rows]
    first = 0 if sessions > 1 else 1
    left = sum(map(len, figure.rows.values())) - len(rows)
    more = f'<p class="notes">and {left:,} more in {escape(what.name)}.csv</p>' if left else ""
    caption = f'<b>{escape(what.title)}.</b> <span class="notes">{escape(what.meaning)}</span>'
    heads = [_WORDS.get(name, name.replace("_", " ")) for name in names]
    return f"<div>{table_as_html(caption, heads[first:], [row[first:] for row in cells])}{more}</div>"


def table_as_html(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; columns without any number are flush left, as the first is.  ``caption`` is HTML."""
    words = [bool(rows) and not any(row[at][:1].isdigit() for row in rows) for at in range(1, len(heads))]
    looks = ["", *(' class="words"' if is_words else "" for is_words in words)]
    head = "".join(f'<th scope="col"{look}>{escape(head)}</th>' for head, look in zip(heads, looks, strict=True))
    body = "".join(f'<tr><th scope="row">{escape(first)}</th>{_cells(cells, looks[1:])}</tr>' for first, *cells in rows)
    return (
        f'<div class="table rows"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cells(cells: Sequence[str], looks: Sequence[str]) -> str:
    return "".join(f"<td{look}>{escape(cell)}</td>" for cell, look in zip(cells, looks, strict=True))


def _cell(name: str, cell: Cell) -> str:
    if isinstance(cell, float) and name in _SHARES:
        return f"{cell:.2%}"
    return _text(cell)


def _text(cell: Cell) -> str:
    if isinstance(cell, int):
        return f"{cell:,}"
    return number(cell) if isinstance(cell, float) or cell is None else cell


def _unknown(figures: Sequence[ToldFigure]) -> str:
    """Which figures are not there, by session and reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        for session, why in figure.unknown.items():
            reasons.setdefault((session, why), []).append(figure.figure.title)
    lines = [
        f"<li>{', '.join(map(escape, titles))}: not known"
        f"{f' of {escape(session)}' if session != ALL else ''}, {escape(why)}.</li>"
        for (session, why), titles in reasons.items()
    ]
    return f'<ul class="notes left">{"".join(lines)}</ul>' if lines else ""
