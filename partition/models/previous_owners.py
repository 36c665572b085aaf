"""Who owned the pages of a session before: an earlier partition map, looked at from a new session's pages."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from partition.assignment.assignment import Owners
from partition.graphs.group_sums import largest_columns, summed_rows
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap


@dataclass(frozen=True)
class Previous:
    """An earlier map's word on n pages.

    Attributes:
        parts: K of that map.
        owners: int32[n], the part that the map gives each page, -1 if it does not hold it.
        carried: int32[n] in [0, parts), the same with pages that it does not hold given to parts by its rule for
            unknown URLs (by prefix, if that is whoever discovers them).
    """

    parts: int
    owners: Owners
    carried: Owners

    def held(self, graph: LinkGraph, vertices: Numbers, count: int, k: int) -> csr_array:
        """Bytes of each of ``count`` vertices that each of k parts held: int64 CSR [count, k].

        ``vertices``, int64[n], has each page's vertex.  What parts beyond k held is lost to all alike and left out.
        """
        pages = np.flatnonzero((self.owners >= 0) & (self.owners < k) & (graph.bytes > 0))
        entries = csr_array((graph.bytes[pages], (pages, self.owners[pages])), shape=(len(graph), k))
        return summed_rows(entries, vertices, count)

    def carried_by(self, graph: LinkGraph, vertices: Numbers, count: int) -> Owners:
        """The part that owns most bytes of each vertex, int32[count]; of several the lowest."""
        weights = graph.bytes + 1  # pages without bytes count as well
        entries = csr_array((weights, (np.arange(len(graph)), self.carried)), shape=(len(graph), self.parts))
        return largest_columns(summed_rows(entries, vertices, count))


def previous_owners(table: PartitionMap, graph: LinkGraph) -> Previous:
    """What a map says of a graph's pages; they need not be of the session that it was made from."""
    assignment = PartitionAssignment(table, 0).for_seeds()
    urls = graph.urls.to_pylist()
    return Previous(table.parts, table.parts_of(graph.hashes, urls), assignment.owners(graph.hashes, urls))
