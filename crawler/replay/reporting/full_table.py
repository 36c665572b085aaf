"""All figures at one K: figures down, models across, in several tables if they are many."""

from collections.abc import Sequence
from html import escape
from math import ceil

from partition.report.figure import Figure
from partition.report.scales import scale_for
from partition.report.tables import MOST_ACROSS, ResultGrid, unit_of


def whole_tables(grid: ResultGrid, figures: Sequence[Figure]) -> str:
    """The tables of a grid with one K, of at most `MOST_ACROSS` models each, one after the other.

    Each figure has its own unit, the same in all of them, and its meaning when it is pointed at.
    """
    models = grid.models
    width = ceil(len(models) / ceil(len(models) / MOST_ACROSS))
    return "".join(_table(grid, models[at : at + width], figures) for at in range(0, len(models), width))


def _table(grid: ResultGrid, models: Sequence[str], figures: Sequence[Figure]) -> str:
    (k,) = grid.parts
    head = "".join(f'<th scope="col">{_breakable(model)}{_raised(grid.mark(model, k))}</th>' for model in models)
    rows = []
    for group in dict.fromkeys(figure.group for figure in figures):
        rows.append(f'<tr class="group"><th colspan="{1 + len(models)}">{escape(group)}</th></tr>')
        rows += [_row(grid, models, figure, k) for figure in figures if figure.group == group]
    return (
        f'<div class="table whole"><table><thead><tr><th scope="col">figure</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(grid: ResultGrid, models: Sequence[str], figure: Figure, k: int) -> str:
    of_model = {model: spread for model in grid.models if (spread := grid.spread(figure, model, k)) is not None}
    spreads = list(of_model.values())
    is_whole = all(float(spread.mean).is_integer() for spread in spreads)
    scale = scale_for(figure, [spread.mean for spread in spreads], is_whole=is_whole)
    unit = unit_of(figure, scale)
    told = f' <span class="unit">{f"({escape(unit)}) " if unit else ""}{figure.good}</span>'
    cells = "".join(f"<td>{scale.text(of_model[model].mean)}</td>" for model in models if model in of_model)
    return f'<tr><th scope="row" title="{escape(figure.meaning)}">{escape(figure.title)}{told}</th>{cells}</tr>'


def _breakable(model: str) -> str:
    """A way may go on in a second line after its model."""
    return escape(model).replace("/", "/<wbr>")


def _raised(mark: str) -> str:
    return f"<sup>{mark}</sup>" if mark else ""
