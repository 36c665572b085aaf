"""Who links to whom in a made web: sites of heavy-tailed sizes, a tree on each, and links that favour what is popular.

Pages are numbered site by site; a site's first page is its root.  On a site, the pages form a random recursive tree
in which every page is linked by its parent, so that following links from the root finds the whole site.  The other
links go to popular pages of the site, to the neighbourhood in the tree, or to other sites.  All of it is computed
on whole arrays: a web of a million links takes about a second.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_TREE_SKEW = 2.0  # parent = floor(page * u^skew): the root gets about 2 sqrt(n) children, paths grow with log n
_POPULAR_SKEW = 2.5  # target = floor(n * u^skew): in-degrees fall off as rank^-0.6
_ABROAD_SKEW = 4.0  # links from other sites go to the front pages, mostly
_INSIDE = 0.92  # of the links that are tried; what is left after duplicates are dropped is nearer 0.82
_NEAR = 0.45  # of the inside links: to siblings and the parent's siblings, as menus do


@dataclass(frozen=True)
class Trees:
    """The pages of each site and the tree they form.

    ``start[s]:start[s + 1]`` are the pages of site s, ``site[p]`` is the site of page p, ``parent[p]`` its parent in
    the tree (a lower number; -1 for a root), ``children[p]`` how many pages it is the parent of.
    """

    start: Ints
    site: Ints
    parent: Ints
    children: Ints

    @property
    def local(self) -> Ints:
        """Each page's number within its site, the root being 0."""
        return np.arange(len(self.site)) - self.start[self.site]


@dataclass(frozen=True)
class Links:
    """Distinct links without self-links, sorted by source: link i goes from ``source[i]`` to ``target[i]``."""

    source: Ints
    target: Ints

    def bounds(self, pages: int) -> Ints:
        """Where each page's links begin, and the end: the links of p are ``bounds[p]:bounds[p + 1]``."""
        return np.searchsorted(self.source, np.arange(pages + 1))


def site_sizes(sites: int, pages: int, rng: np.random.Generator, skew: float = 1.0) -> Ints:
    """Pages of each site, at least one, falling off as 1 / rank ** skew, in random order; they sum to ``pages``."""
    weights = np.arange(1, sites + 1) ** -skew
    sizes = 1 + np.floor(weights / weights.sum() * (pages - sites)).astype(np.int64)
    sizes[: pages - int(sizes.sum())] += 1
    return rng.permutation(sizes)


def grow_trees(sizes: Ints, rng: np.random.Generator) -> Trees:
    """A random recursive tree on each site, in which early pages have many children."""
    start = np.concatenate(([0], np.cumsum(sizes)))
    site = np.repeat(np.arange(len(sizes)), sizes)
    local = np.arange(len(site)) - start[site]
    parent = start[site] + np.floor(local * rng.random(len(site)) ** _TREE_SKEW).astype(np.int64)
    parent[local == 0] = -1
    children = np.bincount(parent[parent >= 0], minlength=len(site))
    return Trees(start, site, parent, children)


def tree_links(trees: Trees) -> Links:
    """The link from every page's parent to it."""
    child = np.flatnonzero(trees.parent >= 0)
    order = np.argsort(trees.parent[child], kind="stable")
    return Links(trees.parent[child][order], child[order])


def draw_links(trees: Trees, outgoing: Ints, rng: np.random.Generator) -> Links:
    """The tree's links and random ones: ``outgoing[p]`` distinct links from page p, where the web is large enough.

    A page has at least its tree's links; where distinct targets run out (a small web, many links) it has fewer.
    """
    pages = len(trees.site)
    tree = tree_links(trees)
    tree_keys = tree.source * pages + tree.target
    keys = tree_keys
    for attempt in range(10):
        missing = np.maximum(outgoing - np.bincount(keys // pages, minlength=pages), 0)
        if not missing.any():
            break
        source = np.repeat(np.arange(pages), missing)
        target = _draw_targets(trees, tree, source, 1.0 / (1 + attempt), rng)
        fresh = (source * pages + target)[source != target]
        keys = np.unique(np.concatenate((keys, fresh)))
    return Links(keys // pages, keys % pages)


def _draw_targets(trees: Trees, tree: Links, source: Ints, favour: float, rng: np.random.Generator) -> Ints:
    """A random target for each link, inside the source's site or outside; ``favour`` (to 1) says how unevenly."""
    u = rng.random(len(source))
    choice = rng.random(len(source))
    target = _popular(trees, trees.site[source], u ** (1 + favour * (_POPULAR_SKEW - 1)))
    near = choice < _INSIDE * _NEAR * favour
    target[near] = _neighbour(trees, tree, source[near], rng)
    abroad = choice >= (_INSIDE if favour > 0.2 else 0.5)  # what is missing late is missing on small sites
    elsewhere = trees.site[rng.integers(0, len(trees.site), np.count_nonzero(abroad))]
    target[abroad] = _popular(trees, elsewhere, u[abroad] ** (1 + favour * (_ABROAD_SKEW - 1)))
    return target


def _popular(trees: Trees, site: Ints, position: npt.NDArray[np.float64]) -> Ints:
    """The page at a relative position (0 to 1) of each site."""
    sizes = trees.start[site + 1] - trees.start[site]
    return trees.start[site] + np.floor(sizes * position).astype(np.int64)


def _neighbour(trees: Trees, tree: Links, source: Ints, rng: np.random.Generator) -> Ints:
    """A random child of each page's parent, of its grandparent or of itself; pages without any stay themselves."""
    up = rng.integers(0, 3, len(source))
    above = source.copy()
    for level in (1, 2):
        climbing = (up >= level) & (trees.parent[above] >= 0)
        above[climbing] = trees.parent[above[climbing]]
    first = np.searchsorted(tree.source, above)
    count = trees.children[above]
    chosen = first + np.floor(rng.random(len(source)) * count).astype(np.int64)
    found = above.copy()
    has_children = count > 0
    found[has_children] = tree.target[chosen[has_children]]
    return found
