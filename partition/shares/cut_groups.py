"""The models `site` and `prefix` by all ranks: pages are grouped first, and groups are what is cut.

A site lies whole on one rank (`link_share.read_link_share`), so each rank groups its own pages exactly as one process
groups all.  What that costs is memory where a site is larger than a rank's share of the links.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from partition.assignment.assignment import Owners
from partition.assignment.url_prefixes import url_keys
from partition.choices import MODELS
from partition.cut.portfolio import Candidate
from partition.graphs.link_graph import GraphError, Numbers, too_many_parts_error
from partition.map.majority_prefixes import majority_beneath
from partition.map.write_map import Prefixes
from partition.models.grouping import site_groups
from partition.models.model import Grouping
from partition.models.prefix import prefix_groups
from partition.shares.cut_shares import Cutting, cut_shares
from partition.shares.link_share import LinkShare
from sessions.progress import Say

GROUPINGS: dict[str, Callable[[list[str], Numbers, int, Numbers], Grouping]] = {
    "site": lambda urls, _weights, _k, _whole: site_groups(urls),
    "prefix": prefix_groups,
}
"""By model, the groups of URLs that weigh so much, int64[n, w], for k parts; all ranks' weigh ``whole``, int64[w]."""


class GroupsCut(NamedTuple):
    """What was cut and how.

    Attributes:
        best: the candidate that won, with the parts of this rank's pages, int32[n].
        prefixes: all ranks' groups and their parts; None if pages were cut one by one.
        vertices: how many groups with pages (or pages) all ranks have.
    """

    best: Candidate
    prefixes: Prefixes | None
    vertices: int


def cut_groups(links: LinkShare, model: str, asked: Cutting, progress: Say, *, of_links: bool) -> GroupsCut:
    """Cut the pages of all ranks by a model of `GROUPINGS`.

    Raises on all ranks GraphError if there are no URLs, or fewer groups than parts, and what `cut_shares` raises.
    """
    ranks, k = links.ranks, asked.balance.parts
    if not links.has_urls:
        raise GraphError(f"the {model} model needs URLs, and this session was imported without any")
    urls, whole = links.urls.to_pylist(), ranks.summed(links.weights.sum(axis=0))
    grouping = GROUPINGS[model](urls, links.weights, k, whole)
    peopled, vertices = np.unique(grouping.groups, return_inverse=True)
    count = ranks.total(len(peopled))
    if count < k:
        raise too_many_parts_error(k, count, MODELS.load(model).unit)
    best = cut_shares(links, asked, progress, of_links=of_links, groups=vertices.astype(np.int64))
    parts = best.parts[vertices]
    own = _parts_of_prefixes(urls, parts, grouping, peopled, best.parts)
    texts = [text for its in ranks.together(grouping.prefixes) for text in its]
    return GroupsCut(best._replace(parts=parts), Prefixes(texts, ranks.gathered(own)), count)


def _parts_of_prefixes(
    urls: list[str], parts: Owners, grouping: Grouping, peopled: Numbers, parts_of_peopled: Owners
) -> Owners:
    """The part of each group; of one without pages that of most pages beneath its prefix."""
    found = np.zeros(grouping.count, np.int32)
    found[peopled] = parts_of_peopled
    empty = np.setdiff1d(np.arange(grouping.count), peopled)
    prefixes = [grouping.prefixes[group] for group in empty.tolist()]
    found[empty] = majority_beneath(url_keys(urls), parts, prefixes)
    return found
