"""How well several weights can be balanced at once, by moves of single vertices and by swaps besides.

    python -m scripts.bench.balance SESSION... [--parts 8,32,64] [--tolerances 0.05,0.01] [--effort low] [--model page]
    python -m scripts.bench.balance SESSION... --save        and keep it in docs/partitioning.md

cuts each session with two, three and four weights.  The fourth are seconds that are made up: for all pages of a site
exp of a normal number.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np

from partition.choices import WEIGHTS
from partition.cut import rebalancing
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.measures.measures import measures
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session

_WAYS = {"moves": 0, "swaps": rebalancing.MOST_SWAPPINGS}
_WEIGHTS = (2, 3, 4)
_HEAD = (
    *("session", "K", "tolerance", "weights"),
    *(f"{way}: {what}" for way in _WAYS for what in ("most beyond, %", "sent, B", "CPU s")),
)
_SEED = 1


def main() -> None:
    """Print the table, and keep it if that is asked for."""
    options = _options()
    rows = []
    for row in _rows(options):
        rows.append(row)
        print(*row, sep="\t", file=sys.stderr, flush=True)
    text = (
        f"Model {options.model}, effort {options.effort}, by moves of single vertices alone and with swaps: by how "
        "much the worst part is beyond the tolerance of any weight (0: the balance is kept), what is sent, and CPU "
        f"time. Seconds, the fourth weight, are made up. {this_machine()}.\n\n{table(_HEAD, rows)}"
    )
    print(text)
    if options.save:
        keep("partitioning.md", "several_weights", text)


def _rows(options: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    for path in options.sessions:
        graph = _with_made_up_seconds(link_graph(Session.open(path)))
        for k in map(int, options.parts.split(",")):
            for tolerance in map(float, options.tolerances.split(",")):
                for count in _WEIGHTS:
                    balance: dict[str, float | None] = dict.fromkeys(list(WEIGHTS)[:count])
                    settings = Settings(tolerance=tolerance, effort=options.effort, balance=balance, threads=1)
                    cells = [
                        cell for most in _WAYS.values() for cell in _cells(graph, options.model, k, settings, most)
                    ]
                    yield path.name, str(k), f"{tolerance:.0%}", str(count), *cells


def _cells(graph: LinkGraph, model: str, k: int, settings: Settings, most: int) -> tuple[str, ...]:
    rebalancing.MOST_SWAPPINGS = most
    began = process_time()
    found = partition_pages(graph, model, k, settings)
    seconds = process_time() - began
    name, excess = max(found.excesses.items(), key=lambda item: item[1])
    beyond = f"{100 * excess:.2f} of {WEIGHTS.load(name).unit}" if excess else "0"
    return beyond, f"{measures(graph, found.parts, k, None).pages.sent_bytes:,}", f"{seconds:.1f}"


def _with_made_up_seconds(graph: LinkGraph) -> LinkGraph:
    of_site = np.random.default_rng(_SEED).lognormal(0, 1, len(graph.site_names))
    return replace(graph, microseconds=np.rint(1e6 * of_site[graph.sites]).astype(np.int64))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    parser.add_argument("--parts", default="8,32,64", help="numbers of parts (8,32,64)")
    parser.add_argument("--tolerances", default="0.05,0.01", help="of each weight (0.05,0.01)")
    parser.add_argument("--effort", default="low", help="as of cutweb partition (low)")
    parser.add_argument("--model", default="page", help="as of cutweb partition (page)")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/partitioning.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
