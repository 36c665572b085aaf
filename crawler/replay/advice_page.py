"""The page of `cutweb advise --html`: the recommendation, what was tried, and why."""

from html import escape

from crawler.replay.advice import Advice, Option
from crawler.replay.advice_answer import answer_of, reasons
from crawler.replay.costs import Band
from crawler.replay.source import name_of
from partition.report.answer import answer_as_html
from partition.report.markup import document, heading, size, warnings_as_html
from partition.report.style import STYLE

COLUMNS = ("slowest rank, ms a page", "imbalance of requests, %", "imbalance of storage, %", "on the wire, B a page")
"""What stands in the columns of the bands, less of all of it being better."""
_STYLE = """
.options { max-width: 68rem; } .options th:first-child { text-align: left; width: auto; }
.options thead th { white-space: normal; }
"""


def as_html(advice: Advice, made: str) -> str:
    """The whole page; ``made`` is the date that it tells."""
    title = f"Advice for the crawl after {name_of(advice.session)}"
    told = "".join(f"<li>{escape(reason)}</li>" for reason in reasons(advice))
    return document(
        title,
        STYLE + _STYLE,
        [
            heading(title, made),
            warnings_as_html([] if advice.incomplete is None else [advice.incomplete]),
            answer_as_html(answer_of(advice)),
            f'<h2>Why</h2><ul class="left">{told}</ul>',
            f"<h2>What was tried</h2>{_table(advice)}",
        ],
    )


def bands(option: Option) -> list[str]:
    """What is expected of an option, and in brackets the least and the most: a cell for each of `COLUMNS`."""
    return [
        _band(option.page_ms, "{:.3f}"),
        _band(option.requests_imbalance, "{:.0f}", 100),
        _band(option.storage_imbalance, "{:.0f}", 100),
        _band(option.wire_bytes, "{:.1f}"),
    ]


def _band(band: Band, form: str, factor: float = 1.0) -> str:
    low, middle, high = (form.format(factor * value) for value in (band.low, band.middle, band.high))
    return f"{middle} ({low} to {high})"


def _table(advice: Advice) -> str:
    """All options that were tried, by cost."""
    head = "".join(f'<th scope="col">{column} ↓</th>' for column in (*COLUMNS, "map"))
    options = sorted(advice.options, key=lambda option: option.page_ms.middle)
    rows = "".join(
        f'<tr><th scope="row">{escape(option.candidate.way)}{" (recommended)" if option == advice.chosen else ""}</th>'
        f"{''.join(f'<td>{cell}</td>' for cell in bands(option))}"
        f"<td>{size(option.map_bytes) if option.map_bytes else 'none'}</td></tr>"
        for option in options
    )
    return (
        '<div class="table options"><table><caption>Expected, and in brackets the least and the most of all trials; '
        f'↓ less is better.</caption><thead><tr><th scope="col">way</th>{head}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )
