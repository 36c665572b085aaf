"""A session cut afresh and cut again from an earlier map, with the code that is on the path: what it takes and gives.

Run by `scripts.bench.previous` for each of two commits, so it names nothing that one of them does not have.  The job is
JSON on the standard input, the answer JSON on the standard output.
"""

import json
import sys
from importlib import import_module
from time import process_time
from typing import Any

from partition.graphs.link_graph import LinkGraph, link_graph
from partition.map.partition_map import PartitionMap
from partition.measures.measures import measures
from partition.measures.moves import moves
from partition.models.partition_pages import partition_pages
from partition.models.previous_owners import Previous, previous_owners
from sessions.session import Session

Settings: Any = import_module("partition.models.partition_pages").Settings
"""Earlier commits have it in this module, later ones only its name."""


def main() -> None:
    job = json.load(sys.stdin)
    graph = link_graph(Session.open(job["session"]))
    previous = previous_owners(PartitionMap.open(job["map"]), graph)
    warm = Settings(effort="low", threads=1, migration_cost=1e-6)
    partition_pages(
        graph, "prefix" if graph.has_urls else "page", 2, warm, previous=previous
    )  # compiled functions load
    found = [_measured(graph, previous, job, cost) for cost in job["costs"]]
    json.dump(found, sys.stdout)


def _measured(graph: LinkGraph, previous: Previous, job: dict[str, Any], cost: float) -> dict[str, Any]:
    """One partition: CPU seconds, what is sent, what moves; ``cost`` 0 is the fresh cut under the best names."""
    settings = Settings(effort=job["effort"], seed=job["seed"], threads=1, migration_cost=cost)
    began = process_time()
    found = partition_pages(graph, job["model"], job["k"], settings, previous=previous)
    seconds = process_time() - began
    moved = moves(previous.owners, found.parts, graph.bytes)
    return {
        "seconds": seconds,
        "sent": measures(graph, found.parts, job["k"], None).pages.sent_bytes,
        "moved": moved.moved_bytes,
        "share": moved.share_of_bytes,
        "is_balanced": found.is_balanced,
    }


if __name__ == "__main__":
    main()
