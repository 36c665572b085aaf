"""Who links to whom after some days: links that edits replace, links of new pages, links to new pages.

Numbers are those of the snapshot's URLs, then the pages born since (from ``len(web.urls)`` on).  New links are drawn by
`copying_model`.  Then every new page is linked from its site's root, or from another page that was edited anyway, by
preference one in its directory; and nearly all pages that lost their last way in are linked again, as authors do
who see to it that their pages can be found.
"""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from sessions.localweb.evolve.copying_model import LinkCopier
from sessions.localweb.evolve.rates import Rates
from sessions.localweb.evolve.reach import Reach
from sessions.localweb.evolve.snapshot import Snapshot
from sessions.localweb.evolve.turnover import Turnover
from sessions.localweb.generate.link_graph import Ints

_HUB_SKEW = 2.0  # the linker of a new page: floor(hubs * u^skew), the root being hub 0
_REMEMBERED = 0.95  # of the pages that edits and deaths would cut off, how many are linked again
_LINKS_SIGMA = 0.5  # of the lognormal number of links of a page, as in `roles`
_NEAR = 0.5  # how often it is a hub in the page's own directory, if there is one


@dataclass
class Rewiring:
    """What becomes of the links.

    ``edits[r]``: how often record r was edited; ``cut[r]``: URL numbers whose links go; ``drawn[p]``: links that come
    anywhere in page p; ``listed[p]``: links that must be seen there.  ``seeds`` is where a crawl starts.
    ``unreached`` pages cannot be reached from the seeds, ``unreached_before`` is the number of such in the snapshot.
    """

    edits: Ints
    cut: dict[int, Ints] = field(default_factory=dict)
    drawn: dict[int, list[int]] = field(default_factory=dict)
    listed: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    seeds: list[int] = field(default_factory=list)
    unreached: int = 0
    unreached_before: int = 0

    def is_revised(self, record: int) -> bool:
        """Whether a record is edited, be it only for a link."""
        return bool(self.edits[record]) or record in self.listed

    def added(self, page: int) -> set[int]:
        """The URLs that a page links to because of drawn and listed links."""
        return {*self.drawn.get(page, ()), *self.listed.get(page, ())}


def rewire(web: Snapshot, turnover: Turnover, rates: Rates, days: int, rng: np.random.Generator) -> Rewiring:
    """Draw the edits of the pages that live on, and the links of all pages."""
    return _Rewiring(web, turnover, rates, days, rng).done()


