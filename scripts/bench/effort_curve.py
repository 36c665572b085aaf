"""Quality against time: our efforts, METIS, and programs of others, on the same graphs.

    python -m scripts.bench.effort_curve SESSION... --parts 8,64,256 --foreign PYTHON --extra EXTRA --keep FILE.json
    python -m scripts.bench.effort_curve --keep FILE.json --save
                                 write the table and the figure into docs/cuts.md and docs/cuts-effort.svg

Each cut is a process of its own; CPU seconds are those of the cut, without reading the session or starting Python.
What FILE.json has already is not cut again, so that a run can go on where another ended.  PYTHON is an interpreter
with mtkahypar and kaminpar; their graph and hypergraph are ours, with one weight for each page, the sum of its shares
of all bytes and of all requests, and two threads.  KaMinPar cuts the ordinary graph that guides our cut, since it knows
no hypergraphs.  EXTRA is a folder with mtkahypar for our own interpreter, as ``pip install --target EXTRA`` fills it;
the effort ``normal+extra`` is that with the extra ``kahypar`` installed, whose cut is one of its starts.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from partition.cut.guide_graph import sent_guide
from partition.cut.portfolio import single_kway
from partition.graphs.hypergraph import sent_nets
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.graphs.weighted_graph import page_graph
from partition.measures.measures import measures
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session

TOLERANCE, SEED = 0.05, 1
OURS = ("low", "normal", "high")
WITH_EXTRA = "normal+extra"
METIS, MTKAHYPAR, KAMINPAR = "one METIS call", "Mt-KaHyPar", "KaMinPar"
FOREIGN = {MTKAHYPAR: "mtkahypar", KAMINPAR: "kaminpar"}
WAYS = (*OURS, WITH_EXTRA, METIS, *FOREIGN)
_ONE = 1_000_000_000

Row = dict[str, Any]


def main() -> None:
    """Cut what is missing, and show or keep what is there."""
    options = _options()
    if options.one:
        session, k, way = options.one
        print(json.dumps(_cut(Path(session), int(k), way, options.foreign)))
        return
    rows: list[Row] = json.loads(options.keep.read_text()) if options.keep.exists() else []
    for session, k, way in _wanted(options, rows):
        command = [sys.executable, "-m", "scripts.bench.effort_curve", "--one", str(session), str(k), way]
        further = ["--foreign", options.foreign] if options.foreign else []
        done = subprocess.run(
            [*command, *further], capture_output=True, text=True, check=False, cwd=ROOT, env=_environment(options, way)
        )
        if done.returncode:
            print(f"{session.name}, K={k}, {way}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            continue
        rows.append(json.loads(done.stdout.splitlines()[-1]))
        print(rows[-1], file=sys.stderr, flush=True)
        options.keep.write_text(json.dumps(rows, indent=0) + "\n")
    text = _text(rows)
    print(text)
    if options.save:
        keep("cuts.md", "effort_curve", text)
        _draw(rows, ROOT / "docs" / "cuts-effort.svg")


def _environment(options: argparse.Namespace, way: str) -> dict[str, str]:
    """That of a process which cuts; the extra is on the path of those that use it."""
    extra = [str(options.extra)] if way == WITH_EXTRA else []
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *extra])}


def _wanted(options: argparse.Namespace, rows: list[Row]) -> Iterator[tuple[Path, int, str]]:
    """The cuts that are asked for and not known yet."""
    known = {(row["graph"], row["k"], row["way"]) for row in rows}
    for session in options.sessions:
        for k in map(int, options.parts.split(",")):
            for way in options.ways.split(","):
                lacks = (way in FOREIGN and not options.foreign) or (way == WITH_EXTRA and not options.extra)
                if (session.name, k, way) not in known and not lacks:
                    yield session.absolute(), k, way


def _cut(session: Path, k: int, way: str, foreign: str | None) -> Row:
    graph = link_graph(Session.open(session))
    began = _cpu()
    if way in (*OURS, WITH_EXTRA):
        effort, _, extra = way.partition("+")
        settings = Settings(effort=effort, tolerance=TOLERANCE, seed=SEED, kahypar=bool(extra))
        parts = partition_pages(graph, "page", k, settings).parts
    elif way == METIS:
        parts = single_kway(page_graph(graph), k, TOLERANCE, SEED)
    seconds = _cpu() - began
    if way in FOREIGN:
        assert foreign is not None
        seconds, parts = _cut_elsewhere(graph, k, FOREIGN[way], foreign)
    found = measures(graph, parts, k, None)
    return {
        "graph": session.name,
        "pages": len(graph),
        "links": int(graph.links.nnz),
        "k": k,
        "way": way,
        "sent": found.pages.sent_bytes,
        "storage": found.storage_imbalance,
        "requests": found.requests_imbalance,
        "seconds": round(seconds, 2),
        "peak": getrusage(RUSAGE_SELF).ru_maxrss * 1024,
        "machine": this_machine(),
    }


def _cut_elsewhere(graph: LinkGraph, k: int, program: str, python: str) -> tuple[float, np.ndarray]:
    nets, guide = sent_nets(graph), sent_guide(graph)
    shares = (nets.weights / np.maximum(nets.weights.sum(axis=0), 1)).sum(axis=1)
    with TemporaryDirectory() as folder:
        arrays, parts = Path(folder) / "arrays.npz", Path(folder) / "parts.npy"
        np.savez(
            arrays,
            starts=nets.starts,
            pins=nets.pins,
            costs=nets.costs,
            weight=np.maximum(1, np.rint(shares / shares.sum() * _ONE)).astype(np.int64),
            graph_starts=guide.edges.indptr,
            neighbours=guide.edges.indices,
            edge_costs=guide.edges.data,
        )
        script = ROOT / "scripts" / "bench" / "foreign_cut.py"
        command = [python, str(script), program, str(arrays), str(k), str(TOLERANCE), str(SEED), str(parts)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1]), np.load(parts)


def _text(rows: list[Row]) -> str:
    by_case: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        by_case.setdefault((row["graph"], row["k"]), {})[row["way"]] = row
    lines, heads = [], [*(f"{way}: {what}" for way in WAYS for what in ("sent", "CPU s"))]
    for (graph, k), case in by_case.items():
        base = case.get(MTKAHYPAR)
        cells = [cell for way in WAYS for cell in _cells(case.get(way), base)]
        any_row = next(iter(case.values()))
        lines.append([f"{graph} ({any_row['pages']:,} pages, {any_row['links']:,} links)", str(k), *cells])
    machines = sorted({row["machine"] for row in rows})
    return (
        "In brackets: sent, relative to Mt-KaHyPar. A star: out of balance, more than 5.05% of bytes or requests.\n"
        f"{'; '.join(machines)}.\n\n{table(['graph', 'K', *heads], lines)}\n{_means(by_case)}"
    )


def _cells(row: Row | None, base: Row | None) -> tuple[str, str]:
    if row is None:
        return "-", "-"
    beside = f" ({row['sent'] / base['sent']:.3f})" if base and base is not row and base["sent"] else ""
    return f"{row['sent']:,}{'' if _is_even(row) else '*'}{beside}", f"{row['seconds']:.1f}"


def _is_even(row: Row) -> bool:
    return max(row["storage"], row["requests"]) <= TOLERANCE + 5e-4


def _means(by_case: dict[tuple[str, int], dict[str, Row]]) -> str:
    """Geometric means beside Mt-KaHyPar's default, over cases in which both keep the balance."""
    lines = []
    for way in (*OURS, WITH_EXTRA):
        pairs = [(case[way], case[MTKAHYPAR]) for case in by_case.values() if way in case and MTKAHYPAR in case]
        pairs = [pair for pair in pairs if _is_even(pair[0]) and _is_even(pair[1])]
        if not pairs:
            continue
        sent = [ours["sent"] / theirs["sent"] for ours, theirs in pairs]
        seconds = [ours["seconds"] / theirs["seconds"] for ours, theirs in pairs]
        figures = [_mean(sent), max(sent), _mean(seconds), max(seconds)]
        lines.append([way, str(len(pairs)), *(f"{figure:.3f}" for figure in figures)])
    if not lines:
        return ""
    head = ["effort", "cases", "sent: mean", "sent: worst", "CPU: mean", "CPU: worst"]
    return f"Beside Mt-KaHyPar, where both keep the balance (geometric means):\n\n{table(head, lines)}"


