"""What a cut takes as webs grow: CPU a pin, wall time by threads, and peak memory a link.

    python -m scripts.bench.cut_growth SESSION... [--parts 8,64] [--efforts low,normal] [--threads 1,2] [--keep FILE]
    python -m scripts.bench.cut_growth --keep FILE.json --save       write the table into docs/cuts.md

Each cut is a process of its own.  Memory is the peak of the whole process, the session's graph and Python included; CPU
and wall seconds are those of the cut.  Smaller webs come out dearer a link in memory, for Python takes its share.  What
FILE.json has already is not cut again.
"""

import argparse
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

from partition.graphs.hypergraph import sent_nets
from partition.graphs.link_graph import link_graph
from partition.measures.measures import measures
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session

_HEAD = (
    "graph",
    "pages",
    "links",
    "K",
    "effort",
    "threads",
    "CPU s",
    "us a pin",
    "wall s",
    "MB",
    "bytes a link",
    "sent",
)

Row = dict[str, Any]


def main() -> None:
    """Cut what is missing, and show or keep what is there."""
    options = _options()
    if options.one:
        session, k, effort, threads = options.one
        print(json.dumps(_cut(Path(session), int(k), effort, int(threads))))
        return
    rows: list[Row] = json.loads(options.keep.read_text()) if options.keep.exists() else []
    for session, k, effort, threads in product(options.sessions, options.parts, options.efforts, options.threads):
        case = (session.name, k, effort, threads)
        if case not in [(row["graph"], row["k"], row["effort"], row["threads"]) for row in rows]:
            rows.append(_cut_apart(session, k, effort, threads))
            options.keep.write_text(json.dumps(rows, indent=1))
            print(_line(rows[-1]), file=sys.stderr)
    rows.sort(key=lambda row: (row["links"], row["k"], row["effort"], row["threads"]))
    machines = "; ".join(sorted({row["machine"] for row in rows}))
    text = f"{machines}.\n\n{table(_HEAD, [_line(row) for row in rows])}"
    if options.save:
        keep("cuts.md", "cut_growth", text)
    else:
        print(text)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("sessions", nargs="*", type=Path)
    parser.add_argument("--parts", type=lambda text: [int(k) for k in text.split(",")], default=[8, 64])
    parser.add_argument("--efforts", type=lambda text: text.split(","), default=["low", "normal"])
    parser.add_argument("--threads", type=lambda text: [int(count) for count in text.split(",")], default=[1, 2])
    parser.add_argument("--keep", type=Path, default=Path("cut_growth.json"))
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def _cut_apart(session: Path, k: int, effort: str, threads: int) -> Row:
    command = [sys.executable, "-m", "scripts.bench.cut_growth", "--one", str(session), str(k), effort, str(threads)]
    row: Row = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return row


def _cut(session: Path, k: int, effort: str, threads: int) -> Row:
    graph = link_graph(Session.open(session))
    cpu, wall = process_time(), perf_counter()
    found = partition_pages(graph, "page", k, Settings(effort=effort, threads=threads, kahypar=False))
    cpu, wall = process_time() - cpu, perf_counter() - wall
    peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024
    return {
        "graph": session.name,
        "pages": len(graph),
        "links": int(graph.links.nnz),
        "pins": len(sent_nets(graph).pins),
        "k": k,
        "effort": effort,
        "threads": threads,
        "cpu": round(cpu, 1),
        "wall": round(wall, 1),
        "peak": peak,
        "sent": measures(graph, found.parts, k, None).pages.sent_bytes,
        "machine": this_machine(),
    }


def _line(row: Row) -> list[str]:
    return [
        row["graph"],
        f"{row['pages']:,}",
        f"{row['links']:,}",
        str(row["k"]),
        row["effort"],
        str(row["threads"]),
        f"{row['cpu']:.1f}",
        f"{row['cpu'] / row['pins'] * 1e6:.1f}",
        f"{row['wall']:.1f}",
        f"{row['peak'] / 1e6:,.0f}",
        f"{row['peak'] / row['links']:.0f}",
        f"{row['sent']:,}",
    ]


if __name__ == "__main__":
    main()