class _Rewiring:
    def __init__(self, web: Snapshot, turnover: Turnover, rates: Rates, days: int, rng: np.random.Generator) -> None:
        self._web = web
        self._turnover = turnover
        self._rates = rates
        self._rng = rng
        records, others = len(web.entries), len(web.urls) - len(web.entries)
        self._first_born = len(web.urls)
        self._site = [*web.site.tolist(), *([-1] * others), *turnover.born_sites]
        self._exists = [*turnover.lives.tolist(), *([False] * others), *([True] * len(turnover.born_urls))]
        edits = rng.poisson(rates.edit_rates(web.urls[:records]) * days)
        self._plan = Rewiring(np.where(turnover.lives & web.is_editable, edits, 0))
        self._follow: list[Ints | list[int]] = [
            targets[followed] for targets, followed in zip(web.targets, web.is_followed, strict=True)
        ]
        self._hubs_in: defaultdict[str, list[int]] = defaultdict(list)
        self._follow += [[] for _ in range(others)]
        number = {url: record for record, url in enumerate(web.urls[:records])}
        self._old_seeds = [number[seed] for seed in web.seeds]
        self._plan.seeds = [seed for seed in self._old_seeds if self._exists[seed]] + self._new_roots()

    def done(self) -> Rewiring:
        before = Reach(self._follow, [True] * len(self._web.entries), self._old_seeds)
        pages = np.flatnonzero(self._web.is_page).tolist()
        self._plan.unreached_before = sum(page not in before for page in pages)
        self._members = self._members_by_site(before)
        copier = LinkCopier(self._members, self._site, self._exists, self._links_of, self._rng)
        self._edit_links(copier)
        self._link_born(copier)
        reach = Reach(self._follow, self._exists, self._plan.seeds)
        self._hubs = self._hubs_by_site(reach)
        roots = set(self._plan.seeds)
        for page in range(self._first_born, len(self._exists)):
            self._place(page, reach, is_elsewhere=page in roots)
        living = [page for page in pages if self._exists[page]]
        for page in living:
            if page in before and page not in reach and self._rng.random() < _REMEMBERED:
                self._place(page, reach, is_elsewhere=False)
        self._plan.unreached = sum(page not in reach for page in living)
        return self._plan

    def _new_roots(self) -> list[int]:
        old = len(self._web.sites)
        first: dict[int, int] = {}
        for born, site in enumerate(self._turnover.born_sites):
            if site >= old:
                first.setdefault(site, self._first_born + born)
        return list(first.values())

    def _members_by_site(self, before: Reach) -> list[Ints]:
        """The living pages of each site that can be known, because they could be reached or are new; seeds first."""
        seeds = set(self._plan.seeds)
        members: list[list[int]] = [[] for _ in self._turnover.sites]
        for page, exists in enumerate(self._exists):
            if exists and (page >= self._first_born or (self._web.is_page[page] and page in before)):
                members[self._site[page]].append(page)
        return [np.array(sorted(own, key=lambda page: page not in seeds), np.int64) for own in members]

    def _links_of(self, page: int) -> Ints:
        drawn = self._plan.drawn.get(page, ()) if page >= self._first_born else self._web.targets[page]
        return np.asarray(drawn, np.int64)

    def _edit_links(self, copier: LinkCopier) -> None:
        kept_per_edit = 1 - self._rates.link_edits_per_edit
        for page in np.flatnonzero(self._plan.edits).tolist():
            targets, is_loose = self._web.targets[page], self._web.is_loose[page]
            lost = 1 - kept_per_edit ** int(self._plan.edits[page])
            is_cut = is_loose & (self._rng.random(len(targets)) < lost)
            links = int(self._rng.poisson(lost * np.count_nonzero(is_loose)))
            drawn = copier.draw(page, targets, links, set(targets.tolist()))
            if is_cut.any():
                self._plan.cut[page] = targets[is_cut]
            if drawn:
                self._plan.drawn[page] = drawn
            if is_cut.any() or drawn:
                follow = targets[self._web.is_followed[page] & ~is_cut].tolist()
                self._follow[page] = follow + (drawn if self._web.is_hub[page] else [])

    def _link_born(self, copier: LinkCopier) -> None:
        """New pages have as many links as the old ones, many of them those of a page in their directory."""
        pages = np.flatnonzero(self._web.is_page).tolist()
        mean = sum(len(self._web.targets[page]) for page in pages) / len(pages)
        siblings = defaultdict(list)
        for members in self._members:
            for page in members.tolist():
                siblings[self._directory(page)].append(page)
        born = len(self._turnover.born_urls)
        wanted = self._rng.lognormal(-(_LINKS_SIGMA**2) / 2, _LINKS_SIGMA, born) * mean
        for page, links in enumerate(np.maximum(1, np.round(wanted)).astype(int).tolist(), self._first_born):
            near = np.array(siblings[self._directory(page)], np.int64)
            self._plan.drawn[page] = copier.draw(page, near, links, set())
            self._follow.append(list(self._plan.drawn[page]))

    def _directory(self, page: int) -> str:
        born = page - self._first_born
        url = self._turnover.born_urls[born] if born >= 0 else self._web.urls[page]
        return url.partition("?")[0].rpartition("/")[0]

    def _hubs_by_site(self, reach: Reach) -> list[list[int]]:
        """Pages of each site that may get a link: the seeds, and what was edited anyway and can be reached."""
        hubs: list[list[int]] = [[] for _ in self._turnover.sites]
        spare: list[list[int]] = [[] for _ in self._turnover.sites]
        seeds = set(self._plan.seeds)
        for site, members in enumerate(self._members):
            for page in members.tolist():
                if page < self._first_born and self._web.is_hub[page] and page in reach:
                    (hubs if page in seeds or self._plan.edits[page] else spare)[site].append(page)
            hubs[site] = hubs[site] or spare[site][:1]
            for page in hubs[site]:
                self._hubs_in[self._directory(page)].append(page)
        return hubs

    def _place(self, page: int, reach: Reach, *, is_elsewhere: bool) -> None:
        """Link to a page from a hub of its site (or, for a new site's root, of another); none at all makes a seed."""
        hubs = self._hubs_for(page, is_elsewhere=is_elsewhere)
        if hubs:
            self._link(hubs[int(len(hubs) * self._rng.random() ** _HUB_SKEW)], page)
        elif page not in self._plan.seeds:
            self._plan.seeds.append(page)
        reach.grow(page)
        if page >= self._first_born:
            self._hubs[self._site[page]].append(page)
            self._hubs_in[self._directory(page)].append(page)

    def _hubs_for(self, page: int, *, is_elsewhere: bool) -> list[int]:
        site = self._site[page]
        near = self._hubs_in.get(self._directory(page))
        if near and not is_elsewhere and self._rng.random() < _NEAR:
            return near
        if self._hubs[site] and not is_elsewhere:
            return self._hubs[site]
        others = [other for other, own in enumerate(self._hubs) if own and other != site]
        return self._hubs[others[int(self._rng.integers(len(others)))]] if others else []

    def _link(self, hub: int, page: int) -> None:
        """Make a hub lead to a page: by leaving a link where it was going to be cut, or by a new one."""
        known = self._follow[hub]
        if page in known:
            return
        self._follow[hub] = [*map(int, known), page]
        cut = self._plan.cut.get(hub)
        if cut is not None and page in cut and page in self._web.targets[hub][self._web.is_followed[hub]]:
            self._plan.cut[hub] = cut[cut != page]
        else:
            self._plan.listed[hub].append(page)
