"""Cutting by streams beside cutting as a whole: volume, CPU and memory.

Each session is cut into K parts in batches of pages (`partition.streaming`), eight at least, and, if it is not too
large, as a whole with the effort low; beside that what two assignments that look at no link send.  Each cut is a
process of its own.  Memory is the peak beyond what the process held before it read anything.  Nothing is told of the
map, which is written alike.

    python -m scripts.bench.streaming SESSION... [--parts 8,64] [--efforts low,normal] [--save]
"""

import argparse
import json
import os
import subprocess
import sys
from itertools import product
from math import exp, log
from pathlib import Path
from time import process_time
from typing import Any

from partition.assignment.hashing import PageHash
from partition.choices import BALANCED
from partition.cut.balance import TOLERANCE, balance_of
from partition.graphs.link_graph import link_graph
from partition.measures.measures import measures
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from partition.streaming.batches import BATCH_PAGES, in_batches
from partition.streaming.streamed_cut import Streaming, streamed_cut
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory
from sessions.session import Session
from sessions.storage.temporary_folder import scratch_folder

_WHOLE = "whole"
_FEWEST_BATCHES = 8

Said = dict[str, Any]
_HEAD = ["session", "K", "page hash: sent", "URL range: sent", "whole: sent", "whole: CPU s", "whole: MB"]


def main() -> None:
    options = _options()
    if options.job:
        print(json.dumps(_JOBS[options.job](options)))
        return
    rows, ratios = [], {effort: [] for effort in options.efforts}
    streams: dict[tuple[int, str], list[Said]] = {}
    for session, k in product(options.sessions, options.parts):
        row, whole = [f"{session.name} ({_pages(session):,} pages)", str(k)], None
        if _pages(session) <= options.whole_up_to:
            whole = _measured(_WHOLE, session, k, "low")
            row += [f"{whole['hash']:,}", f"{whole['range']:,}", *_told(whole)]
        else:
            row += ["-"] * 5
        for effort in options.efforts:
            found = _measured("streamed", session, k, effort)
            streams.setdefault((k, effort), []).append(found)
            row += _told(found)
            if whole is not None:
                row.append(f"{found['sent'] / whole['sent']:.3f}")
                ratios[effort].append(found["sent"] / whole["sent"])
            else:
                row.append("-")
        rows.append(row)
        print(*row, file=sys.stderr)
    head = _HEAD + [f"{effort}: {what}" for effort in options.efforts for what in ("sent", "CPU s", "MB", "to whole")]
    means = "; ".join(f"{effort} {exp(sum(map(log, found)) / len(found)):.3f}" for effort, found in ratios.items())
    text = (
        f"Batches of about {BATCH_PAGES:,} pages, of an eighth of all if that is less; whole: effort low; sent in "
        "bytes, in URLs where there are none; a star: out of balance; MB beyond what the program takes. "
        f"{this_machine()}.\n\n{table(head, rows)}\n"
        f"Geometric means of what is sent, to the whole: {means}.{_growth(streams)}\n"
    )
    print(text)
    if options.save:
        keep("cuts.md", "streaming", text)


def _told(run: Said) -> list[str]:
    return [f"{run['sent']:,}{'*' if run['excess'] else ''}", f"{run['cpu']:.1f}", f"{run['memory'] / 1e6:,.0f}"]


def _growth(streams: dict[tuple[int, str], list[Said]]) -> str:
    """How memory grows with pages, from the two largest sessions."""
    told = []
    for (k, effort), runs in streams.items():
        smaller, larger = sorted(runs, key=lambda run: run["pages"])[-2:]
        growth = (larger["memory"] - smaller["memory"]) / (larger["pages"] - smaller["pages"])
        told.append(f"K = {k}, {effort}: {growth:.0f}")
    return f" Bytes of memory for each further page, from the second largest session to the largest: {'; '.join(told)}."


def _measured(job: str, session: Path, k: int, effort: str) -> Said:
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    this = [sys.executable, "-m", "scripts.bench.streaming", str(session), "--job", job]
    done = subprocess.run(
        [*this, "--parts", str(k), "--efforts", effort],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    said: Said = json.loads(done.stdout)
    return said


def _streamed(options: argparse.Namespace) -> Said:
    (session,), (k,), (effort,) = options.sessions, options.parts, options.efforts
    before, began = peak_memory(), process_time()
    asked = Streaming(BALANCED, (TOLERANCE,) * len(BALANCED), None, effort, 1, 1, False)
    batch_pages = min(BATCH_PAGES, _pages(session) // _FEWEST_BATCHES)
    with scratch_folder(".streaming-") as folder, in_batches(Session.open(session), folder, batch_pages) as batches:
        found = streamed_cut(batches, k, asked, lambda _: None)
        pages = len(batches.pages)
    spent, memory = process_time() - began, peak_memory() - before
    return {"pages": pages, "sent": found.cost, "excess": found.measures.excess, "cpu": spent, "memory": memory}


def _whole(options: argparse.Namespace) -> Said:
    (session,), (k,), (effort,) = options.sessions, options.parts, options.efforts
    before, began = peak_memory(), process_time()
    graph = link_graph(Session.open(session))
    found = partition_pages(graph, "page", k, Settings(effort=effort, threads=1, kahypar=False))
    spent, memory = process_time() - began, peak_memory() - before
    ranges = partition_pages(graph, "url-range", k, Settings())
    every = {"sent": found.parts, "range": ranges.parts, "hash": PageHash(k).owners(graph.hashes, [])}
    sent = {name: measures(graph, parts, k, None).pages.sent_bytes for name, parts in every.items()}
    excess = balance_of(graph.weights, k).excess(graph.weights, found.parts)
    return {"pages": len(graph), "excess": excess, "cpu": spent, "memory": memory} | sent


_JOBS = {_WHOLE: _whole, "streamed": _streamed}


def _pages(session: Path) -> int:
    return sum(table.num_rows for _, table in Session.open(session).row_groups("pages", ["hash"], 0, 1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    parser.add_argument("--parts", type=_numbers, default=[8, 64], metavar="K,...")
    parser.add_argument("--efforts", type=lambda text: text.split(","), default=["low", "normal"], metavar="EFFORT,...")
    parser.add_argument("--whole-up-to", type=int, default=1_000_000, metavar="PAGES", help="cut as a whole as well")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/cuts.md")
    parser.add_argument("--job", choices=[_WHOLE, "streamed"], help=argparse.SUPPRESS)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
