"""report.html: one page that needs nothing else."""

from collections.abc import Sequence
from html import escape

import numpy as np

from crawler.process.printing import counted, number
from crawler.session_report.answer import answer_of
from crawler.session_report.figure_markup import figures_as_html, table_as_html
from crawler.session_report.figures import SessionFigures
from crawler.session_report.report_figure import ToldFigure
from partition.report.answer import answer_as_html
from partition.report.columns import Columns, columns_as_svg
from partition.report.markup import document, facts, heading, size, to_the_minute, warnings_as_html
from partition.report.style import STYLE

_MOST_TYPES, _MOST_SITES, _MOST_DEPTHS, _MOST_RANKS = 12, 50, 40, 64
_STYLE = """
.rows { max-width: 62rem; } .rows th:first-child { text-align: left; width: auto; white-space: normal; }
.rows th:first-child { min-width: 5.5rem; } .rows .words { text-align: left; }
details { margin: .6rem 0 1rem; }
.rows th:first-child { overflow-wrap: anywhere; } .pair { display: grid; gap: 0 3rem; }
.pair > div { margin-bottom: 1.4rem; }
.pair { grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); } .plots > svg { max-width: 26rem; }
"""


def as_html(sessions: Sequence[SessionFigures], told: Sequence[ToldFigure], made: str) -> str:
    """The whole page: the last of the sessions, and the figures of all; ``made`` is the date that it tells."""
    figures = sessions[-1]
    title = f"Session {figures.name}" if len(sessions) == 1 else f"{len(sessions)} sessions, the last {figures.name}"
    return document(
        title,
        STYLE + _STYLE,
        [
            heading(title, made),
            warnings_as_html(str(one.incomplete) for one in sessions if one.incomplete is not None),
            answer_as_html(answer_of(sessions, figures.name)),
            _sessions(sessions),
            _facts(figures),
            figures_as_html(told, len(sessions)),
            f'<h2>Pages</h2><div class="plots">{_plots(figures)}</div>',
            f'<div class="pair"><div>{_statuses(figures)}</div><div>{_types(figures)}</div></div>',
            _sites(figures),
            _ranks(figures),
            _foot(),
        ],
    )


def _sessions(sessions: Sequence[SessionFigures]) -> str:
    if len(sessions) == 1:
        return ""
    rows = [
        [
            one.name,
            to_the_minute(one.summary.started),
            *(f"{one.summary.total[name]:,}" for name in ("discovered", "fetched", "failed", "links")),
            size(one.summary.total["bytes"]),
        ]
        for one in sessions
    ]
    return _table("Sessions", ["session", "begun", "discovered", "fetched", "failed", "links", "received"], rows)


def _facts(figures: SessionFigures) -> str:
    summary, total = figures.summary, figures.summary.total
    left = {
        "Begun": f"{to_the_minute(summary.started)}, by {escape(summary.software)}",
        "Discovered": counted(total["discovered"], "URL"),
        "Links": f"{total['links']:,}, {number(total.links_per_page)} a page",
        "Bodies": f"{size(total['bytes'])} as received, {size(total['decoded_bytes'])} decoded",
    }
    right = {
        "Ranks": f"{summary.k:,}, assignment {escape(summary.assignment)}",
        "Failed": f"{total['failed']:,}",
        "Filtered": f"{total['filtered']:,}",
        "Queued": f"{total['queued']:,}",
    }
    return f'<div class="facts">{facts(left)}{facts(right)}</div>'


def _plots(figures: SessionFigures) -> str:
    drawn = figures.portrait
    depths = drawn.depths[:_MOST_DEPTHS].tolist()
    shown = []
    if len(depths) > 1:
        names = [str(depth) for depth in range(len(depths))]
        shown.append(Columns("Pages by depth (links from a seed)", "depth", names, depths))
    if drawn.over_time is not None:
        unit, length = _unit(drawn.over_time.seconds * len(drawn.over_time.pages))
        ends = [f"{at * drawn.over_time.seconds / length:.3g}" for at in range(len(drawn.over_time.pages))]
        begin = f"{drawn.over_time.begin:%Y-%m-%d %H:%M} UTC"
        shown.append(Columns("Pages over time", f"{unit} after {begin}", ends, drawn.over_time.pages))
    ranks = [int(rank["fetched"]) for rank in figures.summary.ranks]
    if 1 < len(ranks) <= _MOST_RANKS:
        shown.append(Columns("Pages by rank", "rank", [str(rank) for rank in range(len(ranks))], ranks))
    return "".join(columns_as_svg(columns) for columns in shown if any(columns.counts))


def _unit(seconds: float) -> tuple[str, float]:
    for unit, length in (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return unit, length
    return "seconds", 1.0


def _statuses(figures: SessionFigures) -> str:
    rows = [[str(status), f"{pages:,}", _share(pages, figures)] for status, pages in figures.portrait.statuses.items()]
    rows += [[f"all {kind}", f"{pages:,}", _share(pages, figures)] for kind, pages in figures.answers.items()]
    return _table("Answers", ["status", "pages", "share"], rows)


def _types(figures: SessionFigures) -> str:
    types = list(figures.portrait.types.items())
    rest = sum(pages for _, pages in types[_MOST_TYPES:])
    shown = types[:_MOST_TYPES] + ([(f"{len(types) - _MOST_TYPES:,} others", rest)] if rest else [])
    rows = [[kind, f"{pages:,}", _share(pages, figures)] for kind, pages in shown]
    return _table("Media types", ["type", "pages", "share"], rows)


def _sites(figures: SessionFigures) -> str:
    rows = [
        [site.site, *(f"{count:,}" for count in (site.pages, site.good, site.redirects, site.errors)), size(site.bytes)]
        for site in figures.sites[:_MOST_SITES]
    ]
    rest = figures.summary.total.sites - len(rows)
    more = f'<p class="notes">and {counted(rest, "other site")}; sites.csv has more of them</p>' if rest else ""
    return _table("Sites with most pages", ["site", "pages", "2xx", "redirects", "errors", "received"], rows) + more


def _ranks(figures: SessionFigures) -> str:
    ranks = figures.summary.ranks
    if len(ranks) < 2:
        return ""
    columns = ("fetched", "failed", "links", "sent_urls")
    rows = [
        [
            f"rank {at}",
            *(f"{rank[name]:,}" for name in columns),
            size(rank["bytes"]),
            size(rank["wire_bytes"]),
            number(rank.pages_per_second),
        ]
        for at, rank in enumerate(ranks)
    ]
    fetched = np.array([rank["fetched"] for rank in ranks], np.float64)
    above = f", the fullest {fetched.max() / fetched.mean() - 1:.1%} above the mean" if fetched.any() else ""
    heads = ["", "pages", "failed", "links", "URLs sent", "received", "on the wire", "pages/s"]
    return _table(f"Ranks{above}", heads, rows)


def _share(pages: int, figures: SessionFigures) -> str:
    return f"{pages / figures.pages:.1%}" if figures.pages else ""


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table_as_html(f"<b>{escape(title)}</b>", heads, rows) if rows else ""


def _foot() -> str:
    return (
        "<footer><p>Pages are fetches: a page that two ranks fetched counts twice.  Degrees count distinct links "
        "between distinct URLs.  All figures stand in <code>report.json</code>, the sites in <code>sites.csv</code>."
        "</p></footer>"
    )
