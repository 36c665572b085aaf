"""How many sites a server is kept busy with, and how many pages they may have, as the options ask for it."""

from math import ceil

from crawler.config.crawl_options import CrawlOptions
from crawler.fetching.workbench import SITES_OF_A_SERVER
from crawler.politeness.page_caps import PageCaps

_MOST_SITES_OF_A_SERVER = 128


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
