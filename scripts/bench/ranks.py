"""What cutting on several ranks costs and gives, beside one process: volume, CPU, memory, bytes exchanged.

Cuts each session into K parts in one process as always, then on R ranks with the limit for one rank set to a part of
the pages, so that much is done by shares.  Runs are processes of their own; CPU is that of all ranks, which wait for
each other as well.  Memory is a rank's peak beyond what it held before it read anything: until the coarsest hypergraph
is gathered, which is what grows with links / R, and in all.

    python -m scripts.bench.ranks SESSION... [--parts 8,64] [--ranks 2,4] [--effort normal] [--fraction 8]
    python -m scripts.bench.ranks SESSION... --fraction 0 with the limit that one rank has by default
    python -m scripts.bench.ranks SESSION... --models prefix,site      groups of pages instead of pages
    python -m scripts.bench.ranks SESSION... --save       keep the table in docs/partitioning.md
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

import numpy as np
import pyarrow as pa

from crawler.launch.start_ranks import find_mpiexec, set_mpi_up
from partition.choices import BALANCED
from partition.communication.ranks import Ranks
from partition.cut.balance import balance_of
from partition.cut.effort import EFFORTS
from partition.graphs.link_graph import link_graph
from partition.measures.measures import measures
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from partition.shares.cut_groups import GROUPINGS, cut_groups
from partition.shares.cut_shares import ONE_RANK_LIMIT, Cutting, cut_shares
from partition.shares.link_share import LinkShare, read_link_share
from partition.shares.share_measures import share_measures
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory
from sessions.session import Session

_HEAD = ["session", "model", "K", "ranks", "sent", "to one process", "imbalance", "CPU s", "shares: MB a rank"]
_HEAD += ["bytes a link", "in all: MB a rank", "MB sent a rank"]
_PAGES_OF_RING = 400
_LARGE_PAGES, _LARGE_LINKS, _LARGE_RANKS = 10**9, 10**10, 64

Said = dict[str, Any]


def main() -> None:
    options = _options()
    if options.limit is not None:
        _be_a_rank(options)
        return
    rows, ratios, last = [], {ranks: [] for ranks in options.ranks}, None
    for session, model, k in product(options.sessions, options.models, options.parts):
        one = measured(session, model, k, options.effort, 1, 0)
        rows.append(_row(session.name, model, k, 1, one, one))
        for ranks in options.ranks:
            last = measured(session, model, k, options.effort, ranks, _limit(options.fraction, k, one["vertices"]))
            ratios[ranks].append(_ratio(last, one))
            rows.append(_row(session.name, model, k, ranks, last, one))
            print(*rows[-1], file=sys.stderr)
    means = "; ".join(f"{ranks} ranks {exp(sum(map(log, found)) / len(found)):.3f}" for ranks, found in ratios.items())
    text = f"{_about(options)}\n\n{table(_HEAD, rows)}\nGeometric means of volume to one process's: {means}.\n"
    if last is not None and options.models == ["page"]:
        text += f"\n{_on_paper(last, options.ranks[-1])}\n"
    print(text)
    if options.save:
        name = "cut_by_ranks" if options.fraction else "cut_by_ranks_at_limit"
        keep("partitioning.md", name if options.models == ["page"] else "groups_by_ranks", text)


def _limit(fraction: int, k: int, vertices: int) -> int:
    return max(k, vertices // fraction) if fraction else ONE_RANK_LIMIT


def measured(session: Path, model: str, k: int, effort: str, ranks: int, limit: int) -> Said:
    """What rank 0 of so many says of a cut; a ``limit`` of 0 is the way of one process."""
    mpiexec = find_mpiexec()
    if mpiexec is None:
        sys.exit("error: no mpiexec; run make setup")
    set_mpi_up()
    this = [sys.executable, "-m", "mpi4py", "-m", "scripts.bench.ranks", str(session), "--parts", str(k)]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [mpiexec, "-n", str(ranks), *this, "--models", model, "--effort", effort, "--limit", str(limit)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    said: Said = json.loads(done.stdout)
    return said


def _row(name: str, model: str, k: int, ranks: int, run: Said, one: Said) -> list[str]:
    share = run["links"] / ranks
    return [
        name,
        model,
        str(k),
        str(ranks),
        f"{run['sent']:,}",
        f"{_ratio(run, one):.3f}",
        f"{run['imbalance']:.1%}",
        f"{sum(run['cpu']):.1f}",
        f"{max(run['shares']) / 1e6:,.0f}" if ranks > 1 else "",
        f"{max(run['shares']) / share:,.0f}" if ranks > 1 else "",
        f"{max(run['peak']) / 1e6:,.0f}",
        f"{max(run['bytes_sent']) / 1e6:,.1f}",
    ]


def _ratio(run: Said, one: Said) -> float:
    return float(max(run["sent"], 1) / max(one["sent"], 1))


def _about(options: argparse.Namespace) -> str:
    limit = f"1/{options.fraction} of the vertices" if options.fraction else f"{ONE_RANK_LIMIT:,} vertices"
    return (
        f"Effort {options.effort}, one rank's limit {limit}; volumes in bytes, in links "
        f"where there are no URLs; {this_machine()}."
    )


def _on_paper(run: Said, ranks: int) -> str:
    """What a large web would need if every figure of this run grew with the links of a rank's share."""
    growth = _LARGE_LINKS / _LARGE_RANKS / (run["links"] / ranks)
    return (
        f"On paper: if all figures of the last row grow with the links of a rank's share, {_LARGE_PAGES:,} pages with "
        f"{_LARGE_LINKS:,} links on {_LARGE_RANKS} ranks take {max(run['cpu']) * growth / 3600:.1f} hours of CPU and "
        f"{max(run['shares']) * growth / 1e9:.0f} GB a rank besides the coarsest hypergraph, and each rank sends "
        f"{max(run['bytes_sent']) * growth / 1e9:.0f} GB."
    )


