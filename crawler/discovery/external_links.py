"""Links out of scope: not followed, but kept, as pairs of sites with a count or with their URLs.

The site of a page comes with its links, and is remembered until these are settled: it costs a page one entry, a link
out of scope the site of its target and one count.  What is counted becomes rows now and then, and when an epoch closes
(`sessions.writing.recorder`), so that a pair may stand in several rows, whose counts add up.
"""

from crawler.urls.batch import Flags
from sessions.url import Hashes, site_of
from sessions.writing.recorder import Recorder


class ExternalLinks:
    """Hands links out of scope to the recorder; with ``keeps_urls`` their URLs, too."""

    def __init__(self, recorder: Recorder, *, keeps_urls: bool) -> None:
        self._recorder = recorder
        self._keeps_urls = keeps_urls
        self._site_of: dict[int, str] = {}

    def page(self, source: int, site: str) -> None:
        """Remember the site of a page whose links are to be settled."""
        self._site_of[source] = site

    def links(self, sources: Hashes, urls: list[str], flags: Flags) -> None:
        """Record n links that lead out of scope: their pages, uint64[n], their targets, their flags, uint8[n]."""
        self._recorder.external_sites(map(self._site_of.__getitem__, sources.tolist()), map(site_of, urls))
        if self._keeps_urls:
            self._recorder.external_urls(sources, urls, flags)

    def settled(self) -> None:
        """Forget the pages: their links have been dealt with."""
        self._site_of.clear()


def external_links(kept: str, recorder: Recorder) -> ExternalLinks | None:
    """Return what takes the links out of scope; ``kept``: "sites", "all" for their URLs as well, or "none" of them."""
    return None if kept == "none" else ExternalLinks(recorder, keeps_urls=kept == "all")
