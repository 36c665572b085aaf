"""The pay-level domains of a crawl: their in-degree beside PageRank and pages, and what they answered.

`LINKED_DOMAINS` is Table 4 of IRLbot's paper (WWW 2008).
"""

import numpy as np

from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import Numbers, SessionArrays, domains_of
from partition.graphs.page_rank import page_rank
from sessions.hash_arrays import distinct, places
from sessions.url import url_hashes

MOST_DOMAINS = 100
LINKED_DOMAINS = ReportFigure(
    "linked_domains",
    "Domains",
    "Domains with most in-degree",
    "In-degree: other domains with a page that links to one of the domain's URLs, fetched or not. PageRank is that of "
    "the domain's main page, /, with or without www, in multiples of the mean of all pages. Equal ones by name.",
    ("domain", "in_degree", "page_rank", "pages"),
    shown=20,
)
DOMAINS = ReportFigure(
    "domains",
    "Domains",
    "Domains with most pages",
    "Fetches of each domain, by what they were answered with, and bytes of bodies as received.",
    ("domain", "sites", "fetches", "good", "redirects", "errors", "bytes"),
    shown=20,
)
_NO_URLS = ["pages.invalid"]


def linked_domains_of(arrays: SessionArrays) -> list[Row]:
    """The domains that most others link to; none is listed to which no other links."""
    _check(arrays)
    names, of_url = _domains_of_urls(arrays)
    links = arrays.links
    pairs = np.stack([of_url[links.sources], of_url[links.targets]])
    pairs = pairs[:, (pairs[0] != pairs[1]) & (pairs[1] >= 0)]
    targets = distinct(pairs[0] * len(names) + pairs[1]) % len(names)
    in_degrees = np.bincount(targets, minlength=len(names))
    pages = np.bincount(of_url[: len(arrays.hashes)], minlength=len(names))
    linked = np.flatnonzero(in_degrees).tolist()
    if not linked:
        raise NotKnownError("no domain links to another")
    chosen = sorted(linked, key=lambda at: (-in_degrees[at], names[at]))[:MOST_DOMAINS]
    ranks = _ranks_of_main_pages(arrays, [names[at] for at in chosen])
    return [(names[at], in_degrees[at], rank, pages[at]) for at, rank in zip(chosen, ranks, strict=True)]


def domains_by_pages(arrays: SessionArrays) -> list[Row]:
    """All domains, those with most fetches first."""
    _check(arrays)
    names, of_site = domains_of(arrays.site_names)
    fetches = arrays.fetches
    domain, hundreds = of_site[fetches.site], fetches.status // 100
    count = len(names)
    columns = [
        np.bincount(of_site, minlength=count),
        np.bincount(domain, minlength=count),
        *(np.bincount(domain[mask], minlength=count) for mask in (hundreds == 2, hundreds == 3, hundreds >= 4)),
        np.bincount(domain, weights=fetches.bytes, minlength=count).astype(np.int64),
    ]
    rows = zip(names, *(column.tolist() for column in columns), strict=True)
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def _check(arrays: SessionArrays) -> None:
    if arrays.site_names == _NO_URLS:
        raise NotKnownError("its pages have no URLs of their own")


def _domains_of_urls(arrays: SessionArrays) -> tuple[list[str], Numbers]:
    """Names of domains, and the domain of each page and of each other URL, int64[n + u], -1 where no text is known."""
    other_sites, of_other = arrays.sites_of_others()
    names, of_site = domains_of([*arrays.site_names, *other_sites])
    of_page = of_site[arrays.page_sites]
    of_other = np.where(of_other >= 0, np.append(of_site[len(arrays.site_names) :], -1)[of_other], -1)
    return names, np.concatenate([of_page, of_other])


def _ranks_of_main_pages(arrays: SessionArrays, domains: list[str]) -> list[float | None]:
    links = arrays.between_pages
    pages = len(arrays.hashes)
    ranks = page_rank(links.sources, links.targets, pages) * pages
    found: list[float | None] = []
    for domain in domains:
        urls = [f"{scheme}://{www}{domain}/" for scheme in ("http", "https") for www in ("", "www.")]
        main = places(url_hashes(urls), arrays.hashes)
        found.append(max(ranks[main[main >= 0]].tolist(), default=None))
    return found
