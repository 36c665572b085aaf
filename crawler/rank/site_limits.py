"""How many sites are kept, on a server and in all, and how many pages they may have, as the options ask for it."""

from math import ceil
from typing import NamedTuple

from crawler.config.crawl_options import CrawlOptions
from crawler.fetching.workbench import SITES_OF_A_SERVER
from crawler.politeness.page_caps import PageCaps

_MOST_SITES_OF_A_SERVER = 128
_BYTES_OF_A_SITE = 1 << 12
"""For what is kept of a site whose rules are not counted, if every other has a URL waiting.  A test measures it."""


class SiteMemory(NamedTuple):
    """How ``--site-memory`` is shared out.

    ``sites`` is how many a rank remembers the facts of, and how many it knows as a gatekeeper; ``urls`` is how many its
    workbench has, each perhaps of a site of its own.  The rest is in bytes: ``rules`` of robots.txt files, once beside
    the facts and once for the gatekeeper; ``matchers``, those of them that are ready to be matched; and the
    ``repository`` of all, which are on disk.
    """

    sites: int
    urls: int
    rules: int
    matchers: int
    repository: int


def site_memory(options: CrawlOptions) -> SiteMemory:
    """Share out the memory for sites: half of it goes by their number, the other half is for what robots.txt say."""
    memory = round(options.site_memory * (1 << 20))
    sites = memory // 2 // _BYTES_OF_A_SITE
    return SiteMemory(sites, sites // 2, memory // 8, memory // 8, memory // 16)


def sites_to_keep_busy(options: CrawlOptions) -> int:
    """How many sites keep a server busy, should each rest as long as a robots.txt may ask for; within bounds."""
    longest = max(options.delay, options.max_crawl_delay)
    sites = ceil(longest / options.server_delay) if options.server_delay else _MOST_SITES_OF_A_SERVER
    return min(max(sites, SITES_OF_A_SERVER), _MOST_SITES_OF_A_SERVER)


def page_caps(options: CrawlOptions) -> PageCaps:
    """The caps on pages that these options ask for."""
    return PageCaps(
        options.max_pages_per_site,
        options.max_pages_per_prefix,
        options.max_pages_per_domain,
        options.max_pages_per_address,
        options.prefix_segments,
    )
