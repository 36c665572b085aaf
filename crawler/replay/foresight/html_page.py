"""index.html: one page that needs nothing else, in the look of the quality report."""

from collections.abc import Iterator
from html import escape

from crawler.replay.foresight.answer import answer_of
from crawler.replay.foresight.arrows import arrows_as_html
from crawler.replay.foresight.figures import FIGURES, OVERLAP
from crawler.replay.foresight.findings import days, sentences
from crawler.replay.foresight.foresight import Foresight, Replayed
from crawler.replay.foresight.plots import decay_plots, plots_against_parts
from crawler.replay.foresight.tables import table_of
from crawler.replay.foresight.view import View
from partition.choices import UNKNOWN_RULES
from partition.report.answer import answer_as_html
from partition.report.figure import Figure
from partition.report.markup import document, heading, warnings_as_html
from partition.report.plots import legend
from partition.report.results import lines_of
from partition.report.style import STYLE
from partition.report.tables import UNBALANCED

_STYLE = """
.plots.even { grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); }
.answer .arrows { max-width: 42rem; display: block; }
.series .line, .series.page-hash .line, .series.site-hash .line { stroke-dasharray: none; }
.series.foreseen .line { stroke-dasharray: 4 3; stroke-width: 1.6; } .series.foreseen { opacity: .75; }
.outlooks table { font-size: .78rem; } .outlooks .rule { text-align: left; font-style: italic; width: 6.4rem; }
.outlooks tbody .rule { padding-left: .45rem; } .standing { max-width: 54rem; padding: 0 0 0 1.1rem; }
.outlooks td.was { color: var(--faint); padding-left: .9rem; } .outlooks tr.first > * { border-top-color: var(--rule); }
.outlooks thead th[colspan] { text-align: center; border-bottom: 1px solid var(--hair); }
.outlooks thead tr:last-child th { padding-left: .45rem; width: auto; text-align: right; padding-right: .8rem; }
.outlooks tbody th { text-align: left; }
.standing li { margin: .25rem 0; }
"""


def as_html(foresight: Foresight) -> str:
    """The whole page."""
    view, numbers = View(foresight), iter(range(1, 1000))
    title = f"Foresight: {' → '.join(session.name for session in foresight.sessions)}"
    return document(
        title,
        STYLE + _STYLE,
        [
            heading(title, foresight.made, foresight.software),
            warnings_as_html(warnings(foresight)),
            answer_as_html(answer_of(foresight, foresight.sessions[-1].name), arrows_as_html(foresight, view) or None),
            _standing_out(foresight),
            _facts(foresight),
            _notes(foresight),
            _decay(foresight, view),
            *(_of_session(foresight, view, session, numbers) for session in later_sessions(foresight)),
            _foot(foresight),
        ],
    )


def later_sessions(foresight: Foresight) -> range:
    """The numbers of the later sessions; if there are none, that of the first, beside itself."""
    return range(1, len(foresight.sessions)) if len(foresight.sessions) > 1 else range(1)


def _standing_out(foresight: Foresight) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences(foresight))
    return (
        f'<ul class="standing">{items}</ul><p class="notes">A partition is named <i>model/rule</i>: what is kept '
        "together, and who owns URLs that its map does not hold.</p>"
    )


def _facts(foresight: Foresight) -> str:
    request = foresight.request
    cells = "".join(_session(number, session) for number, session in enumerate(foresight.sessions))
    asked = {
        "K": ", ".join(map(str, request.parts)),
        "Cut": f"objective {request.cutting.objective}, tolerance {request.cutting.tolerance:.0%}, effort "
        f"{request.cutting.effort}, seed {request.cutting.seed}",
        "Replay": f"{request.settings.mode}, {request.settings.pages_per_superstep:,} pages a superstep and rank",
        "Marked": f"{UNBALANCED} storage or requests beyond {request.tolerance:.0%}",
    }
    return f'<div class="facts"><dl>{cells}</dl>{_list(asked)}</div>'


