"""Which pages of a made web are out of the ordinary, and which URLs answer with a redirect or not at all.

Special parts are played by leaves of the sites' trees, since nothing is found only through a leaf: a crawler that
takes no links from framesets, or skips what robots.txt forbids, still finds all the rest.
"""

from dataclasses import dataclass

import numpy as np

from sessions.localweb.generate.link_graph import Ints, Links, Trees

CHARSETS = ("iso-8859-1", "shift_jis")
DELAY_SECONDS = 0.3
_CHAIN = 4  # redirects 0 -> 1 -> 2 -> 3 -> a page
_LOOP = 2  # redirects 4 -> 5 -> 4
_MOST_SLOW = 20


@dataclass(frozen=True)
class Roles:
    """Pages by role.  No page has two, except that ``original[p] != p`` says whose body page p repeats.

    ``charset`` maps a page to its index in `CHARSETS`; ``in_meta`` are those that say so only in the HTML.
    """

    original: Ints
    framesets: frozenset[int]
    private: frozenset[int]
    slow: frozenset[int]
    based: frozenset[int]
    charset: dict[int, int]
    in_meta: frozenset[int]


@dataclass(frozen=True)
class Ghosts:
    """URLs that are linked but are no pages: redirects first, then missing ones.  ``site[g]`` is where g lives.

    ``leads_to[r]`` is a page, or ``pages + r2`` for another redirect r2.  Redirects and missing URLs are numbered
    on from the pages wherever links are meant.
    """

    redirects: int
    site: Ints
    leads_to: Ints


def cast_roles(trees: Trees, rng: np.random.Generator) -> Roles:
    """Give every role to some leaves: each to one page in a hundred or fewer, but to at least one where possible."""
    pages = len(trees.site)
    leaves = rng.permutation(np.flatnonzero((trees.children == 0) & (trees.parent >= 0)))
    taken = 0

    def take(share: float, most: int = pages) -> Ints:
        nonlocal taken
        count = min(max(1, round(pages * share)), most)
        chosen = leaves[taken : taken + count]
        taken += count
        return chosen

    latin, japanese = take(0.006), take(0.006)
    slow, framesets, based, private = take(0.001, _MOST_SLOW), take(0.003), take(0.005), take(0.01)
    original = np.arange(pages)
    copies = take(0.01)
    original[copies] = _originals(trees, copies, rng)
    return Roles(
        original=original,
        framesets=frozenset(framesets.tolist()),
        private=frozenset(private.tolist()),
        slow=frozenset(slow.tolist()),
        based=frozenset(based.tolist()),
        charset={int(page): charset for charset, group in enumerate((latin, japanese)) for page in group},
        in_meta=frozenset(latin[::2].tolist()) | frozenset(japanese[::2].tolist()),
    )


def _originals(trees: Trees, copies: Ints, rng: np.random.Generator) -> Ints:
    """A parent's body for most copies, any root's for the others (a mirror); neither is a copy itself."""
    roots = trees.start[rng.integers(0, len(trees.start) - 1, len(copies))]
    return np.where(rng.random(len(copies)) < 0.75, trees.parent[copies], roots)


def outgoing_links(roles: Roles, mean: float, rng: np.random.Generator) -> Ints:
    """How many links each page should have: lognormal with the mean asked for; framesets three, copies none."""
    pages = len(roles.original)
    weights = rng.lognormal(0.0, 0.5, pages)
    outgoing: Ints = np.maximum(1, np.round(weights * mean / weights.mean())).astype(np.int64)
    outgoing[roles.original != np.arange(pages)] = 0
    outgoing[list(roles.framesets)] = 3
    return outgoing


def draw_ghosts(trees: Trees, rng: np.random.Generator) -> Ghosts:
    """Redirects (one for a hundred pages, a chain and a loop among them) and half as many missing URLs."""
    pages = len(trees.site)
    redirects = max(_CHAIN + _LOOP + 2, pages // 100)
    home = rng.integers(0, pages, redirects + max(2, pages // 200))
    leads_to = home[:redirects].copy()
    afar = rng.random(redirects) < 0.2
    leads_to[afar] = rng.integers(0, pages, np.count_nonzero(afar))
    leads_to[: _CHAIN - 1] = pages + np.arange(1, _CHAIN)
    leads_to[_CHAIN : _CHAIN + _LOOP] = pages + np.array([_CHAIN + 1, _CHAIN])
    return Ghosts(redirects, trees.site[home], leads_to)


def link_ghosts(trees: Trees, roles: Roles, ghosts: Ghosts, rng: np.random.Generator) -> Links:
    """One or two links from pages of the same site to every redirect and every missing URL."""
    pages = len(trees.site)
    ghost = np.repeat(np.arange(len(ghosts.site)), rng.integers(1, 3, len(ghosts.site)))
    site = ghosts.site[ghost]
    sizes = trees.start[site + 1] - trees.start[site]
    source = trees.start[site] + np.floor(sizes * rng.random(len(ghost))).astype(np.int64)
    mute = (roles.original[source] != source) | np.isin(source, list(roles.framesets | roles.private))
    source[mute] = trees.start[site[mute]]
    keys = np.unique(source * (pages + len(ghosts.site)) + pages + ghost)
    return Links(*np.divmod(keys, pages + len(ghosts.site)))
