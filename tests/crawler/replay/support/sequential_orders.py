"""Orders of fetching told plainly: one process, one list of what waits, ``grain`` pages between two rankings."""

from collections.abc import Callable, Sequence

from crawler.replay.recording import Recording
from sessions.url import site_of, url_hash

Key = Callable[[int], tuple[float, ...]]


def in_sequence(
    recording: Recording, order: str, grain: int = 1, keys: Sequence[float] = (), ranked: int = 1000
) -> list[int]:
    """Return the pages of a recording as one process fetches them in an order of `crawler.frontier.orderings`.

    What was learned of back-links counts after every ``grain`` pages, what was found at once.  ``keys`` are those of
    `priority` and `random`, the least first; ``ranked`` is how many sites are ranked.
    """
    return _Sequence(recording, order, grain, keys, ranked).run()


class _Sequence:
    def __init__(self, recording: Recording, order: str, grain: int, keys: Sequence[float], ranked: int) -> None:
        self.links: list[list[int]] = []
        for page in range(recording.page_count):
            edges = range(recording.starts[page], recording.starts[page + 1])
            self.links.append([int(recording.targets[edge]) for edge in edges if recording.is_followed[edge]])
        self.urls = recording.urls.to_pylist()
        self.seeds = recording.seeds.tolist()
        self.grain = grain
        self.order = order
        self.keys = keys
        self.ranked = ranked
        self.waiting: list[int] = []
        self.known: set[int] = set()
        self.found: dict[int, int] = {}
        self.of_url: dict[int, int] = {}
        self.of_site: dict[str, int] = {}
        self.told: dict[str, int] = {}
        self.first_sites: list[str] = []

    def accept(self, url: int) -> None:
        if url not in self.known:
            self.known.add(url)
            self.found[url] = len(self.found)
            if url < len(self.links):
                self.waiting.append(url)

    def site(self, url: int) -> str:
        return site_of(self.urls[url])

    def rank_sites(self) -> None:
        sites = {self.site(url) for url in self.waiting}
        self.first_sites = sorted(sites, key=lambda site: (-self.told.get(site, 0), url_hash(site)))[: self.ranked]

    @property
    def current(self) -> int:
        """How many pages may be taken before sites are ranked anew."""
        if self.order != "backlink":
            return len(self.waiting)
        return sum(self.site(url) in self.first_sites for url in self.waiting)

    def next(self) -> int:
        """The page that is fetched next."""
        if self.order == "backlink":
            place = {site: place for place, site in enumerate(self.first_sites)}
            return min(self.waiting, key=lambda url: (place.get(self.site(url), len(place)), self.found[url]))
        key: dict[str, Key] = {
            "bfs": lambda url: (self.found[url],),
            "backlink-page": lambda url: (-self.of_url.get(url, 0), self.found[url]),
            "priority": lambda url: (self.keys[url], self.found[url]),
            "random": lambda url: (self.keys[url],),
        }
        return min(self.waiting, key=key[self.order])

    def run(self) -> list[int]:
        fetched: list[int] = []
        for seed in self.seeds:
            self.accept(seed)
        while self.waiting:
            self.superstep(fetched)
        return fetched

    def superstep(self, fetched: list[int]) -> None:
        """Fetch in rounds: what waits, and no more than is missing; then what these pages lead to is found."""
        left = self.grain
        targets: list[int] = []
        while left and self.waiting:
            if not self.current:
                self.rank_sites()
            pages = []
            for _ in range(min(left, self.current)):
                pages.append(self.next())
                self.waiting.remove(pages[-1])
            left -= len(pages)
            fetched += pages
            for target in (target for page in pages for target in self.links[page]):
                targets.append(target)
                self.accept(target)
        for target in targets:
            self.of_url[target] = self.of_url.get(target, 0) + 1
            self.of_site[self.site(target)] = self.of_site.get(self.site(target), 0) + 1
        if self.order == "backlink":
            # Nobody asks for sites of which nothing waits.
            self.told = {site: self.of_site.get(site, 0) for site in map(self.site, self.waiting)}
            self.rank_sites()
