"""Plots of a foresight: predicted and actual figures against K, and actual ones against the age of the session."""

from crawler.replay.foresight.figures import BY_NAME, OVERLAP, scale_of
from crawler.replay.foresight.findings import days
from crawler.replay.foresight.foresight import Foresight
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.view import WEIGHTS, View
from partition.report.plots import Plot, as_svg
from partition.report.results import Spread

_PLOTTED = (*WEIGHTS, "bytes_per_page", "wire_bytes_per_page")
_AGEING = (*WEIGHTS, "bytes_per_page", "wire_bytes_per_page", "coverage", OVERLAP, "unknown_discovered")
_WHOLE_DAYS = 10
Line = dict[int, Spread]


def plots_against_parts(view: View, session: int) -> str:
    """Imbalances and volumes against K, a row of plots for each figure and a plot for each rule; then overlap."""
    rules: list[str | None] = list(view.rules) or [None]
    told = [name for name in _PLOTTED if view.values(name, (session,))]
    rows = [[_plot(view, name, rule, session) for rule in rules] for name in told]
    rows.append([_plot(view, OVERLAP, rule, session) for rule in rules if _overlaps(view, rule, session)])
    return _rows(rows)


def decay_plots(foresight: Foresight, view: View) -> str:
    """Figures at the largest K against the age of the sessions, a plot for each rule.

    There is one plot of a figure that is the same under all rules, and none of one that is 0 everywhere, or 1.
    """
    sessions = range(len(foresight.sessions))
    rules: list[str | None] = list(view.rules) or [None]
    rows = []
    for name in _AGEING:
        by_rule = {rule: _ageing(view, name, rule, sessions) for rule in rules}
        is_one = len(by_rule) > 1 and all(lines == by_rule[rules[0]] for lines in by_rule.values())
        told = {None: by_rule[rules[0]]} if is_one else by_rule
        rows.append(
            [_decay(foresight, view, name, rule, lines) for rule, lines in told.items() if _says_something(lines)]
        )
    return _rows(rows)


def _ageing(view: View, name: str, rule: str | None, sessions: range) -> dict[str, Line]:
    """A figure of each model with a rule by session, at the largest K."""
    k = view.parts[-1]
    return {
        model: _spreads({number: view.value(name, _candidate(view, model, rule, k), number) for number in sessions})
        for model in view.models
    }


def _says_something(lines: dict[str, Line]) -> bool:
    values = {spread.mean for line in lines.values() for spread in line.values()}
    return bool(values) and values not in ({0.0}, {1.0})


def _decay(foresight: Foresight, view: View, name: str, rule: str | None, lines: dict[str, Line]) -> Plot:
    scale = scale_of(BY_NAME[name], view.values(name, range(len(foresight.sessions))))
    ages = [0.0, *(session.age for session in foresight.sessions[1:])]
    known = [age for age in ages if age is not None]
    labels = {
        number: "cut" if number == 0 else session.name if session.age is None else days(session.age)
        for number, session in enumerate(foresight.sessions)
    }
    return Plot(
        f"{_title(name, scale.unit, rule)}, K = {view.parts[-1]}",
        list(labels),
        lines,
        scale,
        view.tolerance if name in WEIGHTS else None,
        across="age in days" if len(known) == len(ages) else "age",
        labels=labels,
        places=dict(enumerate(map(_rounded, known))) if len(known) == len(ages) else {},
    )


def _rounded(age: float) -> float:
    """Days as they are read."""
    return round(age, 0 if abs(age) >= _WHOLE_DAYS else 1)


def _plot(view: View, name: str, rule: str | None, session: int) -> Plot:
    scale = scale_of(BY_NAME[name], view.values(name, (0, session)))
    actual, predicted = (
        {
            model: _spreads({k: view.value(name, _candidate(view, model, rule, k), number) for k in view.parts})
            for model in view.models
        }
        for number in (session, 0)
    )
    limit = view.tolerance if name in WEIGHTS else None
    return Plot(_title(name, scale.unit, rule), view.parts, actual, scale, limit, foreseen=predicted if session else {})


def _title(name: str, unit: str, rule: str | None) -> str:
    by = "" if rule is None else f", {rule}"
    return f"{BY_NAME[name].title}{by}{f' ({unit})' if unit else ''} {BY_NAME[name].good}"


def _candidate(view: View, model: str, rule: str | None, k: int) -> Candidate:
    """A model with a rule; a hash, which has none, stands in the plots of all."""
    has_rule = any(candidate.model == model and candidate.needs_map for candidate in view.candidates)
    return Candidate(model, rule if has_rule else None, k)


def _overlaps(view: View, rule: str | None, session: int) -> bool:
    return any(
        view.value(OVERLAP, candidate, number)
        for candidate in view.candidates
        if candidate.rule == rule
        for number in (0, session)
    )


def _spreads(values: dict[int, int | float | None]) -> Line:
    return {place: Spread(float(value), value, value) for place, value in values.items() if value is not None}


def _rows(rows: list[list[Plot]]) -> str:
    """Plots set so that those of a figure, one for each rule, begin a row, and all are as wide as can be read."""
    return "".join(f'<div class="plots even">{"".join(map(as_svg, plots))}</div>' for plots in rows if plots)
