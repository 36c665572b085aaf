"""Where a replay starts: at the recorded seeds, and where they lead nowhere, at the sources of the links.

A recording may have pages that no link from its seeds leads to: in a session made from WARC files or from a list of
links nothing is said of seeds at all.  A replay that is to fetch every page needs, beside the seeds, one page of each
strongly connected component that no link enters; that is the least number, and enough.
"""

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

Numbers = npt.NDArray[np.int64]


def seeds_of(starts: Numbers, targets: Numbers, is_followed: npt.NDArray[np.bool_], recorded: Numbers) -> Numbers:
    """The recorded seeds, and the fewest other pages from which, together, every page can be reached; ascending.

    Of n pages: ``starts`` int64[n + 1] and ``targets`` int64[E] are their links, of which only those followed lead
    on, and only those to pages (below n).  Of a component the first page is taken.  Those of the ``recorded`` seeds
    that are no pages stay what they are.
    """
    pages = len(starts) - 1
    sources = np.repeat(np.arange(pages, dtype=np.int64), np.diff(starts))
    leads_on = is_followed & (targets < pages)
    sources, targets = sources[leads_on], targets[leads_on]
    links = csr_array((np.ones(len(sources), np.int8), (sources, targets)), shape=(pages, pages))
    count, components = connected_components(links, directed=True, connection="strong")
    is_entered = np.zeros(count, bool)
    crosses = components[sources] != components[targets]
    is_entered[components[targets[crosses]]] = True
    is_reached = is_entered
    is_reached[components[recorded[recorded < pages]]] = True
    first = np.full(count, pages, np.int64)
    np.minimum.at(first, components, np.arange(pages, dtype=np.int64))
    return np.union1d(recorded, first[~is_reached]).astype(np.int64)
