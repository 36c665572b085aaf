"""Which share of the links found led to URLs not seen before, p of IRLbot's paper (WWW 2008, section 8).

The paper's p begins near 1 and settles at 0.11.
"""

from collections import Counter

from crawler.session_report.report_figure import LINES, Drawing, NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays

NEW_LINKS = ReportFigure(
    "new_links",
    "The crawl",
    "Share of links to URLs not seen before, by epoch",
    "p: URLs that an epoch discovered by links, over the links that its pages have within the scope. IRLbot's settles "
    "at 0.11.",
    ("epoch", "links", "new_urls", "share"),
    Drawing(LINES, "epoch", ("share",), "epoch", "p"),
    shown=12,
)


def new_links_of(arrays: SessionArrays) -> list[Row]:
    """Links and new URLs of each epoch that has links.  URLs of depth 0 were named and not found."""
    if arrays.is_imported:
        raise NotKnownError("it was imported: no crawl has discovered its URLs")
    links, urls = Counter[int](), Counter[int]()
    for file in arrays.session.table_files("links"):
        links[file.epoch] += file.rows
    named = arrays.named_by_epoch()
    for file in arrays.session.table_files("urls"):
        urls[file.epoch] += file.rows
    rows: list[Row] = []
    for epoch in sorted(links):
        new = urls[epoch] - named.get(epoch, 0)
        rows.append((epoch, links[epoch], new, new / links[epoch]))
    if not rows:
        raise NotKnownError("it has no links")
    return rows
