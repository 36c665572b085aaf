"""What --site-memory allows is no more than it says."""

import tracemalloc

import pytest

from crawler.config.crawl_options import CrawlOptions
from crawler.politeness.delays import Delays
from crawler.politeness.page_caps import PageCaps
from crawler.rank.site_limits import SiteMemory, site_memory
from tests.crawler.politeness.support.simulation import Cluster, Plan, SimulatedSite


@pytest.mark.parametrize("mebibytes", [32.0, 47.5, 256.0])
def test_the_parts_of_the_memory_for_sites_are_no_more_than_it(mebibytes: float) -> None:
    memory = site_memory(CrawlOptions(site_memory=mebibytes))
    assert 4096 * memory.sites + 2 * memory.rules + memory.matchers + memory.repository <= mebibytes * 2**20
    assert memory.urls >= 2048


def test_by_default_there_is_memory_for_some_ten_thousand_sites() -> None:
    assert site_memory(CrawlOptions()) == SiteMemory(1 << 15, 1 << 14, 32 << 20, 32 << 20, 16 << 20)


def test_a_site_takes_no_more_memory_than_is_reckoned_if_half_of_those_known_have_urls() -> None:
    _, *most = [_most_memory(sites) for sites in (10, 100, 400)]
    assert (most[1] - most[0]) / 300 < 4096


def _most_memory(count: int) -> int:
    """Bytes that a simulated crawl of sites of one page each takes at the most, the simulation's own included.

    The second half of the sites comes when the first has been visited, and is known.
    """
    sites = [SimulatedSite(f"www.site-{n}.example", (f"10.1.{n >> 8}.{n & 255}",), 0.01) for n in range(count)]
    urls = [f"http://{site.name}/" for site in sites]
    delays = Delays(delay=1.0, server_delay=0.5, factor=0.0, retry_wait=1.0)
    tracemalloc.start()
    try:
        caps = PageCaps(per_site=9, per_domain=9)
        arrivals = [(0.0, 0, urls[::2]), (60.0, 0, urls[1::2])]
        Cluster(Plan(sites, arrivals, 1, delays, caps=caps)).run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
