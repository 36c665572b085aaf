"""What a crawl brought, as the report of its session answers it."""

from collections.abc import Sequence
from shlex import quote

from crawler.process.printing import counted
from crawler.session_report.figures import SessionFigures
from partition.report.answer import Answer, Bar
from partition.report.markup import size

_MOST_BARS = 8


def answer_of(sessions: Sequence[SessionFigures], last: str) -> Answer:
    """Return what was fetched, and from where, in the order of time; the next command calls the last one ``last``."""
    figures = sessions[-1]
    summary = figures.summary
    return Answer(
        f"{_together(sessions)}{_what(figures)}{_answered(figures)}{_how(figures)}",
        "Pages of each site, as they were fetched",
        _bars(figures),
        *_next(figures, last, summary.k),
    )


def _together(sessions: Sequence[SessionFigures]) -> str:
    if len(sessions) == 1:
        return ""
    fetches = sum(session.pages for session in sessions)
    first, *_, last = (session.summary.started[:10] for session in sessions)
    begun = f"{len(sessions):,} sessions, begun from {first} to {last}"
    return f"{begun}, have {fetches:,} fetches together.  The last of them: "


def _what(figures: SessionFigures) -> str:
    total = figures.summary.total
    sites = counted(total.sites, "site")
    return f"{figures.name} holds {counted(figures.pages, 'page')} of {sites}, {size(total['bytes'])} as received"


def _answered(figures: SessionFigures) -> str:
    answers = {"answered with 2xx": "2xx", "redirects": "redirects", "errors": "errors"}
    told = [f"{count:,} {words}" for words, kind in answers.items() if (count := figures.answers[kind])]
    return f": {', '.join(told)}" if told else ""


def _how(figures: SessionFigures) -> str:
    if figures.incomplete is not None:
        return f".  It is not complete: it {figures.incomplete.how} and left {figures.incomplete.queued:,} URLs queued."
    total, k = figures.summary.total, figures.summary.k
    if figures.summary.assignment == "imported":
        return "."
    return f".  {counted(k, 'rank')} fetched them in {total['seconds']:,.1f} s."


def _bars(figures: SessionFigures) -> list[Bar]:
    sites = figures.sites[:_MOST_BARS]
    bars = [
        Bar(site.site, site.pages, f"{site.pages:,}", "page", f"{size(site.bytes)}, {site.good:,} 2xx")
        for site in sites
    ]
    rest = figures.pages - sum(site.pages for site in sites)
    others = figures.summary.total.sites - len(sites)
    return [*bars, Bar(f"{others:,} other sites", rest, f"{rest:,}", "site")] if others > 0 and rest > 0 else bars


def _next(figures: SessionFigures, session: str, k: int) -> tuple[tuple[str, ...], str]:
    if figures.incomplete is not None and figures.incomplete.how.startswith("was "):
        return (f"cutweb crawl --resume {quote(session)}",), "go on with it, if no crawl of it is running"
    return (f"cutweb advise {quote(session)} --ranks {max(k, 2)}",), "see how the next crawl's ranks should share it"
