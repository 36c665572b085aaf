"""The pages of all ranks on rank 0, which writes the map."""

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.graphs.link_graph import PLACEHOLDER_HOST, LinkGraph
from partition.shares.link_share import LinkShare


def gathered_pages(links: LinkShare, parts: Owners) -> tuple[LinkGraph | None, Owners]:
    """All pages, in order, as a graph without links, and their parts, int32[n]; None and no parts on other ranks.

    ``parts`` are those of this rank's pages.  Sites are not told apart.
    """
    ranks = links.ranks
    owners = np.zeros(len(links), np.int64)
    (hashes, sizes, every), _ = ranks.sent(owners, links.hashes, links.bytes, parts)
    urls = ranks.sent_texts(owners, links.urls)
    if ranks.rank:
        return None, every
    count = len(hashes)
    graph = LinkGraph(
        urls=urls,
        hashes=hashes,
        bytes=sizes,
        sites=np.zeros(count, np.int64),
        site_names=["" if links.has_urls else PLACEHOLDER_HOST],
        links=csr_array((count, count), dtype=np.int64),
        known_urls=urls[:0],
        known_hashes=hashes[:0],
        known_links=csr_array((count, 0), dtype=np.int64),
    )
    return graph, every
