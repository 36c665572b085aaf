"""A robots cache that has left the memory phase, as it does once it knows more sites than fit."""

from pathlib import Path

from crawler.politeness.robots.rules import ALLOW_ALL
from crawler.politeness.robots_cache import Remembered, RobotsCache
from tests.crawler.support.site_memory import SITE_MEMORY

STRANGERS = 40
"""How many sites that no test asks for it knows."""


def robots_cache(folder: Path, *, is_on_disk: bool) -> RobotsCache:
    """A cache, on disk or in memory."""
    if not is_on_disk:
        return RobotsCache(folder, budget=SITE_MEMORY.repository)
    cache = RobotsCache(folder, budget=1)
    for number in range(STRANGERS):
        cache.learn(f"http://stranger-{number}.example", Remembered(ALLOW_ALL, until=0.0))
    cache.ask("http://stranger-0.example", 0.0)
    assert len(list(cache.flush(0.0))) == 1
    assert not cache._drum.is_in_memory
    return cache
