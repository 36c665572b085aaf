"""What a cut does on each level, counted: entries of nets read, moves, queue operations.

    python -m scripts.bench.cut_work SESSION... --parts 8,64 [--effort low] [--levels] [--save]

A row for each session and K, all levels of all descents together, each figure by pin of the finest level; with --levels
a table for each, level by level.  ``--save`` keeps the rows in docs/partitioning.md.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from partition.cut import multilevel
from partition.cut.connectivity import MOVED, QUEUED, READ, no_work
from partition.graphs.hypergraph import Hypergraph
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from sessions.session import Session

_HEAD = ("graph", "pages", "pins", "K", "levels", "pins of all levels", "read", "moves", "queue operations")


class _Level:
    """What was done on the levels of one size."""

    def __init__(self, graph: Hypergraph) -> None:
        self.vertices, self.pins, self.visits = len(graph), len(graph.pins), 0
        self.largest_net = int(np.diff(graph.starts).max(initial=0))
        self.most_nets = int(np.diff(graph.vertex_starts).max(initial=0))
        self.work = no_work()


def main() -> None:
    """Print the tables, and keep the rows if that is asked for."""
    options = _options()
    rows = []
    for path in options.sessions:
        graph = link_graph(Session.open(path))
        for k in map(int, options.parts.split(",")):
            levels = _levels(graph, k, options.effort)
            rows.append(_row(path.name, k, levels))
            print(*rows[-1], sep="\t", flush=True)
            if options.levels:
                print(_by_level(levels))
    counted = f"Effort {options.effort}; read, moves and queue operations for each pin of the graph."
    text = f"{counted}\n\n{table(_HEAD, rows)}"
    print(text)
    if options.save:
        keep("partitioning.md", "cut_work", text)


def _levels(graph: LinkGraph, k: int, effort: str) -> list[_Level]:
    """What a cut does, watched from where it asks for counts and for refinement."""
    found: dict[tuple[int, int], _Level] = {}
    refined = multilevel.refined

    def watched(hypergraph: Hypergraph, parts: np.ndarray, *further: Any, **named: Any) -> Any:
        level = found.setdefault((len(hypergraph), len(hypergraph.pins)), _Level(hypergraph))
        level.visits += 1
        return refined(hypergraph, parts, *further, **named, work=level.work)

    multilevel.refined = watched  # type: ignore[assignment]
    try:
        partition_pages(graph, "page", k, Settings(effort=effort, threads=1, kahypar=False))
    finally:
        multilevel.refined = refined
    return sorted(found.values(), key=lambda level: -level.vertices)


def _row(name: str, k: int, levels: list[_Level]) -> list[str]:
    finest = levels[0]
    total = sum(level.work for level in levels) / finest.pins
    pins = sum(level.pins * level.visits for level in levels) / finest.pins
    return [
        name,
        f"{finest.vertices:,}",
        f"{finest.pins:,}",
        str(k),
        str(len(levels)),
        f"{pins:.2f}",
        *(f"{total[kind]:.2f}" for kind in (READ, MOVED, QUEUED)),
    ]


def _by_level(levels: list[_Level]) -> str:
    head = ["vertices", "pins", "visits", "largest net", "most nets", "read a pin", "moves", "queue operations"]
    rows = [
        [
            f"{level.vertices:,}",
            f"{level.pins:,}",
            str(level.visits),
            f"{level.largest_net:,}",
            f"{level.most_nets:,}",
            f"{level.work[READ] / level.pins:.2f}",
            f"{level.work[MOVED]:,}",
            f"{level.work[QUEUED]:,}",
        ]
        for level in levels
    ]
    return table(head, rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    parser.add_argument("--parts", default="8,64", metavar="K,...")
    parser.add_argument("--effort", default="low", choices=["low", "normal", "high"])
    parser.add_argument("--levels", action="store_true", help="a table for each cut, level by level")
    parser.add_argument("--save", action="store_true", help="keep the rows in docs/partitioning.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
