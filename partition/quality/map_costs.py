"""What a partition costs as the map that every rank of a crawl holds: its size, and how fast it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

import numpy as np

from partition.assignment.assignment import Assignment, Owners
from partition.graphs.link_graph import LinkGraph, Numbers
from partition.map.manifest import Origin
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from partition.map.prefix_table import make_trie, numbers_in
from partition.map.write_map import write_map
from partition.models.partition_pages import Partition
from sessions.session import DISCOVERER
from sessions.url import Hashes

BATCH = 10_000
"""URLs asked for at a time when lookups are timed."""
_MOST_LOOKED_UP = 200_000
_LEAST_SECONDS = 0.1


@dataclass(frozen=True)
class Lookup:
    """An assignment as ranks ask it.

    Attributes:
        assignment: what is asked.
        known_owners: the owners of the URLs only seen, int32[u]; None if whoever finds one owns it.
        numbers: the pages' numbers in the URL table, int64[n].
        map_bytes: bytes of the files that a rank maps into its memory; 0 if it needs none.
    """

    assignment: Assignment
    known_owners: Owners | None
    numbers: Numbers
    map_bytes: int


def lookup_in_map(graph: LinkGraph, urls: Sequence[str], partition: Partition, unknown: str, folder: Path) -> Lookup:
    """Write a partition's map into ``folder``, which is new, and open it as a crawl does.

    ``urls`` are those of the graph's pages, ``unknown`` is the rule for URLs that the map does not hold.  Raises
    MapError if it cannot be written, RuntimeError if it does not say what the partition says.
    """
    manifest = write_map(
        folder,
        Origin(partition.model),
        k=partition.k,
        urls=urls,
        hashes=graph.hashes,
        parts=partition.parts,
        prefixes=partition.prefixes,
        prefix_parts=partition.prefix_parts,
        unknown=unknown,
    )
    table = PartitionMap.open(folder)
    if not np.array_equal(table.parts_of(graph.hashes, urls), partition.parts):
        raise RuntimeError(f"{folder}: the map does not have the parts that were written")
    assignment = PartitionAssignment(table, 0)
    known = None if unknown == DISCOVERER else _known_owners(graph, assignment)
    return Lookup(assignment, known, table.numbers(graph.hashes, urls), manifest.mapped_bytes)


def lookup_by_hash(graph: LinkGraph, urls: Sequence[str], assignment: Assignment) -> Lookup:
    """A hash assignment, which needs no map.

    Its pages are numbered as in a map of the same URLs, of one shard, so that bytes on the wire can be compared.
    """
    trie = make_trie(urls)
    return Lookup(assignment, _known_owners(graph, assignment), numbers_in(trie, urls), 0)


def lookups_per_second(assignment: Assignment, hashes: Hashes, urls: Sequence[str], seed: int) -> float:
    """How many owners of known URLs one rank can look up in a second, in batches of `BATCH` in random order."""
    order = np.random.default_rng(seed).permutation(len(hashes))[:_MOST_LOOKED_UP]
    in_order, texts = hashes[order], [urls[place] for place in order.tolist()]
    limits = [*range(0, len(order), BATCH), len(order)]
    batches = [(in_order[begin:end], texts[begin:end]) for begin, end in pairwise(limits)]
    asked, spent = 0, 0.0
    while spent < _LEAST_SECONDS:
        began = perf_counter()
        for batch in batches:
            assignment.owners(*batch)
        spent += perf_counter() - began
        asked += len(order)
    return asked / spent


def _known_owners(graph: LinkGraph, assignment: Assignment) -> Owners:
    return assignment.owners(graph.known_hashes, graph.known_urls.to_pylist())
