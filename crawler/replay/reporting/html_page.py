"""index.html of a replay's report: one page that needs nothing else, in the look of the quality report."""

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from crawler.replay.measuring.figures import BY_NAME, COST, FIGURES, IMPORTANCES
from crawler.replay.measuring.quality import PERCENT
from crawler.replay.measuring.rank_totals import rank_totals
from crawler.replay.recording import Recording
from crawler.replay.reporting.answer import answer_of
from crawler.replay.reporting.curves import Curves, Points, curves_as_svg
from crawler.replay.reporting.entry import TOLERANCE, ReportEntry, at_k, looks_of, results_of, shown_of, warnings_of
from crawler.replay.reporting.full_table import whole_tables
from crawler.replay.reporting.heatmap import LARGEST, heat_map, shade_legend, shading_for
from crawler.replay.reporting.rank_bars import rows_of_bars
from crawler.replay.settings import ReplaySettings
from partition.quality.figures import MOVES
from partition.report.answer import answer_as_html
from partition.report.figure import Figure
from partition.report.markup import caption, document, facts, heading, size, warnings_as_html
from partition.report.plots import Plot, as_svg, legend
from partition.report.scales import scale_for
from partition.report.style import STYLE
from partition.report.tables import (
    DESERTED,
    GOOD_WAYS,
    UNBALANCED,
    ResultGrid,
    even,
    marks_in,
    table_of,
    titled,
    unit_of,
)

_STYLE = """
.heat path { stroke: none; fill: var(--page); }
.heat path.frame { fill: none; stroke: var(--hair); }
.key path[class^=shade] { fill: var(--page); }
.shade1 { fill-opacity: .08; } .shade2 { fill-opacity: .2; } .shade3 { fill-opacity: .36; }
.shade4 { fill-opacity: .54; } .shade5 { fill-opacity: .76; } .shade6 { fill-opacity: 1; }
.by-model th:first-child { text-align: left; width: auto; }
.whole + .whole { margin-top: 1.8rem; } .whole thead th { white-space: normal; }
.whole th:first-child { text-align: left; width: auto; white-space: normal; }
.whole thead th { font-style: italic; } .whole .group th { font-weight: 700; padding-top: .7rem; }
.whole .unit { color: var(--faint); }
.maps { grid-template-columns: repeat(auto-fit, minmax(17rem, 22rem)); }
.plots > svg { max-width: 26rem; }
"""
_OVER_K = (
    "storage_imbalance",
    "requests_imbalance",
    "time_imbalance",
    "idle_share",
    "coverage",
    "overlap",
    "urls_per_page",
    "bytes_per_page",
    "wire_bytes_per_page",
    "messages_per_page",
    "most_pair_bytes",
    "back_link_quality_10",
    "page_rank_quality_10",
    "unknown_discovered",
    "wrong_owner_pages",
    "moved_bytes",
)
_LOADS = ("storage", "requests", "links", "time")
_SENT = {"urls": "urls_per_page", "bytes": "bytes_per_page", "wire_bytes": "wire_bytes_per_page"}
_MISSING = {
    "time_imbalance": "No times of requests were recorded.",
    "moved_pages": "The session was imported, so no rank fetched its pages and nothing moves.",
}
_SETTLED = 1.0


def as_html(entries: Sequence[ReportEntry], recording: Recording, settings: ReplaySettings, made: str) -> str:
    """The whole page, of at least one entry; ``made`` is the date that it tells."""
    grid = ResultGrid(results_of(entries), even(TOLERANCE))
    shown = shown_of(grid.models)
    looks, numbers = looks_of(shown), iter(range(1, 1000))
    drawn = [entry for entry in entries if entry.model in looks]
    told, most = _told(recording, entries), max(grid.parts)
    name = recording.session.path.resolve().name
    title = f"Replay of {name} under {entries[0].model}" if len(entries) == 1 else f"Replays of {name}"
    return document(
        title,
        STYLE + _STYLE,
        [
            heading(title, made),
            warnings_as_html(warnings_of(entries)),
            answer_as_html(answer_of(entries, recording, name)),
            _head(entries, recording, settings),
            _notes(grid, told, shown),
            *([_over_k(ResultGrid(results_of(drawn), even(TOLERANCE)), told, looks)] if len(grid.parts) > 1 else []),
            _over_time(at_k(drawn, most), most, looks),
            _bars(drawn, recording, looks),
            _quality(at_k(drawn, most), most, looks),
            _maps(drawn, len(grid.models) - len(shown)),
            _tables(grid, told, numbers),
            _foot(),
        ],
    )


