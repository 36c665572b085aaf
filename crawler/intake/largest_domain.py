"""How much of what a rank fetches comes from one domain: where that is much, it may be a spider farm."""

from collections import Counter, defaultdict

from sessions.url import domain_of

PAGES_AT_A_TIME = 256


class LargestDomain:
    """Looks at `PAGES_AT_A_TIME` pages after another, and remembers nothing of those before."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()  # by site: most need not be told whose domain they are of
        self._seen = 0

    def page(self, site: str) -> int:
        """Take note of a page; with the last of a lot, how many of them are of the domain that has most, else 0."""
        self._pages[site] += 1
        self._seen += 1
        if self._seen < PAGES_AT_A_TIME:
            return 0
        most = _most_of_a_domain(self._pages)
        self._pages.clear()
        self._seen = 0
        return most


def _most_of_a_domain(pages: Counter[str]) -> int:
    """How many of the pages of these sites are of the domain that has most.

    Sites of a domain end alike, in two labels at least.  The list of public suffixes, which is slow, is asked only
    about those that end like enough others.
    """
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for site in pages:
        alike[".".join(site.partition(":")[0].rsplit(".", 2)[-2:])].append(site)
    most = 0
    for sites in sorted(alike.values(), key=lambda sites: -sum(pages[site] for site in sites)):
        if sum(pages[site] for site in sites) <= most:
            break
        of_domains: Counter[str] = Counter()
        for site in sites:
            of_domains[domain_of(site)] += pages[site]
        most = max(most, *of_domains.values())
    return most