def _session(number: int, session: Replayed) -> str:
    role = "Cut" if number == 0 else "Replayed"
    when = f", fetched {session.fetched[:10]}" if session.fetched else ""
    age = "" if number == 0 else f", {days(session.age)} later" if session.age is not None else ", age not known"
    new = f"; {session.new_pages:.1%} of the pages are new" if number else ""
    return (
        f"<dt>{role}</dt><dd>{escape(session.name)}{when}{age}: {session.pages:,} pages, {session.urls:,} URLs, "
        f"{session.links:,} links{new}</dd>"
    )


def warnings(foresight: Foresight) -> list[str]:
    """Which sessions are not complete: a line each."""
    return [session.incomplete for session in foresight.sessions if session.incomplete is not None]


def notes(foresight: Foresight) -> list[str]:
    """What is not there or not as asked, and why: a line each."""
    told = lines_of(foresight.left_out)
    if foresight.unbalanced:
        what = ", ".join(left.what for left in foresight.unbalanced)
        told.append(f"{what}: no partition within the tolerance it was to be cut with was found; the least unbalanced")
    if not foresight.sessions[0].has_urls:
        told.append("the pages have no URLs: bytes are those of stand-ins, and the rules for unknown URLs mean nothing")
    if any(session.age is None for session in foresight.sessions[1:]):
        told.append("it is not known when the pages of every session were fetched: sessions stand as they were given")
    return told


def _notes(foresight: Foresight) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in notes(foresight))
    return f'<ul class="left notes">{items}</ul>' if items else ""


def _decay(foresight: Foresight, view: View) -> str:
    if len(foresight.sessions) < 3:
        return ""
    return f"<h2>Decay with age</h2>{legend(view.models)}{decay_plots(foresight, view)}"


def _of_session(foresight: Foresight, view: View, session: int, numbers: Iterator[int]) -> str:
    figures = [figure for figure in FIGURES if _says_something(view, figure, session)]
    tables = "".join(table_of(view, figure, session, _caption(next(numbers), figure)) for figure in figures)
    name = escape(foresight.sessions[session].name)
    return (
        f"<h2>{name}: predicted and actual</h2>"
        '<p class="notes">Predicted, in grey and dashed: a replay of the session that was cut.  Actual: a replay of '
        f"{name} under the same partitions.  Bold: of its K the best actual one within the tolerance.</p>"
        f"{legend(view.models, has_foreseen=session > 0)}{plots_against_parts(view, session)}"
        f'<div class="tables wide outlooks">{tables}</div>'
    )


def _says_something(view: View, figure: Figure, session: int) -> bool:
    """A figure that nothing is known of, or that is the same nothing for all, needs no table, but overlap does."""
    values = view.values(figure.name, (0, session))
    return bool(values) and (any(values) or figure.name == OVERLAP)


def _caption(number: int, figure: Figure) -> str:
    unit = "%" if figure.unit == "1" else figure.unit
    shown = f"{escape(figure.title)} ({escape(unit)})" if unit else escape(figure.title)
    return f'<b>Table {number}.</b> {shown} {figure.good}. <span class="notes">{escape(figure.meaning)}</span>'


def _foot(foresight: Foresight) -> str:
    rules = "".join(
        f"<dt>{escape(rule)}</dt><dd>a URL that the map does not hold is owned by "
        f"{escape(UNKNOWN_RULES[rule].meaning)}</dd>"
        for rule in View(foresight).rules
    )
    return (
        f'<h2>Rules for unknown URLs</h2><dl class="models">{rules}</dl>'
        "<footer><p>Most figures are defined in <code>docs/measures.md</code>; all stand in <code>figures.csv</code>, "
        "and with their definitions in <code>report.json</code>.  The paper is B. B. Cambazoglu, A. Turk and "
        "C. Aykanat, <i>Data-Parallel Web Crawling Models</i>, ISCIS 2004.</p></footer>"
    )


def _list(facts: dict[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{escape(fact)}</dd>' for name, fact in facts.items())}</dl>"
