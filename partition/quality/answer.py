"""Which model cuts the known pages best, as a quality report answers it."""

from collections.abc import Iterable

from partition.choices import WEIGHTS
from partition.models.tolerances import tolerances_in_words
from partition.quality.figures import BY_NAME
from partition.quality.report import Report
from partition.report.answer import Answer, Bar
from partition.report.figure import Figure
from partition.report.results import Result
from partition.report.scales import Scale, percent
from partition.report.tables import ResultGrid, unit_of

_BASE = "page-hash"
_KINDS = {"sent": "sent", "links": "volume"}


def deciding_figure(report: Report) -> Figure:
    """Return the volume that the cuts were made to lessen: in bytes where pages have URLs, else in links."""
    kind = _KINDS[report.request.settings.objective]
    return BY_NAME[f"{kind}_{'bytes' if report.data.has_urls else 'links'}"]


def answer_of(report: Report, session: str) -> Answer:
    """Return the answer at the largest K; ``session`` is how the next command names the session."""
    grid = ResultGrid(report.results, report.request.tolerances)
    k = grid.parts[-1]
    figure = deciding_figure(report)
    fair, unfair = _sorted_at(report, k)
    scale = grid.scale(figure)
    unit = unit_of(figure, scale)
    sentence = _best(report, figure, scale, fair, unfair) if fair else _none_fair(report, unfair)
    sentence += _knee(report, [result.model for result in (*fair, *unfair)])
    return Answer(
        sentence,
        f"{figure.title}, between {k} ranks{f' ({unit})' if unit else ''}; less is better",
        [_bar(report, result, figure, scale, result in fair) for result in (*fair, *unfair)],
        (f"cutweb advise {session} --ranks {k}",),
        "judge pages that will be new (this report judges known ones)",
    )


def best_at(report: Report, k: int) -> Result:
    """Return what the answer would be at a K that has results: the least volume in balance, else what comes nearest."""
    fair, unfair = _sorted_at(report, k)
    return fair[0] if fair else min(unfair, key=lambda result: _imbalance(result, report.request.tolerances))


def _sorted_at(report: Report, k: int) -> tuple[list[Result], list[Result]]:
    """The results at a K that keep the balance, and those that do not, by volume."""
    grid = ResultGrid(report.results, report.request.tolerances)
    figure = deciding_figure(report)
    at_k = sorted((result for result in report.results if result.k == k), key=lambda result: _volume(result, figure))
    marks = {result.model: grid.mark(result.model, k) for result in at_k}
    return [result for result in at_k if not marks[result.model]], [result for result in at_k if marks[result.model]]


def _best(report: Report, figure: Figure, scale: Scale, fair: list[Result], unfair: list[Result]) -> str:
    best = fair[0]
    base = next((_volume(result, figure) for result in (*fair, *unfair) if result.model == _BASE), 0.0)
    volume = _volume(best, figure)
    beside = f", {percent(volume / base)} of what they send under {_BASE}" if base and best.model != _BASE else ""
    what = f"{scale.text(volume)} {scale.unit} of URLs" if scale.unit else f"{scale.text(volume)} URLs"
    return (
        f"The {report.data.pages:,} known pages of {report.data.session} are best shared among {best.k} ranks by "
        f"{best.model}: they send each other {what}{beside}, and no rank has more than "
        f"{percent(_imbalance(best, report.request.tolerances))} above the mean of {_units(report)}."
    )


def _none_fair(report: Report, unfair: list[Result]) -> str:
    balanced = report.request.tolerances
    nearest = min(unfair, key=lambda result: _imbalance(result, balanced))
    return (
        f"No way to share the {report.data.pages:,} known pages of {report.data.session} among {nearest.k} ranks keeps "
        f"within the tolerance of {tolerances_in_words(report.request.settings.tolerances)}: {nearest.model} comes "
        f"nearest, its fullest rank has {percent(_imbalance(nearest, balanced))} above the mean."
    )


def _knee(report: Report, models: list[str]) -> str:
    """What the knee says of the curve of the previous map's owners, of the best model that has one; "" if none has."""
    curve = report.migration
    if curve is None:
        return ""
    found = ((model, knee) for model in models if (knee := curve.knee(model)) is not None)
    model, knee = next(found, ("", None))
    return "" if knee is None else f"  From the owners in {curve.previous}, by {model}, {knee.in_words}."


def _bar(report: Report, result: Result, figure: Figure, scale: Scale, is_fair: bool) -> Bar:
    note = "" if is_fair else f"fullest rank {percent(_imbalance(result, report.request.tolerances))} above the mean"
    volume = _volume(result, figure)
    return Bar(result.model, volume, scale.text(volume), result.model, note, not is_fair)


def _units(report: Report) -> str:
    """What ranks have even shares of, in words."""
    return " or of ".join(WEIGHTS.load(name).unit for name in report.request.settings.tolerances)


def _volume(result: Result, figure: Figure) -> float:
    spread = result.figures.get(figure.name)
    return float(spread.mean) if spread is not None else 0.0


def _imbalance(result: Result, names: Iterable[str]) -> float:
    """The largest imbalance of those that were to be small."""
    return float(max(result.figures[name].most for name in names))
