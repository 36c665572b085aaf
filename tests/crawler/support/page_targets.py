"""The targets of a page's links as a list."""

from crawler.urls.targets import PageTargets


def urls_of(links: PageTargets) -> list[str]:
    """All URLs, in order."""
    return links.targets.urls(range(len(links.flags)))
