"""The pieces of HTML that all report pages are made of."""

from collections.abc import Iterable, Mapping
from html import escape

from sessions.version import software_version
from sessions.visible import visible


def document(title: str, style: str, parts: Iterable[str]) -> str:
    """A page that needs nothing else: its title as text, its style, and the parts of its body as HTML.

    Names in it may be from anywhere: what would turn the order of letters round is shown as an escape.
    """
    page = "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{style}</style></head><body>",
            *parts,
            "</body></html>\n",
        ]
    )
    return "\n".join(map(visible, page.split("\n")))


def heading(title: str, made: str, software: str | None = None) -> str:
    """The title of a page as text, and below it when it was made, and by what: this ``software`` unless given."""
    by = f"cutweb {software_version()}" if software is None else software
    return f'<h1>{escape(title)}</h1><p class="about">Made {escape(made)} by {escape(by)}.</p>'


def to_the_minute(time: str) -> str:
    """A time in UTC as people read it; ``time`` is in ISO 8601."""
    return f"{time[:16].replace('T', ' ')} UTC"


def facts(told: Mapping[str, str]) -> str:
    """A list of names and what is said of each, both HTML."""
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{fact}</dd>' for name, fact in told.items())}</dl>"


def warnings_as_html(lines: Iterable[str]) -> str:
    """What a reader has to know before all figures: a paragraph for each line of text, "" if there are none."""
    return "".join(f'<p class="warning"><b>Note:</b> {escape(line)}.</p>' for line in lines)


def caption(number: int, title: str, unit: str, meaning: str, good: str = "") -> str:
    """What stands above a table: its number, title, unit, which way is good, and what it means; all text."""
    shown = f"{escape(title)} ({escape(unit)})" if unit else escape(title)
    return f'<b>Table {number}.</b> {shown}{f" {good}" if good else ""}. <span class="notes">{escape(meaning)}</span>'


def size(count: int) -> str:
    """A number of bytes in the largest unit of which there is at least one, with three digits."""
    amount, units = float(count), iter(("B", "kB", "MB", "GB", "TB"))
    unit = next(units)
    while amount >= 1000 and unit != "TB":
        amount, unit = amount / 1000, next(units)
    return f"{amount:,.3g} {unit}" if unit != "B" else f"{count:,} B"