def _mean(ratios: list[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def _draw(rows: list[Row], path: Path) -> None:
    """A panel for each graph: CPU seconds across, bytes sent beside the best known upward, a line for each K."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "cuts"
    from matplotlib import pyplot

    ways = {(row["graph"], row["way"]) for row in rows}
    counts = Counter(graph for graph, _ in ways)
    graphs = [graph for graph in dict.fromkeys(row["graph"] for row in rows) if counts[graph] > 1]
    columns = 3
    figure, panels = pyplot.subplots(
        -(-len(graphs) // columns), columns, figsize=(11, 3.4 * -(-len(graphs) // columns)), squeeze=False
    )
    colours = {k: f"C{number}" for number, k in enumerate(sorted({row["k"] for row in rows}))}
    marks = {METIS: "x", MTKAHYPAR: "*", KAMINPAR: "+"}
    for panel, graph in zip(panels.flat, graphs, strict=False):
        for k, colour in colours.items():
            case = {row["way"]: row for row in rows if (row["graph"], row["k"]) == (graph, k)}
            if not case:
                continue
            best = max(1, min(row["sent"] for row in case.values() if _is_even(row) or row["way"] in OURS))
            ours = [case[way] for way in OURS if way in case]
            panel.plot(
                [row["seconds"] for row in ours],
                [row["sent"] / best for row in ours],
                "o-",
                color=colour,
                markersize=4,
                label=f"K = {k}",
            )
            for way, mark in marks.items():
                if way in case and _is_even(case[way]):
                    panel.plot(case[way]["seconds"], case[way]["sent"] / best, mark, color=colour, markersize=8)
        panel.set(title=graph, xscale="log", yscale="log", xlabel="CPU seconds", ylabel="sent / best known")
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter("{x:g}")
        panel.legend(fontsize=8)
    for panel in panels.flat[len(graphs) :]:
        panel.axis("off")
    figure.suptitle("Efforts low, normal and high (circles), one METIS call (x), Mt-KaHyPar (star), KaMinPar (+)")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _cpu() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="*", type=Path, metavar="SESSION")
    parser.add_argument("--parts", default="8,64,256", metavar="K,...")
    parser.add_argument("--ways", default=",".join(WAYS), metavar="WAY,...", help=f"of {', '.join(WAYS)}")
    parser.add_argument("--foreign", metavar="PYTHON", help="an interpreter with mtkahypar and kaminpar")
    parser.add_argument("--extra", type=Path, metavar="EXTRA", help="a folder with mtkahypar")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="what was measured, as JSON")
    parser.add_argument("--save", action="store_true", help="write docs/cuts.md and docs/cuts-effort.svg")
    parser.add_argument("--one", nargs=3, metavar=("SESSION", "K", "WAY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.one and options.keep is None:
        parser.error("--keep FILE is required")
    return options


if __name__ == "__main__":
    main()
