"""Tables of one figure each: K and rule down, models across, the prediction beside what came."""

from html import escape

from crawler.replay.foresight.figures import Value, scale_of
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.view import View
from partition.report.figure import Figure
from partition.report.scales import Scale
from partition.report.tables import UNBALANCED

_NONE = "&ndash;"


def table_of(view: View, figure: Figure, session: int, caption: str) -> str:
    """A figure as predicted and as it is in a session.

    A hash has no rule, so it stands once for each K.  Of each K the best actual value that is within the tolerance is
    bold.  ``caption`` is HTML.
    """
    scale = scale_of(figure, view.values(figure.name, (0, session)))
    body = "".join(_rows(view, figure, session, scale, k) for k in view.parts)
    top = "".join(f'<th scope="colgroup" colspan="2">{escape(model)}</th>' for model in view.models)
    under = '<th scope="col">predicted</th><th scope="col">actual</th>' * len(view.models)
    head = f'<tr><th scope="col" rowspan="2">K</th>{_rule_head(view)}{top}</tr><tr>{under}</tr>'
    return (
        f'<div class="table"><table><caption>{caption}</caption><thead>{head}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _rule_head(view: View) -> str:
    return '<th class="rule" scope="col" rowspan="2">unknown URLs</th>' if view.rules else ""


def _rows(view: View, figure: Figure, session: int, scale: Scale, k: int) -> str:
    rules: list[str | None] = list(view.rules) or [None]
    best = _best(view, figure, session, k)
    rows = []
    for number, rule in enumerate(rules):
        first = f'<th scope="rowgroup" rowspan="{len(rules)}">{k}</th>' if number == 0 else ""
        named = f'<th class="rule" scope="row">{escape(rule)}</th>' if rule is not None else ""
        cells = "".join(_pair(view, figure, session, scale, model, rule, k, best, len(rules)) for model in view.models)
        rows.append(f"<tr{' class=first' if number == 0 else ''}>{first}{named}{cells}</tr>")
    return "".join(rows)


def _pair(
    view: View,
    figure: Figure,
    session: int,
    scale: Scale,
    model: str,
    rule: str | None,
    k: int,
    best: Value | None,
    height: int,
) -> str:
    """The cells of a model in the row of a rule; those of a hash stand in the first row of their K, for all."""
    is_hash = any(candidate.model == model and candidate.rule is None for candidate in view.candidates)
    if is_hash and rule is not None and rule != view.rules[0]:
        return ""
    candidate = Candidate(model, None if is_hash else rule, k)
    span = f' rowspan="{height}"' if is_hash and height > 1 else ""
    return _cell(view, figure, candidate, 0, scale, None, span, "was") + _cell(
        view, figure, candidate, session, scale, best, span, "is"
    )


def _cell(
    view: View,
    figure: Figure,
    candidate: Candidate,
    session: int,
    scale: Scale,
    best: Value | None,
    span: str,
    kind: str,
) -> str:
    value = view.value(figure.name, candidate, session)
    if value is None:
        return f'<td class="none {kind}"{span}>{_NONE}</td>'
    is_bearable = view.is_bearable(candidate, session)
    text = scale.text(value)
    shown = f"<b>{text}</b>" if is_bearable and value == best else text
    mark = "" if is_bearable else f"<sup>{UNBALANCED}</sup>"
    return f'<td class="{kind}"{span}>{shown}{mark}</td>'


def _best(view: View, figure: Figure, session: int, k: int) -> Value | None:
    """The best value of a K within the tolerance; None if all are the same."""
    fair = [
        value
        for candidate in view.candidates
        if candidate.k == k
        and (value := view.value(figure.name, candidate, session)) is not None
        and view.is_bearable(candidate, session)
    ]
    if not fair or min(fair) == max(fair):
        return None
    return max(fair) if figure.more_is_better else min(fair)
