"""A session without some of its pages: what a partition made before those pages were found would have been made from.

Replaying a whole session under a partition of a part of it says what becomes of URLs that no map holds.  Under a
partition of all of it there would be none, and every rule for unknown URLs would look as good as the others.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_array
from xxhash import xxh3_64_intdigest

from partition.assignment.url_prefixes import url_keys
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.graphs.weighted_graph import matrix_of
from sessions.hash_arrays import SPREADING

HELD_OUT = 0.2
"""The share of pages that is held out."""
FOLDS = 5
"""How many hold-outs there are, each of another fifth of the pages."""
_LARGE = 0.05


def directory_of(key: str) -> str:
    """The directory of a key (`partition.assignment.url_prefixes`): all up to the last slash of its path."""
    path = key.partition("?")[0]
    return path[: path.rfind("/") + 1]


def held_out(graph: LinkGraph, share: float = HELD_OUT) -> npt.NDArray[np.bool_]:
    """The pages that are held out, bool[n], about ``share`` of them: whole directories, in the order of their hashes.

    Pages that are new come in directories that are new, far more than one by one: of pages chosen one by one nearly
    all have neighbours that the map knows, which makes rules look better than they turn out to be (docs/foresight.md
    has both beside what came).  A directory with more than a twentieth of all pages is too large for that; of it pages
    are held out by their own hash.  Pages without URLs are therefore all held out so: their stand-ins lie in one
    directory.
    """
    if not len(graph):
        return np.empty(0, bool)
    order, numbers, is_large = _units(graph)
    return _first_units(order, numbers, is_large, round(share * len(graph)))


def folds_of(graph: LinkGraph, count: int = FOLDS) -> Numbers:
    """To which of ``count`` hold-outs of about the same size each page belongs, int64[n]: units as in `held_out`."""
    fold = np.empty(len(graph), np.int64)
    if not len(graph):
        return fold
    order, numbers, is_large = _units(graph)
    places = np.empty(len(graph), np.int64)
    places[order] = np.arange(len(graph))
    # A directory that is cut through belongs where it begins.
    first = np.full(len(is_large), len(graph))
    np.minimum.at(first, numbers, places)
    return np.where(is_large[numbers], places, first[numbers]) * count // len(graph)


def _units(graph: LinkGraph) -> tuple[Numbers, Numbers, npt.NDArray[np.bool_]]:
    """The pages in the order in which they are held out, each one's directory, and which directories are large."""
    directories = pa.array([directory_of(key) for key in url_keys(graph.urls.to_pylist())]).dictionary_encode()
    numbers = directories.indices.to_numpy().astype(np.int64)
    is_large = np.bincount(numbers) > _LARGE * len(graph)
    of_directory = np.array(
        [xxh3_64_intdigest(name.encode()) for name in directories.dictionary.to_pylist()], np.uint64
    )
    # Mixed, because page hash assigns pages by the same hash, which is then no chance.
    of_page = graph.hashes * SPREADING
    return np.argsort(np.where(is_large[numbers], of_page, of_directory[numbers]), kind="stable"), numbers, is_large


def _first_units(
    order: Numbers, numbers: Numbers, is_large: npt.NDArray[np.bool_], count: int
) -> npt.NDArray[np.bool_]:
    """The first ``count`` pages in this order, less those of a directory that would be cut through."""
    held = np.zeros(len(order), bool)
    if 0 < count < len(order):
        last = numbers[order[count - 1]]
        if not is_large[last] and numbers[order[count]] == last:
            count -= int(np.count_nonzero(numbers[order[:count]] == last))
    held[order[:count]] = True
    return held


def without(graph: LinkGraph, left: npt.NDArray[np.bool_]) -> LinkGraph:
    """The graph without these pages, bool[n], as if they had never been found: without the links to them as well."""
    kept = np.flatnonzero(~left)
    sites, numbers = np.unique(graph.sites[kept], return_inverse=True)
    return LinkGraph(
        urls=graph.urls.take(kept),
        hashes=graph.hashes[kept],
        bytes=graph.bytes[kept],
        sites=numbers.astype(np.int64),
        site_names=[graph.site_names[site] for site in sites.tolist()],
        links=_between(graph.links, kept, kept),
        known_urls=graph.known_urls,
        known_hashes=graph.known_hashes,
        known_links=_between(graph.known_links, kept, np.arange(graph.known_links.shape[1])),
        microseconds=None if graph.microseconds is None else graph.microseconds[kept],
        balanced=graph.balanced,
    )


def _between(links: csr_array, rows: Numbers, columns: Numbers) -> csr_array:
    """The links from these pages to those, with the types that a graph's have."""
    part = links[rows][:, columns]
    part.sort_indices()
    starts, targets, costs = part.indptr.astype(np.int64), part.indices.astype(np.int32), part.data.astype(np.int64)
    return matrix_of(starts, targets, costs, part.shape[1])
