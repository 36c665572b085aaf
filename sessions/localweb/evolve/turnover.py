"""Who lives and who dies: pages and sites of an evolving web as a population.

Lives end by Poisson events at each page's own rate, so it makes no difference in how many steps the time passes; births
are drawn day by day from what is alive that morning.  A page that is born and dies in between is never seen.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count

import numpy as np

from sessions.localweb.evolve.rates import Floats, Rates
from sessions.localweb.evolve.snapshot import Flags, Snapshot
from sessions.localweb.generate.link_graph import Ints

_NEW_SITE_PAGES = 100
_LONGEST_DIRECTORY = 1000  # characters
_WORDS = ("notes", "news", "report", "guide", "item", "story", "paper", "talk", "review", "photo", "letter", "event")
DAY = 86_400.0


@dataclass
class Turnover:
    """What became of the pages and sites of a snapshot.

    ``lives[r]``: record r is still there.  ``sites`` are the snapshot's and then the new ones, ``site_lives`` those
    that are still there.  Page b was born at ``born_urls[b]`` on the site ``born_sites[b]``; the first of a new site
    is its root page.
    """

    lives: Flags
    sites: list[str]
    site_lives: Flags
    born_urls: list[str]
    born_sites: list[int]


def turn_over(web: Snapshot, rates: Rates, days: int, rng: np.random.Generator) -> Turnover:
    """Let ``days`` days pass.

    Seeds and root pages die only with their site, and the last site does not die.  What is no page (redirects,
    images, robots.txt) dies only with its site.
    """
    return _Population(web, rates, days, rng).live()


class _Population:
    """Pages and sites with the days on which they end: of records in ``_end``, of the pages since in ``_born_end``."""

    def __init__(self, web: Snapshot, rates: Rates, days: int, rng: np.random.Generator) -> None:
        urls = web.urls[: len(web.entries)]
        self._web = web
        self._rates = rates
        self._days = days
        self._rng = rng
        self._sites = list(web.sites)
        self._site_end = self._site_ends(len(web.sites), 0)
        self._start = datetime.fromtimestamp(web.date, UTC)
        self._known = set(web.urls)
        self._born: list[str] = []
        self._born_site: list[int] = []
        self._born_end: list[float] = []
        self._end = self._ends(urls, web.is_born, 0)
        seeds = set(web.seeds)
        is_lasting = np.array([url in seeds or (url.count("/") == 3 and url.endswith("/")) for url in urls], bool)
        self._end[is_lasting | ~web.is_page] = np.inf
        self._scheme = {int(site): web.urls[r].split(":")[0] for r, site in reversed(list(enumerate(web.site)))}
        hubs = np.flatnonzero(web.is_hub)
        hubs = hubs[np.argsort(web.site[hubs], kind="stable")]
        self._pages = np.split(hubs, np.searchsorted(web.site[hubs], np.arange(1, len(web.sites))))

    def live(self) -> Turnover:
        for day in range(self._days):
            alive = self._alive_by_site(day)
            self._bear_pages(day, alive)
            self._bear_sites(day, alive)
        site_lives = self._site_end > self._days
        site_lives[np.argmax(self._site_end)] = True
        lives = (self._end > self._days) & site_lives[self._web.site]
        stay = [b for b, end in enumerate(self._born_end) if end > self._days and site_lives[self._born_site[b]]]
        return Turnover(
            lives,
            self._sites,
            site_lives,
            [self._born[b] for b in stay],
            [self._born_site[b] for b in stay],
        )

    def _alive_by_site(self, day: int) -> Ints:
        """Living pages of each site, none where the site is dead."""
        web = self._web
        old = np.bincount(web.site[web.is_page & (self._end > day)], minlength=len(self._sites))
        born = np.array(self._born_site, np.int64)[np.array(self._born_end) > day]
        alive: Ints = (old + np.bincount(born, minlength=len(self._sites))) * (self._site_end > day)
        return alive

    def _bear_pages(self, day: int, alive: Ints) -> None:
        births = self._rng.poisson(self._rates.births * alive)
        for site in np.flatnonzero(births).tolist():
            self._bear(site, [self._new_url(site, day) for _ in range(births[site])], day)

    def _bear_sites(self, day: int, alive: Ints) -> None:
        """New sites, each as large as one that is there, up to a hundred pages."""
        living = np.flatnonzero(alive)
        births = int(self._rng.poisson(self._rates.new_sites * len(living)))
        for size in np.minimum(alive[self._rng.choice(living, births)], _NEW_SITE_PAGES).tolist() if births else []:
            site = len(self._sites)
            host = self._new_host(day)
            self._sites.append(host)
            self._site_end = np.concatenate((self._site_end, self._site_ends(1, day)))
            self._bear(site, [f"http://{host}/"], day)
            self._born_end[-1] = np.inf
            self._bear(site, [self._new_url(site, day) for _ in range(size - 1)], day)

    def _bear(self, site: int, urls: list[str], day: int) -> None:
        self._born += urls
        self._born_site += [site] * len(urls)
        self._born_end += self._ends(urls, np.ones(len(urls), bool), day).tolist()

    def _ends(self, urls: list[str], is_born: Flags, day: int) -> Floats:
        rates = self._rates.death_rates(urls, is_born)
        lives = self._rng.standard_exponential(len(urls))
        ends: Floats = day + np.divide(lives, rates, out=np.full(len(urls), np.inf), where=rates > 0)
        return ends

    def _site_ends(self, sites: int, day: int) -> Floats:
        rate = self._rates.site_deaths
        return day + (self._rng.exponential(1 / rate, sites) if rate else np.full(sites, np.inf))

    def _new_url(self, site: int, day: int) -> str:
        """An address that was never used, in the directory of one of the site's pages."""
        pages = self._pages[site] if site < len(self._pages) else ()
        path = "/"
        if len(pages):
            url = self._web.urls[pages[int(self._rng.integers(len(pages)))]].partition("?")[0]
            path = "/" + url.split("/", 3)[3].rpartition("/")[0] + "/"
            path = path if path != "//" and len(path) < _LONGEST_DIRECTORY else "/"
        word = _WORDS[int(self._rng.integers(len(_WORDS)))]
        stem = f"{self._scheme.get(site, 'http')}://{self._sites[site]}{path}{word}-{self._date(day)}"
        urls = (f"{stem}-{number}.html" for number in count(len(self._born)))
        url = next(url for url in urls if url not in self._known)
        self._known.add(url)
        return url

    def _new_host(self, day: int) -> str:
        hosts = (f"www.n{self._date(day)}-{number}.example" for number in count(len(self._sites)))
        return next(host for host in hosts if host not in self._sites)

    def _date(self, day: int) -> str:
        return (self._start + timedelta(days=day + 1)).strftime("%Y%m%d")
