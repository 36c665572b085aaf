"""report.html: one page that needs nothing else, to be read, printed and quoted."""

from collections.abc import Iterator
from html import escape
from itertools import count

from partition.choices import ASSIGNMENTS, MODELS
from partition.models.rank_speeds import shares_in_words
from partition.models.tolerances import tolerances_in_words
from partition.picture.cut_section import CUT_STYLE
from partition.quality.answer import answer_of, deciding_figure
from partition.quality.cut_pictures import cut_pictures
from partition.quality.figures import BY_NAME, FIGURES
from partition.quality.migration_page import migration_section
from partition.quality.report import Report
from partition.report.answer import answer_as_html
from partition.report.figure import Figure
from partition.report.markup import caption, document, facts, heading, size, to_the_minute, warnings_as_html
from partition.report.plots import Plot, as_svg, legend
from partition.report.results import lines_of
from partition.report.style import STYLE
from partition.report.tables import (
    DESERTED,
    GOOD_WAYS,
    UNBALANCED,
    ResultGrid,
    marks_in,
    relative_table,
    table_of,
    titled,
    unit_of,
)

_FIRST = ("storage_imbalance", "requests_imbalance", "volume_bytes", "volume_links")
_PLOTTED = (
    "volume_bytes",
    "volume_links",
    "sent_bytes",
    "sent_links",
    "messages",
    "most_sent_bytes",
    "most_sent_links",
    "ranks_per_site",
    "seconds",
    "peak_bytes",
)
_ONLY_WITHOUT_BYTES = {"volume_links": "volume_bytes", "sent_links": "sent_bytes", "most_sent_links": "most_sent_bytes"}
_OF_UNKNOWN = (
    "live_volume_bytes",
    "live_volume_links",
    "live_sent_bytes",
    "live_sent_links",
    "overlap",
    "live_messages",
)
_BASE = "page-hash"
_FIRST_COLUMN, _COLUMN = 3, 12


def as_html(report: Report) -> str:
    """The whole page."""
    grid = ResultGrid(report.results, report.request.tolerances)
    numbers = count(1)
    return document(
        f"Partition quality: {report.data.session}",
        STYLE + CUT_STYLE,
        [
            _title(report),
            answer_as_html(answer_of(report, report.data.session)),
            _head(report),
            _left_out(report),
            "<h2>Balance and volume, as in the paper</h2>",
            _how_to_read(report, grid),
            _first_tables(report, grid, numbers),
            cut_pictures(report, grid.parts, numbers),
            "<h2>Over K</h2>",
            _plots(grid),
            _other_tables(report, grid, numbers),
            _migration(report, numbers),
            "<h2>Models</h2>",
            _models(grid),
            _foot(report),
        ],
    )


def _title(report: Report) -> str:
    return (
        f"{heading(f'Partition quality: {report.data.session}', to_the_minute(report.made), report.software)}"
        f"{warnings_as_html(report.warnings)}"
    )


def _head(report: Report) -> str:
    data, request = report.data, report.request
    settings = request.settings
    session = {
        "Session": f"{escape(data.session)}, run {escape(data.run)}",
        "Begun": f"{to_the_minute(data.started)}, by {escape(data.software)}",
        "Pages": f"{data.pages:,}, {size(data.bytes)} as received",
        "Links": f"{data.links:,} between them, {data.links / data.pages:.1f} a page",
    }
    if data.sites is not None and data.largest_site is not None and data.url_bytes is not None:
        session["Sites"] = f"{data.sites:,}, the largest with {data.largest_site:.1%} of the pages"
        session["URLs"] = f"{data.url_bytes:.1f} bytes in the mean"
        session["Never downloaded"] = f"{data.known_urls:,} URLs, with {data.known_links:,} links to them"
    asked = {
        "K": ", ".join(map(str, request.parts)),
        "Seeds": ", ".join(map(str, request.seeds)),
        "Tolerance": tolerances_in_words(settings.tolerances),
        "Objective": f"{settings.objective}, effort {settings.effort}",
        "Shares": shares_in_words(settings.shares, are_measured=settings.shares_are_measured),
        "Unknown URLs": f"owned by {request.unknown}",
        "Trials at a time": f"{request.jobs}",
    }
    return f'<div class="facts">{facts(session)}{facts(asked)}</div>'


def _left_out(report: Report) -> str:
    notes = [escape(line) for line in lines_of(report.left_out)]
    if report.data.bytes == report.data.pages:
        notes.append("the sizes of the pages are not known: each weighs 1 byte, so storage is the same as requests")
    if not report.data.has_urls:
        notes.append("the pages have no URLs, so figures of bytes of URLs, of sites and of maps are left out")
    elif not report.data.known_links:
        notes.append("every URL that pages link to was downloaded: volumes with URLs never downloaded are the same")
    items = "".join(f"<li>{note}</li>" for note in notes)
    return f'<ul class="left notes">{items}</ul>' if notes else ""