def _head(entries: Sequence[ReportEntry], recording: Recording, settings: ReplaySettings) -> str:
    pages = recording.page_count
    told = {
        "Session": f"{escape(recording.session.path.resolve().name)}",
        "Pages": f"{pages:,}, {size(int(recording.bytes.sum()))} as received",
        "URLs": f"{len(recording):,}, {recording.url_bytes.mean():.1f} bytes in the mean",
        "Links": f"{len(recording.targets):,}, {len(recording.targets) / pages:.1f} a page",
        "Seeds": f"{len(recording.seeds):,}",
    }
    owners = dict.fromkeys(entry.ownership_name for entry in entries)
    asked = {
        "K": ", ".join(str(k) for k in sorted({entry.k for entry in entries})),
        "Assignments": escape(", ".join(owners)),
        "Superstep": f"{settings.pages_per_superstep:,} pages a rank",
        "Order": escape(settings.order),
        "Mode": f"{escape(settings.mode)}, {settings.replicated:,} URLs replicated",
        "End": "all pages" if settings.max_pages is None else f"after {settings.max_pages:,} pages",
    }
    for entry in entries:
        asked |= {name: escape(text) for name, text in entry.asked.items()}
        if entry.is_cut_off:
            asked["End"] = "cut off by a signal: the figures are of a part"
    return f'<div class="facts">{facts(told)}{facts(asked)}</div>'


def _told(recording: Recording, entries: Sequence[ReportEntry]) -> list[Figure]:
    """The figures that mean something of these replays of a recording."""
    took_time = any((entry.as_read or recording).milliseconds.any() for entry in entries)
    left_out = set() if took_time else {"time_imbalance"}
    left_out |= {figure.name for figure in FIGURES if figure.group == MOVES and recording.is_imported}
    left_out |= set() if any(entry.virtual_seconds for entry in entries) else {"virtual_seconds"}
    return [figure for figure in FIGURES if figure.name not in left_out]


def _notes(grid: ResultGrid, told: Sequence[Figure], shown: Sequence[str]) -> str:
    same = [_same(grid, figure) for figure in told if len(grid.parts) > 1 and not _differs(grid, figure)]
    notes = [text for name, text in _MISSING.items() if BY_NAME[name] not in told]
    notes += [f"The same in all replays: {'; '.join(same)}."] if same else []
    notes.append(GOOD_WAYS)
    if UNBALANCED in marks_in(grid):
        notes.append(f"{UNBALANCED} The imbalance of storage or requests is beyond {TOLERANCE:.0%}.")
    if DESERTED in marks_in(grid):
        notes.append(f"{DESERTED} Some rank fetched nothing.")
    if len(grid.parts) > 1:
        notes.append("Bold is the best of its K that has neither mark.")
    if hidden := [model for model in grid.models if model not in shown]:
        notes.append(
            f"Plots and maps show {len(shown)} of the {len(grid.models)} ways, the tables all.  Not shown: "
            f"{', '.join(hidden)}."
        )
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<ul class="left notes">{items}</ul>' if notes else ""


def _differs(grid: ResultGrid, figure: Figure) -> bool:
    """A single replay differs from nothing, so all that is said of it stands in its table."""
    spreads = [result.figures[figure.name] for result in grid.results]
    return len(spreads) == 1 or min(spread.least for spread in spreads) < max(spread.most for spread in spreads)


def _same(grid: ResultGrid, figure: Figure) -> str:
    scale = grid.scale(figure)
    unit = scale.unit if scale.unit in ("", "%") else f" {scale.unit}"
    return f"{figure.title} {scale.text(grid.results[0].figures[figure.name].mean)}{unit}"


