"""What a partition is expected to be worth in the next crawl, which finds pages that no map holds.

Known pages are balanced by the cut; what is new goes where the rule for unknown URLs says.  So a fifth of the pages,
whole directories of them, is taken out of the map (`partition.graphs.holdout`), and given back by the rule.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from partition.assignment.url_prefixes import url_keys
from partition.choices import UNKNOWN_RULES
from partition.graphs.holdout import held_out
from partition.graphs.link_graph import LinkGraph
from partition.map.majority_prefixes import majority_prefixes
from partition.map.manifest import Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from partition.measures.imbalance import imbalance
from partition.models.partition_pages import Partition
from sessions.storage.temporary_folder import scratch_folder


@dataclass(frozen=True)
class NextCrawl:
    """The imbalances (largest load over the mean, less one) if a ``new`` share of the pages were not in the map."""

    new: float
    requests_imbalance: float
    storage_imbalance: float


def next_crawl(
    graph: LinkGraph, partition: Partition, unknown: str, shares: tuple[float, ...] | None, scratch: Path
) -> NextCrawl | None:
    """Return what is expected under the rule ``unknown``; None if nothing can be said.

    That is so if the rule asks who finds a page, or the pages have no URLs, or are too few to hold some out.
    ``scratch`` is where a folder for a map may be made.  Raises MapError if there is no room for it.
    """
    rule = UNKNOWN_RULES.load(unknown)
    held = held_out(graph)
    if rule.depends_on_finder or not graph.has_urls or not held.any() or held.all():
        return None
    kept, new = np.flatnonzero(~held), np.flatnonzero(held)
    urls, parts = graph.urls.take(kept).to_pylist(), partition.parts[kept]
    prefixes, prefix_parts = majority_prefixes(url_keys(urls), parts)
    with scratch_folder(".next-crawl-", scratch) as folder:
        write_map(
            folder / "map",
            Origin(partition.model),
            k=partition.k,
            urls=urls,
            hashes=graph.hashes[kept],
            parts=parts,
            prefixes=prefixes,
            prefix_parts=prefix_parts,
        )
        table = PartitionMap.open(folder / "map", verify=False)
        owners = partition.parts.copy()
        owners[new] = rule.owners(table, 0)(graph.hashes[new], graph.urls.take(new).to_pylist())
    pages, sizes = (
        imbalance(weights, owners, partition.k, shares) for weights in (np.ones_like(held, np.int64), graph.bytes)
    )
    return NextCrawl(len(new) / len(graph), pages, sizes)
