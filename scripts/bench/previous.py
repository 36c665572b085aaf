"""What it takes to cut a session again from an earlier map, and what that gives, beside another commit.

    python -m scripts.bench.previous --pair OLD NEW --grown SESSION [--parts 8,32,64] [--effort low] [--keep NAME]

OLD and NEW are sessions of one web at two times.  Of a SESSION that has grown, the earlier session is the same without
a tenth of its pages, whole directories of them.  The earlier session is cut, the later one cut afresh and cut again
with a migration cost X, of which there are three: moving all pages would cost 0.3, 3 and 30 times what the fresh cut
sends.  Counted are CPU seconds of one thread, the volume sent (bytes; links where pages have no URLs), the bytes that
move, and the objective: volume + X x moved bytes.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from math import exp, log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from partition.choices import DEFAULT_RULE
from partition.graphs.holdout import held_out, without
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.map.manifest import Origin
from partition.map.write_map import write_map
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from scripts.shared.other_commit import ROOT, code_at, named
from scripts.shared.this_machine import this_machine
from sessions.session import Session

BEFORE = "e8c1d43"
"""The first commit that reads the maps that are written today; cutting again had been made cheap by then."""
WORTHS = (0.3, 3.0, 30.0)
"""What moving all pages costs, relative to what the fresh cut sends."""
GROWTH = 0.1

Found = dict[str, Any]


class Pair(NamedTuple):
    """The earlier graph, and the later session with its name."""

    name: str
    old: LinkGraph
    session: Path


class Row(NamedTuple):
    """One K and cost of a pair: the fresh cut, and cutting again before and now."""

    pair: str
    k: int
    worth: float
    cost: float
    fresh: Found
    before: Found
    now: Found

    def objective(self, found: Found) -> float:
        """Volume + X x moved bytes; at least 1, so that there are ratios."""
        return max(1.0, float(found["sent"] + self.cost * found["moved"]))


def main() -> None:
    asked = _arguments()
    rows: list[Row] = []
    with TemporaryDirectory() as scratch:
        code = code_at(asked.before, ROOT / "build" / "bench")
        for pair in _pairs(asked):
            for k in asked.parts:
                rows += _rows(pair, k, asked, code, Path(scratch))
                print(_line(rows[-1]), file=sys.stderr)
    text = _as_markdown(rows, asked)
    print(text)
    if asked.keep:
        keep("partitioning.md", asked.keep, text)


def _pairs(asked: argparse.Namespace) -> Iterator[Pair]:
    for old, new in asked.pair:
        yield Pair(f"{old.name} to {new.name}", link_graph(Session.open(old)), new)
    for session in asked.grown:
        graph = link_graph(Session.open(session))
        yield Pair(f"{session.name}, a tenth new", without(graph, held_out(graph, GROWTH)), session)


def _rows(pair: Pair, k: int, asked: argparse.Namespace, code: Path, scratch: Path) -> Iterator[Row]:
    folder = scratch / f"{pair.name}-{k}"
    total = int(link_graph(Session.open(pair.session)).bytes.sum())
    _cut_old(pair.old, k, asked, folder)
    job = {"session": str(pair.session), "map": str(folder), "k": k, "effort": asked.effort, "model": asked.model}
    job["seed"] = 1
    fresh = _run(ROOT, {**job, "costs": [0.0]})[0]
    costs = [worth * max(1, fresh["sent"]) / total for worth in WORTHS]
    now, before = _run(ROOT, {**job, "costs": costs}), _run(code, {**job, "costs": costs})
    for row in zip(WORTHS, costs, before, now, strict=True):
        yield Row(pair.name, k, *row[:2], fresh, *row[2:])


def _cut_old(graph: LinkGraph, k: int, asked: argparse.Namespace, folder: Path) -> None:
    found = partition_pages(graph, asked.model, k, Settings(effort=asked.effort, threads=1))
    write_map(
        folder,
        Origin(asked.model),
        k=k,
        urls=graph.urls.to_pylist(),
        hashes=graph.hashes,
        parts=found.parts,
        prefixes=found.prefixes,
        prefix_parts=found.prefix_parts,
        unknown=DEFAULT_RULE,
    )


def _run(code: Path, job: Found) -> list[Found]:
    """What `scripts.bench.cut_again` answers with the packages that lie in ``code``."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bench" / "cut_again.py")],
        env={**os.environ, "PYTHONPATH": str(code), "PYTHONSAFEPATH": "1"},
        cwd=code,
        input=json.dumps(job),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: list[Found] = json.loads(done.stdout)
    return found


def _as_markdown(rows: Sequence[Row], asked: argparse.Namespace) -> str:
    head = ["sessions", "K", "X moves all for", "fresh: s", "sent", "moved", f"{asked.before}: time", "objective"]
    head += ["now: time", "sent", "moved", "objective"]
    seconds = [row.now["seconds"] / row.fresh["seconds"] for row in rows]
    gains = [row.objective(row.now) / row.objective(row.before) for row in rows]
    commit = f"Commit {named()} beside {asked.before}, model {asked.model}, effort {asked.effort}; {this_machine()}."
    return (
        f"{commit} Times and objectives of cutting again are relative to the fresh cut (its time includes the names); "
        f"the objective of {asked.before} and now are in the same unit.\n\n"
        f"{table(head, map(_cells, rows))}\n"
        f"Cutting again takes {_mean(seconds):.2f} of the time of a fresh cut in geometric mean, {max(seconds):.2f} at "
        f"most; its objective is {_mean(gains):.3f} of that of {asked.before}, from {min(gains):.3f} to "
        f"{max(gains):.3f}.\n"
    )


def _cells(row: Row) -> list[str]:
    fresh, before, now = row.fresh, row.before, row.now
    mark = "" if now["is_balanced"] else " (unbalanced)"
    return [
        row.pair,
        str(row.k),
        f"{row.worth:g} x sent",
        f"{fresh['seconds']:.1f}",
        f"{fresh['sent']:,}",
        f"{fresh['share']:.1%}",
        f"{before['seconds'] / fresh['seconds']:.2f}",
        f"{row.objective(before) / row.objective(fresh):.3f}",
        f"{now['seconds'] / fresh['seconds']:.2f}",
        f"{now['sent']:,}",
        f"{now['share']:.1%}{mark}",
        f"{row.objective(now) / row.objective(fresh):.3f}",
    ]


def _line(row: Row) -> str:
    return " | ".join(_cells(row))


def _mean(ratios: Sequence[float]) -> float:
    return exp(sum(map(log, ratios)) / len(ratios))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pair", nargs=2, type=Path, action="append", default=[], metavar=("OLD", "NEW"))
    parser.add_argument("--grown", type=Path, action="append", default=[], metavar="SESSION")
    parser.add_argument("--parts", type=lambda text: [int(k) for k in text.split(",")], default=[8, 32, 64])
    parser.add_argument("--effort", default="low")
    parser.add_argument("--model", default="page")
    parser.add_argument("--before", default=BEFORE, metavar="COMMIT")
    parser.add_argument("--keep", metavar="NAME", help="keep the table in docs/partitioning.md, at the marks NAME")
    asked = parser.parse_args()
    asked.pair = [tuple(path.resolve() for path in pair) for pair in asked.pair]
    asked.grown = [path.resolve() for path in asked.grown]
    if not (asked.pair or asked.grown):
        parser.error("name sessions with --pair or --grown")
    return asked


if __name__ == "__main__":
    main()
