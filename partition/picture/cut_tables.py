"""What the picture of a cut shows, in numbers: the parts, and the most expensive pairs of sites and URLs."""

from collections.abc import Iterator, Sequence
from html import escape

from partition.measures.cut_portrait import MOST_PARTS, CutPortrait
from partition.report.markup import caption
from partition.report.scales import percent

_Row = Sequence[str]


def parts_table(portrait: CutPortrait, unit: str, numbers: Iterator[int]) -> str:
    """The parts by number: their bytes and pages, over the mean, and what they send and receive."""
    is_sized = portrait.area == "bytes"
    means = portrait.weights.mean(axis=0)
    rows = [
        [
            str(part),
            *((f"{size:,}", _over(size, means[0])) if is_sized else ()),
            f"{pages:,}",
            _over(pages, means[1]),
            f"{portrait.sent[part]:,}",
            f"{portrait.received[part]:,}",
        ]
        for part, (size, pages) in enumerate(portrait.weights[:MOST_PARTS].tolist())
    ]
    more = f"  These are the first {MOST_PARTS} of {portrait.k:,} parts." if portrait.k > MOST_PARTS else ""
    told = caption(next(numbers), "Parts", "", f"Sent and received: {unit}.{more}")
    of_bytes = ("bytes", "over mean") if is_sized else ()
    return _table("parts", told, ("part", *of_bytes, "pages", "over mean", "sent", "received"), rows)


def pairs_table(portrait: CutPortrait, unit: str, numbers: Iterator[int]) -> str:
    """The most expensive pairs of sites, or of parts."""
    rows = [
        [
            escape(pair.source),
            "itself" if pair.source == pair.target else escape(pair.target),
            f"{pair.urls:,}",
            f"{pair.cost:,}",
            percent(pair.cost / portrait.cost),
        ]
        for pair in portrait.pairs
    ]
    what = "sites" if portrait.has_urls else "parts"
    shared = (
        "  A URL that several sites of one part link to is counted for the one with most links to it."
        if portrait.has_urls and portrait.objective == "sent"
        else ""
    )
    meaning = f"Cost: {unit} sent because the first links to the second; share: of all that is sent.{shared}"
    told = caption(next(numbers), f"Most expensive pairs of {what}", "", meaning)
    return _table("costly two", told, ("from", "to", "URLs", "cost", "share"), rows)


def urls_table(portrait: CutPortrait, unit: str, numbers: Iterator[int]) -> str:
    """The most expensive URLs."""
    rows = [
        [
            escape(url.url),
            str(url.owner),
            f"{url.times:,}",
            f"{url.cost:,}",
            percent(url.cost / portrait.cost),
        ]
        for url in portrait.urls
    ]
    times = "parts that send it to its owner" if portrait.objective == "sent" else "links to it from other parts"
    meaning = f"Owner: the part that it lies in; times: {times}; cost: {unit}."
    told = caption(next(numbers), "Most expensive URLs", "", meaning)
    return _table("costly", told, ("URL" if portrait.has_urls else "page", "owner", "times", "cost", "share"), rows)


def _over(value: float, mean: float) -> str:
    return f"{value / mean - 1:+.1%}" if mean else ""


def _table(kind: str, told: str, heads: Sequence[str], rows: Sequence[_Row]) -> str:
    """A table whose cells are HTML."""
    head = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    return (
        f'<div class="table cut-table {kind}"><table><caption>{told}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