def _how_to_read(report: Report, grid: ResultGrid) -> str:
    settings, marks = report.request.settings, marks_in(grid)
    told = [
        "Means over seeds, the least and most below where they differ; bold is the best in tolerance.",
        GOOD_WAYS,
    ]
    if UNBALANCED in marks:
        told.append(f"{UNBALANCED} an imbalance is beyond the tolerance of {tolerances_in_words(settings.tolerances)}.")
    if DESERTED in marks:
        told.append(f"{DESERTED} some rank has no pages.")
    length = "; its length is that of the target's canonical URL with scheme" if report.data.has_urls else ""
    return (
        f"<p>A link is a distinct pair of downloaded pages, source and target{length}.  The weight of a page is its "
        "body as received.  Pages fetched twice are one.</p>"
        f'<p class="notes">{" ".join(told)}</p>'
    )


def _first_tables(report: Report, grid: ResultGrid, numbers: Iterator[int]) -> str:
    """The paper's Tables 1 to 3, the volume that the cuts were to lessen, and that in percent of page hash's."""
    figures = _first_figures(report, grid)
    tables = [_numbered_table(grid, figure, next(numbers)) for figure in figures]
    if _BASE in grid.models:
        title = f"{figures[-1].title} relative to {_BASE}"
        tables.append(
            relative_table(
                grid, figures[-1], _BASE, caption(next(numbers), title, "%", "Ratios of means.", figures[-1].good)
            )
        )
    width = _FIRST_COLUMN + _COLUMN * len(grid.models)
    return f'<div class="tables wide" style="max-width: {width}rem">{"".join(tables)}</div>'


def _first_figures(report: Report, grid: ResultGrid) -> list[Figure]:
    papers = [BY_NAME[name] for name in _FIRST if grid.has(BY_NAME[name])][:3]
    return list(dict.fromkeys([*papers, deciding_figure(report)]))


def _other_tables(report: Report, grid: ResultGrid, numbers: Iterator[int]) -> str:
    """A table for every figure that has none yet, under the headings of their groups."""
    hidden = {figure.name for figure in _first_figures(report, grid)}
    hidden |= set() if report.data.known_links else set(_OF_UNKNOWN)
    figures = [figure for figure in FIGURES if figure.name not in hidden and grid.has(figure) and _varies(grid, figure)]
    shown = []
    for group in dict.fromkeys(figure.group for figure in figures):
        tables = [_numbered_table(grid, figure, next(numbers)) for figure in figures if figure.group == group]
        shown.append(f'<h2>{group}</h2><div class="tables">{"".join(tables)}</div>')
    return "".join(shown)


def _varies(grid: ResultGrid, figure: Figure) -> bool:
    """Ranks without pages need no table if there are none."""
    return figure.name != "empty_parts" or DESERTED in marks_in(grid)


def _numbered_table(grid: ResultGrid, figure: Figure, number: int) -> str:
    return table_of(
        grid, figure, caption(number, figure.title, unit_of(figure, grid.scale(figure)), figure.meaning, figure.good)
    )


def _plots(grid: ResultGrid) -> str:
    figures = [BY_NAME[name] for name in (*grid.tolerances, *_PLOTTED) if grid.has(BY_NAME[name])]
    names = {figure.name for figure in figures}
    shown = [figure for figure in figures if _ONLY_WITHOUT_BYTES.get(figure.name) not in names]
    plots = [as_svg(_plot(grid, figure, number)) for number, figure in enumerate(shown, 1)]
    return f'{legend(grid.models)}<div class="plots">{"".join(plots)}</div>'


def _plot(grid: ResultGrid, figure: Figure, number: int) -> Plot:
    scale = grid.plot_scale(figure)
    unit = unit_of(figure, scale)
    series = {
        model: {k: spread for k in grid.parts if (spread := grid.spread(figure, model, k)) is not None}
        for model in grid.models
    }
    return Plot(f"Figure {number}. {titled(figure, unit)}", grid.parts, series, scale, grid.tolerances.get(figure.name))


def _migration(report: Report, numbers: Iterator[int]) -> str:
    if report.migration is None or not report.migration.models:
        return ""
    return migration_section(report.migration, numbers)


def _models(grid: ResultGrid) -> str:
    items = "".join(f"<dt>{escape(model)}</dt><dd>{escape(_meaning(model))}</dd>" for model in grid.models)
    return f'<dl class="models">{items}</dl>'


def _foot(report: Report) -> str:
    beside = "" if report.request.jobs == 1 else f" {report.request.jobs} trials ran beside each other."
    return (
        "<footer><p>Each trial ran in a process of its own; time, memory and lookups depend on the machine."
        f"{beside}  Tables 1 to 3 are those of B. B. Cambazoglu, A. Turk and C. Aykanat, <i>Data-Parallel Web Crawling "
        "Models</i>, ISCIS 2004.  All figures stand in <code>results.csv</code> (means, least and most) and "
        "<code>trials.csv</code> (every trial); <code>report.json</code> has both, with their definitions.</p></footer>"
    )


def _meaning(model: str) -> str:
    return (
        f"Keeps together {MODELS[model].meaning}." if model in MODELS else f"Assigns by {ASSIGNMENTS[model].meaning}."
    )
