"""All figures at one K in one table: figures down, models across."""

from collections.abc import Sequence
from html import escape

from partition.quality.figures import Figure
from partition.quality.scales import scale_for
from partition.quality.tables import ResultGrid, unit_of


def whole_table(grid: ResultGrid, figures: Sequence[Figure]) -> str:
    """The table of a grid with one K; each figure has its own unit, and its meaning when it is pointed at."""
    (k,) = grid.parts
    head = "".join(f'<th scope="col">{escape(model)}{_raised(grid.mark(model, k))}</th>' for model in grid.models)
    rows = []
    for group in dict.fromkeys(figure.group for figure in figures):
        rows.append(f'<tr class="group"><th colspan="{1 + len(grid.models)}">{escape(group)}</th></tr>')
        rows += [_row(grid, figure, k) for figure in figures if figure.group == group]
    return (
        f'<div class="table whole"><table><thead><tr><th scope="col">figure</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(grid: ResultGrid, figure: Figure, k: int) -> str:
    spreads = [spread for model in grid.models if (spread := grid.spread(figure, model, k)) is not None]
    is_whole = all(float(spread.mean).is_integer() for spread in spreads)
    scale = scale_for(figure, [spread.mean for spread in spreads], is_whole=is_whole)
    unit = unit_of(figure, scale)
    told = f' <span class="unit">({escape(unit)})</span>' if unit else ""
    cells = "".join(f"<td>{scale.text(spread.mean)}</td>" for spread in spreads)
    return f'<tr><th scope="row" title="{escape(figure.meaning)}">{escape(figure.title)}{told}</th>{cells}</tr>'


def _raised(mark: str) -> str:
    return f"<sup>{mark}</sup>" if mark else ""
