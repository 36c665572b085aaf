"""How many sites and domains a crawl has seen: JoMaGic's diversity."""

import numpy as np

from crawler.session_report.crawling.samples import sampled
from crawler.session_report.report_figure import LINES, Drawing, NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import Numbers, SessionArrays, domains_of
from sessions.hash_arrays import firsts

DIVERSITY = ReportFigure(
    "diversity",
    "The crawl",
    "Sites and domains, by pages fetched",
    "How many different sites, and how many different pay-level domains, the pages fetched so far are on.",
    ("pages", "sites", "domains"),
    Drawing(LINES, "pages", ("sites", "domains"), "pages fetched", "sites or domains"),
)


def diversity_of(arrays: SessionArrays) -> list[Row]:
    """Sites and domains after each of some numbers of pages."""
    if arrays.site_names == ["pages.invalid"]:
        raise NotKnownError("its pages have no URLs of their own")
    _, domains = domains_of(arrays.site_names)
    sites = arrays.fetches.site[arrays.first_rows]
    counted = _different(sites), _different(domains[sites])
    return [(at + 1, *(int(count[at]) for count in counted)) for at in sampled(len(sites)).tolist()]


def _different(values: Numbers) -> Numbers:
    """How many different values there are among the first 1, 2, ... of them."""
    is_new = np.zeros(len(values), np.int64)
    is_new[firsts(values)] = 1
    return np.cumsum(is_new)
