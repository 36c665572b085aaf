"""Where new links lead: to what other pages link to, as in the copying model of the web.

An author who adds a link knows some other page and copies a link from it (Kumar, Raghavan, Rajagopalan, Sivakumar,
Tomkins and Upfal, Stochastic models for the Web graph, FOCS 2000).  So popular pages become more popular, and
links stay in the neighbourhood, and within a site, as much as they do in the web that evolves, whatever that is.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sessions.localweb.generate.link_graph import Ints

_NEAR = 0.45  # how often the page copied from is one that the author's page links to; else any of the site
_COPY = 0.8  # how often one of its links is copied; else the page itself is linked to
_ATTEMPTS = 8


class LinkCopier:
    """Draws targets.

    ``members[s]`` are the pages of site s that an author may know, ``site[p]`` is the site of page p (-1 for what is
    no page of any), ``exists[p]`` says whether it can be linked to; ``links_of(p)`` are the links to copy from p.
    """

    def __init__(
        self,
        members: Sequence[Ints],
        site: Sequence[int],
        exists: Sequence[bool],
        links_of: Callable[[int], Ints],
        rng: np.random.Generator,
    ) -> None:
        self._members = members
        self._everyone = np.concatenate([np.zeros(0, np.int64), *members])
        self._site = site
        self._exists = exists
        self._links_of = links_of
        self._rng = rng

    def draw(self, page: int, near: Ints, links: int, taken: set[int]) -> list[int]:
        """Up to ``links`` distinct targets for a page, none of them in ``taken``; fewer if it is hard to find more.

        ``near`` are the pages to look at for links in the neighbourhood.
        """
        drawn: dict[int, None] = {}
        for attempt in range(_ATTEMPTS):
            missing = links - len(drawn)
            if missing <= 0:
                break
            favour = 1.0 / (1 + attempt)  # what is missing late is missing on small sites
            for chance in self._rng.random((missing, 4)).tolist():
                target = self._target(page, near, favour, *chance)
                if target != page and target not in taken:
                    drawn[target] = None
        return list(drawn)

    def _target(self, page: int, near: Ints, favour: float, where: float, who: float, how: float, what: float) -> int:
        model = self._model(page, near, favour, where, who)
        if how < _COPY * favour:
            links = self._links_of(model)
            if len(links):
                target = int(links[int(what * len(links))])
                if self._exists[target]:
                    return target
        return model

    def _model(self, page: int, near: Ints, favour: float, where: float, who: float) -> int:
        """The page to copy from."""
        if where < _NEAR * favour and len(near):
            neighbour = int(near[int(who * len(near))])
            if self._exists[neighbour] and self._site[neighbour] == self._site[page]:
                return neighbour
        own = self._members[self._site[page]]
        pages = own if len(own) and favour > 0.2 else self._everyone
        return int(pages[int(who * len(pages))])
