"""Tables of one figure each, K down and models across, as the paper has them; many models stand down, and K across."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from partition.report.figure import COUNT, LINKS, Figure
from partition.report.results import Result, Spread
from partition.report.scales import Scale, scale_for

UNBALANCED, DESERTED = "†", "‡"
GOOD_WAYS = "↓ less is better, ↑ more is better."
"""What the arrows in heads mean."""
MOST_ACROSS = 8
"""The most models that stand side by side in a table."""
_SLACK = 1e-9


def even(tolerance: float) -> dict[str, float]:
    """The tolerances of a `ResultGrid` whose storage and requests are to be even."""
    return dict.fromkeys(("storage_imbalance", "requests_imbalance"), tolerance)


@dataclass(frozen=True)
class ResultGrid:
    """Results by model and K, for tables and plots.

    ``tolerances`` are by the name of a figure the imbalance up to which a result counts as balanced.
    """

    results: Sequence[Result]
    tolerances: Mapping[str, float]

    @property
    def models(self) -> list[str]:
        """The models that have results, in the order of the results."""
        return list(dict.fromkeys(result.model for result in self.results))

    @property
    def parts(self) -> list[int]:
        """The Ks that have results, ascending."""
        return sorted({result.k for result in self.results})

    def spread(self, figure: Figure, model: str, k: int) -> Spread | None:
        """A figure of a model at a K, None if there is none."""
        result = self._result(model, k)
        return result.figures.get(figure.name) if result else None

    def mark(self, model: str, k: int) -> str:
        """What is wrong with a model at a K: out of tolerance, ranks without pages, or nothing."""
        result = self._result(model, k)
        if result is None:
            return ""
        is_beyond = any(result.figures[name].most > most + _SLACK for name, most in self.tolerances.items())
        return (UNBALANCED if is_beyond else "") + (DESERTED if result.figures["empty_parts"].most else "")

    def scale(self, figure: Figure) -> Scale:
        """The scale of a figure's table."""
        spreads = [result.figures[figure.name] for result in self.results if figure.name in result.figures]
        is_whole = figure.unit == LINKS or all(float(spread.mean).is_integer() for spread in spreads)
        return scale_for(figure, [spread.mean for spread in spreads], is_whole=is_whole)

    def plot_scale(self, figure: Figure) -> Scale:
        """The scale of a figure's plot: its labels are few, so the largest value chooses the unit."""
        spreads = [result.figures[figure.name] for result in self.results if figure.name in result.figures]
        return scale_for(figure, [max(spread.most for spread in spreads)])

    def has(self, figure: Figure) -> bool:
        """Is there any result of this figure?"""
        return any(figure.name in result.figures for result in self.results)

    def _result(self, model: str, k: int) -> Result | None:
        return next((result for result in self.results if (result.model, result.k) == (model, k)), None)


def table_of(grid: ResultGrid, figure: Figure, caption: str) -> str:
    """A figure's table: means over seeds, below them the least and most where they differ.

    In each row the best of what is balanced and leaves no rank without pages is bold.  ``caption`` is HTML.
    """
    scale = grid.scale(figure)
    rows = []
    for k in grid.parts:
        spreads = {model: grid.spread(figure, model, k) for model in grid.models}
        best = _best(grid, figure, k, spreads)
        rows.append(
            [_cell(spreads[model], scale, grid.mark(model, k), spreads[model] in best) for model in grid.models]
        )
    return _table(grid, caption, rows)


def relative_table(grid: ResultGrid, figure: Figure, base: str, caption: str) -> str:
    """Means of a figure in percent of those of the model ``base``."""
    rows = []
    for k in grid.parts:
        whole = grid.spread(figure, base, k)
        row = []
        for model in grid.models:
            part = grid.spread(figure, model, k)
            if part is None or whole is None or not whole.mean:
                row.append(_cell(None, None, "", is_best=False))
            else:
                row.append(f"<td>{100 * part.mean / whole.mean:.2f}{_raised(grid.mark(model, k))}</td>")
        rows.append(row)
    return _table(grid, caption, rows)


def marks_in(grid: ResultGrid) -> str:
    """All marks that stand in the tables."""
    return "".join(grid.mark(result.model, result.k) for result in grid.results)


def _best(grid: ResultGrid, figure: Figure, k: int, spreads: dict[str, Spread | None]) -> list[Spread]:
    fair = [spread for model, spread in spreads.items() if spread is not None and not grid.mark(model, k)]
    if len(fair) < 2 or figure.of_machine:
        return []
    means = [spread.mean for spread in fair]
    best = max(means) if figure.more_is_better else min(means)
    return [] if min(means) == max(means) else [spread for spread in fair if spread.mean == best]


def _cell(spread: Spread | None, scale: Scale | None, mark: str, is_best: bool) -> str:
    if spread is None or scale is None:
        return '<td class="none">&ndash;</td>'
    text = scale.text(spread.mean)
    shown = f"<b>{text}</b>" if is_best else text
    low, high = scale.text(spread.least), scale.text(spread.most)
    span = f"<small>{low}&ndash;{high}</small>" if low != high else ""
    return f"<td>{shown}{_raised(mark)}{span}</td>"


def _raised(mark: str) -> str:
    return f"<sup>{mark}</sup>" if mark else ""


def _table(grid: ResultGrid, caption: str, rows: Sequence[Sequence[str]]) -> str:
    """The table of these cells, of each K by model."""
    if len(grid.models) > MOST_ACROSS:
        return _table_by_model(grid, caption, rows)
    head = "".join(f'<th scope="col">{escape(model)}</th>' for model in grid.models)
    body = "".join(f'<tr><th scope="row">{k}</th>{"".join(row)}</tr>' for k, row in zip(grid.parts, rows, strict=True))
    return (
        f'<div class="table"><table><caption>{caption}</caption><thead><tr><th scope="col">K</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _table_by_model(grid: ResultGrid, caption: str, rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">K = {k}</th>' for k in grid.parts)
    body = "".join(
        f'<tr><th scope="row">{escape(model)}</th>{"".join(cells)}</tr>'
        for model, cells in zip(grid.models, zip(*rows, strict=True), strict=True)
    )
    return (
        f'<div class="table by-model"><table><caption>{caption}</caption><thead><tr><th scope="col">model</th>{head}'
        f"</tr></thead><tbody>{body}</tbody></table></div>"
    )


def titled(figure: Figure, unit: str) -> str:
    """A figure's title as it stands above plots and columns: with its unit, "" for none, and which way is good."""
    return f"{figure.title}{f' ({unit})' if unit else ''} {figure.good}"


def unit_of(figure: Figure, scale: Scale) -> str:
    """A figure's unit as it stands after its title: nothing for counts."""
    return "" if figure.unit == COUNT and not scale.unit else scale.unit