def _over_k(grid: ResultGrid, told: Sequence[Figure], looks: dict[str, str]) -> str:
    shown = [BY_NAME[name] for name in _OVER_K if BY_NAME[name] in told and _differs(grid, BY_NAME[name])]
    plots = "".join(as_svg(_plot(grid, figure, looks)) for figure in shown)
    return f'<h2>Over K</h2>{legend(grid.models, looks)}<div class="plots">{plots}</div>'


def _plot(grid: ResultGrid, figure: Figure, looks: dict[str, str]) -> Plot:
    scale = grid.plot_scale(figure)
    series = {
        model: {k: spread for k in grid.parts if (spread := grid.spread(figure, model, k)) is not None}
        for model in grid.models
    }
    limit = TOLERANCE if figure.name in ("storage_imbalance", "requests_imbalance") else None
    return Plot(titled(figure, unit_of(figure, scale)), grid.parts, series, scale, limit, looks=looks)


def _over_time(entries: dict[str, ReportEntry], k: int, looks: dict[str, str]) -> str:
    plots = []
    for load in _LOADS:
        figure = BY_NAME[f"{load}_imbalance"]
        series = {model: _settled(entry, f"{load}_imbalance") for model, entry in entries.items()}
        plots.append(_curves(figure, figure.title, series, looks))
    plots.append(_curves(BY_NAME["idle_share"], "Idle in the superstep", _per_step(entries, "idle_share"), looks))
    for name, per_page in _SENT.items():
        figure = BY_NAME[per_page]
        series = {model: _sent_so_far(entry, name) for model, entry in entries.items()}
        plots.append(_curves(figure, f"{figure.title} so far", series, looks))
    shown = "".join(
        curves_as_svg(plot) for plot in plots if any(value for points in plot.series.values() for _, value in points)
    )
    return (
        f'<h2>Over time, K = {k}</h2><p class="notes">Each point is the end of a superstep.  Imbalance and what was '
        f"sent are of all that was done up to it; they begin after {_SETTLED:.0f}% of the fetches.</p>"
        f'{legend(list(entries), looks, "")}<div class="plots">{shown}</div>'
    )


def _shares(entry: ReportEntry) -> list[float]:
    """The percentage of the fetches that were made up to the end of each superstep."""
    made = np.cumsum(entry.timeline.fetches)
    shares: list[float] = (100 * made / max(1, int(made[-1]) if len(made) else 1)).tolist()
    return shares


def _settled(entry: ReportEntry, name: str) -> Points:
    """A column over time, without the beginning, when hardly a rank has any work."""
    points = list(zip(_shares(entry), getattr(entry.timeline, name).tolist(), strict=True))
    return [point for point in points if point[0] >= _SETTLED]


def _per_step(entries: dict[str, ReportEntry], name: str) -> dict[str, Points]:
    return {
        model: list(zip(_shares(entry), getattr(entry.timeline, name).tolist(), strict=True))
        for model, entry in entries.items()
    }


def _sent_so_far(entry: ReportEntry, name: str) -> Points:
    """What was sent up to each superstep for each page fetched up to it."""
    sent, made = np.cumsum(getattr(entry.timeline, name)), np.cumsum(entry.timeline.fetches)
    points = list(zip(_shares(entry), (sent / np.maximum(made, 1)).tolist(), strict=True))
    return [point for point in points if point[0] >= _SETTLED]


def _curves(figure: Figure, title: str, series: dict[str, Points], looks: dict[str, str]) -> Curves:
    values = [value for points in series.values() for _, value in points]
    scale = scale_for(figure, [max(values, default=0.0)])
    shown = f"{title} ({scale.unit})" if scale.unit else title
    return Curves(f"{shown} {figure.good}", "fetches made", series, scale, looks)


