"""The part of docs/scale.md that tells of a web with a spam farm."""

from typing import Any

from scripts.irlbot.number_format import table

_TOLD = """\
## A web with a spam farm

{domains:,} legitimate domains, and one with {hosts:,} hosts and pages without end that a single other domain links to
(`scripts/irlbot/spam_web.py`); {pages:,} pages fetched from {seeds} seeds, by `scripts/irlbot/spam_farm.py`.  *In
the farm* are so
many of the pages, and of the links found on them.  *Correlation* is Spearman's, of a domain's pages with its in-degree,
counted from the session's tables when all was over: over all legitimate domains, and over those that have pages.  With
a site delay of 0 nobody rests; else a site rests 40 s x 10 / budget under `--order budget`, but at least the delay.

"""
_PLOTTED = """
One dot is a domain.  The lines are what the two budget functions allow a domain in one round of the queues.

![pages of a domain by its in-degree]({plot})
"""
_HEAD = ["order", "K", "site delay, s", "pages", "in the farm", "links in the farm", "correlation", "with pages"]
_HEAD += ["domains with pages", "wall s"]


def spam_section(spam: dict[str, Any]) -> str:
    """What was measured, as a section in Markdown."""
    plotted = _PLOTTED.format(**spam) if spam["plot"] else ""
    return _TOLD.format(**spam) + spam_table(spam["rows"]) + plotted


def spam_table(rows: list[dict[str, Any]]) -> str:
    """A row for each crawl."""
    return table(_HEAD, map(_cells, rows))


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["order"],
        str(row["ranks"]),
        f"{row['delay']:g}",
        f"{row['pages']:,}",
        f"{row['in_farm']:.1%}",
        f"{row['links_in_farm']:.1%}",
        f"{row['correlation']:.3f}",
        f"{row['correlation_with_pages']:.3f}",
        f"{row['domains_with_pages']:,}",
        f"{row['wall']:.0f}",
    ]
