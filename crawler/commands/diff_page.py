"""What became of a web, as `cutweb diff` answers it and shows it on a page."""

from html import escape
from pathlib import Path
from shlex import quote
from typing import Any

from crawler.process.printing import number
from partition.report.answer import Answer, Bar, answer_as_html
from partition.report.markup import document, heading
from partition.report.scales import percent
from partition.report.style import STYLE
from sessions.analysis.difference_figures import Difference

STEPS = ("none", "up to 10%", *(f"{low}-{low + 10}%" for low in range(10, 100, 10)))
"""The bins of change in the order of `sessions.analysis.difference.BINS`."""
SITE_HEADS = ("born", "gone", "kept", "changed", "links born", "links gone", "links kept")
_MOST_SITES = 100
_STYLE = """
.diff { max-width: 62rem; } .diff th:first-child { text-align: left; width: auto; }
"""


def names_of(found: Difference) -> tuple[str, str]:
    """What the two sessions are called: their folders' names, or their paths where these are the same."""
    a, b = (Path(path).resolve().name for path in (found.a, found.b))
    return (a, b) if a != b else (found.a, found.b)


def span(seconds: float) -> str:
    """A time in the largest unit of which it has two."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if abs(seconds) >= 2 * length:
            return f"{'-' if seconds < 0 else ''}{number(abs(seconds) / length)} {unit}"
    return f"{number(seconds)} seconds"


def answer_of(found: Difference, first: str, second: str) -> Answer:
    """Return how many pages are new, gone and changed; the next command calls the sessions ``first`` and ``second``."""
    pages = found.total()["pages"]
    a, b = names_of(found)
    seconds = found.age.total_seconds() if found.age is not None else 0.0
    since = f"In the {span(seconds)} from {a} to {b}" if seconds > 0 else f"From {a} to {b}"
    told = [
        f"{since}, {pages['born']:,} of {b}'s {pages['b']:,} pages were born{_share(pages['born'], pages['b'])}",
        f"{pages['gone']:,} of {a}'s {pages['a']:,} went{_share(pages['gone'], pages['a'])}",
    ]
    known = pages["changed"] + pages["unchanged"]
    kept = f"{percent(pages['changed'] / known)} of the {known:,} that both have changed" if known else "none is kept"
    if pages["kept"] and not known:
        kept = f"it is not known which of the {pages['kept']:,} that both have changed"
    bars = {
        f"born: only in {b}": pages["born"],
        f"gone: only in {a}": pages["gone"],
        "changed": pages["changed"],
        "unchanged": pages["unchanged"],
        "kept, change not known": pages["unknown"],
    }
    return Answer(
        f"{', '.join(told)}, and {kept}.",
        "Pages by what became of them",
        [Bar(name, count, f"{count:,}") for name, count in bars.items() if count],
        (f"cutweb replay {quote(second)} --from {quote(first)} --parts 4,8 --out foresight",),
        f"see how partitions of {a} would have done in {b}",
    )


def _share(part: int, whole: int) -> str:
    return f" ({percent(part / whole)})" if whole else ""


def as_html(found: Difference, facts: dict[str, str], made: str) -> str:
    """The whole page; ``facts`` are what is told of all pages, links and bytes, ``made`` the date that it tells."""
    a, b = names_of(found)
    title = f"What became of a web: {a} → {b}"
    told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>" for name, fact in facts.items())
    return document(
        title,
        STYLE + _STYLE,
        [
            heading(title, made),
            answer_as_html(answer_of(found, a, b)),
            f'<dl class="models">{told}</dl>',
            _changes(found.total()["change"]),
            _sites(found),
        ],
    )


def _changes(change: dict[str, list[int]]) -> str:
    """Kept pages by how much of them changed, for each measure that some are known by."""
    known = {name: bins for name, bins in change.items() if sum(bins)}
    if not known:
        return ""
    rows = (
        [step, *(f"{bins[at]:,} ({bins[at] / sum(bins):.1%})" for bins in known.values())]
        for at, step in enumerate(STEPS)
    )
    return f"<h2>Kept pages by how much of them changed</h2>{_table(['change of', *known], rows)}"


def by_site(found: Difference, most: int) -> list[list[Any]]:
    """The sites with most pages born, gone or changed: name and counts, under `SITE_HEADS`."""
    pages, links = found.pages, found.links
    rows = (-(pages.born + pages.gone + pages.changed)).argsort(kind="stable")[:most]
    counts = (pages.born, pages.gone, pages.kept, pages.changed, links.born, links.gone, links.kept)
    return [[found.sites[row], *(int(figure[row]) for figure in counts)] for row in rows.tolist()]


def _sites(found: Difference) -> str:
    shown = by_site(found, _MOST_SITES)
    rest = len(found.sites) - len(shown)
    rows = ([name, *(f"{count:,}" for count in counts)] for name, *counts in shown)
    more = f'<p class="notes">and {rest:,} more sites</p>' if rest else ""
    return f"<h2>Sites with most pages born, gone or changed</h2>{_table(['site', *SITE_HEADS], rows)}{more}"


def _table(heads: list[str], rows: Any) -> str:
    head = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    return f'<div class="table diff"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