def _be_a_rank(options: argparse.Namespace) -> None:
    from mpi4py import MPI

    ranks = Ranks(MPI.COMM_WORLD)
    (session,), (model,), (k,) = options.sessions, options.models, options.parts
    _load_compiled(ranks)
    before = peak_memory()
    peaks: list[int] = []
    if options.limit == 0:
        graph = link_graph(Session.open(session))
        partition = partition_pages(graph, model, k, Settings(effort=options.effort, threads=1, kahypar=False))
        found, links = measures(graph, partition.parts, k, None), graph.links.nnz
        vertices = partition.settings["vertices"]
    else:
        share = read_link_share(ranks, Session.open(session), whole_sites=model in GROUPINGS)
        whole = ranks.summed(share.weights.sum(axis=0))
        balance = balance_of(whole[None, :], k)
        asked = Cutting(balance, EFFORTS[options.effort], 1, 1, options.limit)

        def seen(_: str) -> None:
            peaks.append(peak_memory())

        if model in GROUPINGS:
            best, _, vertices = cut_groups(share, model, asked, seen, of_links=False)
        else:
            best, vertices = cut_shares(share, asked, seen, of_links=False), share.pages
        found, links = share_measures(share, best.parts, balance), ranks.total(len(share.sources))
    said = {
        "vertices": vertices,
        "links": links,
        "sent": found.pages.sent_bytes,
        "imbalance": max(found.imbalances[name] for name in BALANCED),
        "cpu": ranks.together(process_time()),
        "shares": ranks.together((peaks or [before])[0] - before),
        "peak": ranks.together(peak_memory() - before),
        "bytes_sent": ranks.together(ranks.bytes_sent),
    }
    if ranks.rank == 0:
        print(json.dumps(said))


def _load_compiled(ranks: Ranks) -> None:
    """Have all compiled functions in memory, by cutting a ring of pages, so that what is measured grows with links."""
    count = _PAGES_OF_RING * ranks.size
    own = np.arange(_PAGES_OF_RING) + _PAGES_OF_RING * ranks.rank
    links = LinkShare(
        ranks,
        np.arange(ranks.size + 1) * _PAGES_OF_RING,
        pa.array([f"http://{number}.example/" for number in own.tolist()], pa.large_string()),
        own.astype(np.uint64),
        np.ones(len(own), np.int64),
        True,
        np.arange(len(own) + 1),
        (own + 1) % count,
    )
    balance = balance_of(np.full((1, 2), count), 2)
    cut_shares(links, Cutting(balance, EFFORTS["normal"], 1, 1, count // 2), lambda _: None, of_links=False)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    parser.add_argument("--parts", type=_numbers, default=[8, 64], metavar="K,...")
    parser.add_argument("--models", type=lambda text: text.split(","), default=["page"], metavar="MODEL,...")
    parser.add_argument("--ranks", type=_numbers, default=[2, 4], metavar="R,...")
    parser.add_argument("--effort", choices=sorted(EFFORTS), default="normal")
    parser.add_argument(
        "--fraction", type=int, default=8, help="one rank cuts pages / FRACTION by itself, 0: as many as by default; 8"
    )
    parser.add_argument("--save", action="store_true", help="keep the table in docs/partitioning.md")
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
