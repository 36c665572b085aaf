"""How much of what a rank fetches comes from one domain: where that is much, it may be a spider farm."""

from collections import Counter

from sessions.url import domain_of

PAGES_AT_A_TIME = 256


class LargestDomain:
    """Looks at `PAGES_AT_A_TIME` pages after another, and remembers nothing of those before."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._seen = 0

    def page(self, site: str) -> int:
        """Take note of a page; with the last of a lot, how many of them are of the domain that has most, else 0."""
        self._pages[domain_of(site)] += 1
        self._seen += 1
        if self._seen < PAGES_AT_A_TIME:
            return 0
        most = max(self._pages.values())
        self._pages.clear()
        self._seen = 0
        return most
