"""How good the cuts are: one METIS call, a portfolio of them, and ours, on the same graphs.

    python -m scripts.bench.cut SESSION... [--parts 8,16,32,64] [--tolerance 0.05] [--save]

For each session and K: the volume if a rank sends each URL once, the volume for every link (the paper's), both
imbalances, and the CPU seconds.  Ratios are to one k-way call with METIS's defaults and the same tolerance, whose luck
the mean of eight seeds shows; their geometric means come last.  A session that was imported without URLs is counted in
links, one with URLs in bytes.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from math import exp, log
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np

from partition.assignment.assignment import Owners
from partition.cut.balance import balance_of
from partition.cut.connectivity import connectivity
from partition.cut.portfolio import portfolio, settings, single_kway
from partition.graphs.hypergraph import edge_nets
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.graphs.weighted_graph import page_graph
from partition.measures.measures import measures
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep
from sessions.session import Session

PORTFOLIO_SEEDS = 3
ONE_CALL = "one k-way call"
CALLS = 8
METIS_DEFAULT_SEED = -1


class Row(NamedTuple):
    """What one way of cutting gave."""

    sent: int
    links: int
    storage: float
    requests: float
    seconds: float


def main() -> None:
    """Cut every session in every way and print the table."""
    asked = _arguments()
    lines: list[str] = []
    ratios: dict[str, list[tuple[float, float]]] = {}
    for session in asked.sessions:
        graph = link_graph(Session.open(session))
        lines += _heading(session.name, graph)
        for k in asked.parts:
            rows = {}
            for name, row in _rows(graph, k, asked.tolerance):
                rows[name] = row
                one = rows[ONE_CALL]
                ratios.setdefault(name, []).append((_ratio(row.sent, one.sent), _ratio(row.links, one.links)))
                lines.append(_line(k, name, row, one))
                print(f"{session.name}: {lines[-1]}", file=sys.stderr)
    lines += ["", "Geometric means over all of the above:", "", "| way | sent | every link |", "|---|---|---|"]
    for name, pairs in ratios.items():
        sent, links = (exp(sum(map(log, column)) / len(column)) for column in zip(*pairs, strict=True))
        lines.append(f"| {name} | {sent:.3f} | {links:.3f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if asked.save:
        keep("cuts.md", "beside_metis", text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    parser.add_argument("--parts", type=lambda text: [int(k) for k in text.split(",")], default=[8, 16, 32, 64])
    parser.add_argument("--tolerance", type=float, default=0.05)
    parser.add_argument("--save", action="store_true", help="keep the tables in docs/cuts.md")
    return parser.parse_args()


def _heading(name: str, graph: LinkGraph) -> list[str]:
    unit = "bytes" if graph.has_urls else "links"
    return [
        "",
        f"## {name}: {len(graph):,} pages, {graph.links.nnz:,} links, volumes in {unit}",
        "",
        "| K | way | sent | every link | storage | requests | CPU s |",
        "|---|---|---|---|---|---|---|",
    ]


def _line(k: int, name: str, row: Row, one: Row) -> str:
    sent = f"{row.sent:,} ({_ratio(row.sent, one.sent):.2f})"
    links = f"{row.links:,} ({_ratio(row.links, one.links):.2f})"
    return f"| {k} | {name} | {sent} | {links} | {row.storage:.1%} | {row.requests:.1%} | {row.seconds:.1f} |"


def _ratio(volume: int, of_one_call: int) -> float:
    """How much of what one call sends; where that is nothing, nothing can be less."""
    return max(volume, 1) / max(of_one_call, 1)


def _rows(graph: LinkGraph, k: int, tolerance: float) -> Iterator[tuple[str, Row]]:
    ways: dict[str, Callable[[], Owners]] = {
        ONE_CALL: lambda: single_kway(page_graph(graph), k, tolerance, METIS_DEFAULT_SEED),
        f"portfolio of {PORTFOLIO_SEEDS} seeds": lambda: _of_portfolio(graph, k, tolerance),
        "page, objective links": lambda: _of_model(graph, "page", k, "links", tolerance),
        "page, objective sent": lambda: _of_model(graph, "page", k, "sent", tolerance),
    }
    if graph.has_urls:
        ways["prefix, objective links"] = lambda: _of_model(graph, "prefix", k, "links", tolerance)
        ways["prefix, objective sent"] = lambda: _of_model(graph, "prefix", k, "sent", tolerance)
    for name, cut in ways.items():
        began = process_time()
        parts = cut()
        yield name, _measured(graph, parts, k, process_time() - began)
        if name == ONE_CALL:
            yield f"mean of {CALLS} k-way calls", _mean_of_calls(graph, k, tolerance)


def _mean_of_calls(graph: LinkGraph, k: int, tolerance: float) -> Row:
    pages = page_graph(graph)
    began = process_time()
    rows = [_measured(graph, single_kway(pages, k, tolerance, seed), k, 0) for seed in range(1, CALLS + 1)]
    seconds = (process_time() - began) / CALLS
    sent, links, storage, requests, _ = (sum(column) / CALLS for column in zip(*rows, strict=True))
    return Row(round(sent), round(links), storage, requests, seconds)


def _of_portfolio(graph: LinkGraph, k: int, tolerance: float) -> Owners:
    pages = page_graph(graph)
    edges = edge_nets(pages)
    balance = balance_of(graph.weights, k, tolerance)
    tried = settings(balance.tolerance, PORTFOLIO_SEEDS, seed=1)
    return portfolio(pages, balance, tried, lambda parts, _: (parts, connectivity(edges, parts, k)))[0].parts


def _of_model(graph: LinkGraph, model: str, k: int, objective: str, tolerance: float) -> Owners:
    return partition_pages(graph, model, k, Settings(objective=objective, tolerance=tolerance, kahypar=False)).parts


def _measured(graph: LinkGraph, parts: Owners, k: int, seconds: float) -> Row:
    found = measures(graph, np.asarray(parts), k, None)
    return Row(
        found.pages.sent_bytes, found.pages.cut_bytes, found.storage_imbalance, found.requests_imbalance, seconds
    )


if __name__ == "__main__":
    main()
