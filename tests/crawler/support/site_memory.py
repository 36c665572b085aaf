"""The memory for sites that a crawl has unless its options say otherwise."""

from crawler.config.crawl_options import CrawlOptions
from crawler.fetching.site_knowledge import OriginFacts
from crawler.rank.site_limits import site_memory

SITE_MEMORY = site_memory(CrawlOptions())
SITES_IN_MEMORY = {"most_sites": SITE_MEMORY.sites, "most_bytes": SITE_MEMORY.rules}
"""What a gatekeeper of sites remembers."""


def site_facts() -> OriginFacts:
    """Room for what a rank knows of sites."""
    return OriginFacts(most_origins=SITE_MEMORY.sites, most_bytes=SITE_MEMORY.rules)