def _quality(entries: dict[str, ReportEntry], k: int, looks: dict[str, str]) -> str:
    plots = []
    for name, title in IMPORTANCES.items():
        series: dict[str, Points] = {
            model: list(zip(PERCENT.tolist(), getattr(entry.timeline, f"{name}_quality").tolist(), strict=True))
            for model, entry in entries.items()
        }
        scale = scale_for(BY_NAME[f"{name}_quality_1"], [1.0])
        plots.append(
            curves_as_svg(Curves(f"Quality by {title} (%) ↑", "of all pages", series, scale, looks, diagonal=True))
        )
    return (
        f'<h2>Quality, K = {k}</h2><p class="notes">The share of the most important N percent of the pages '
        "that is among the first N percent fetched.</p>"
        f'{legend(list(entries), looks, "random order")}<div class="plots">{"".join(plots)}</div>'
    )


def _bars(entries: Sequence[ReportEntry], recording: Recording, looks: dict[str, str]) -> str:
    """What each rank did, at the largest K at which bars can be read: a row of plots for each replay."""
    shown = _readable(entries)
    if not shown:
        return ""
    totals = {entry.model: rank_totals(entry.as_read or recording, entry.course) for entry in shown if entry.course}
    return (
        f"<h2>Rank by rank, K = {shown[0].k}</h2>"
        '<p class="notes">What each rank fetched in all; the dotted line is the mean.  Axes differ.</p>'
        f"{rows_of_bars(totals, looks)}"
    )


def _readable(entries: Sequence[ReportEntry]) -> list[ReportEntry]:
    """The first entry of each model at the largest K of which single ranks can be shown."""
    told = [entry for entry in entries if entry.course is not None and 1 < entry.k <= LARGEST]
    return list(at_k(told, max(entry.k for entry in told)).values()) if told else []


def _maps(entries: Sequence[ReportEntry], hidden: int) -> str:
    """Bytes by pair, if anything is sent, at the largest K at which they can be read; so many ways are not shown."""
    shown = _readable(entries)
    pairs = [entry.course.messages.by_pair(entry.k, entry.course.messages.bytes) for entry in shown if entry.course]
    if not any(sent.any() for sent in pairs):
        return ""
    k = shown[0].k
    shading = shading_for(np.array(pairs))
    rest = f"  {hidden} other ways are not shown." if hidden else ""
    maps = "".join(heat_map(entry.model, sent, shading) for entry, sent in zip(shown, pairs, strict=True))
    return (
        f'<h2>Who sends to whom, K = {k}</h2><p class="notes">Bytes of URLs by sender, down, and receiver, across; '
        f'blank is nothing.{rest}</p>{shade_legend(shading)}<div class="plots maps">{maps}</div>'
    )


def _tables(grid: ResultGrid, told: Sequence[Figure], numbers: Iterator[int]) -> str:
    """With one K all figures in one table, else one for each figure that is not the same everywhere."""
    if len(grid.parts) == 1:
        return f"<h2>Measures, K = {grid.parts[0]}</h2>{whole_tables(grid, told)}"
    figures = [figure for figure in told if _differs(grid, figure)]
    shown = []
    for group in dict.fromkeys(figure.group for figure in figures):
        tables = [_numbered_table(grid, figure, next(numbers)) for figure in figures if figure.group == group]
        shown.append(f'<h2>{group}</h2><div class="tables">{"".join(tables)}</div>')
    return "".join(shown)


def _numbered_table(grid: ResultGrid, figure: Figure, number: int) -> str:
    return table_of(
        grid, figure, caption(number, figure.title, unit_of(figure, grid.scale(figure)), figure.meaning, figure.good)
    )


def _foot() -> str:
    return (
        "<footer><p>Coverage, overlap, quality and communication are those of J. Cho and H. Garcia-Molina, <i>Parallel "
        "Crawlers</i>, WWW 2002; <code>docs/measures.md</code> defines every figure.  All figures stand in "
        "<code>measures.csv</code>, those over time in <code>timeline.csv</code> and <code>quality.csv</code>, what "
        "each rank did in <code>ranks.csv</code>, what pairs sent in <code>pairs.csv</code>; <code>report.json</code> "
        f"has the figures with their definitions.  What stands under &ldquo;{COST}&rdquo; depends on the machine.</p>"
        "</footer>"
    )
