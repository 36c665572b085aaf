"""What a replay in virtual time costs in one process, by the number of its ranks, beside one under MPI.

    .venv/bin/python -m scripts.bench.virtual_time               webs of 4,000 and of 40,000 pages: an hour
    .venv/bin/python -m scripts.bench.virtual_time --pages 4000  the small one only: some minutes
    .venv/bin/python -m scripts.bench.virtual_time --save        and keep each web's table in docs/replay.md

Webs are invented, of 100 pages a site, and every request takes 0.1 seconds and the time of its body at a million bytes
a second; delays are those of a crawl.  CPU seconds are of the whole command with its children: it loads the recording,
replays it, measures, and writes the report.  The median of ``--runs`` in turns.  Under MPI the small web is replayed
only, by few ranks, since that takes long.  Maps are cut before, and do not count.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from crawler.replay.source import recorded_session
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.localweb.generate.make import make_web

CUTWEB = Path(sys.executable).parent / "cutweb"
LATENCY = "0.1+1e6/s"
MODELS = ("site-hash", "page-hash", "page")
_PAGES_A_SITE = 100
_UNDER_MPI = (1, 2, 4)
_MOST_UNDER_MPI = 10_000


class Price(NamedTuple):
    """What a command took: CPU seconds with its children, and the largest resident set of one of them in bytes."""

    seconds: float
    peak: int


def main() -> None:
    """Print the table, or keep it in the docs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=_numbers, default=[4000, 40_000], metavar="N,...")
    parser.add_argument("--ranks", type=_numbers, default=[1, 2, 4, 8, 16, 32, 64], metavar="K,...")
    parser.add_argument("--models", type=lambda text: text.split(","), default=MODELS, metavar="MODEL,...")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="keep the table in docs/replay.md")
    options = parser.parse_args()
    head = ["pages", "assignment", "ranks", "CPU s", "to one rank", "peak memory, MB", "CPU s under MPI"]
    with tempfile.TemporaryDirectory() as folder:
        for pages in options.pages:
            rows = _rows(pages, options, Path(folder))
            text = f"{_turns(options.runs)}; {this_machine()}:\n\n{table(head, rows)}"
            print(text, end="")
            if options.save:
                keep("replay.md", f"virtual-time-{pages}", text)


def _turns(runs: int) -> str:
    return "One turn" if runs == 1 else f"Medians of {runs} turns"


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _rows(pages: int, options: argparse.Namespace, folder: Path) -> Iterator[list[str]]:
    made = make_web(folder / f"{pages}.warc.gz", sites=pages // _PAGES_A_SITE, pages=pages, seed=1)
    with recorded_session(made.path, folder) as session:
        cases = [
            (model, ranks, _owned(session, model, ranks, folder)) for model in options.models for ranks in options.ranks
        ]
        turns = []
        for turn in range(options.runs):
            prices = {}
            for model, ranks, asked in cases:
                prices[model, ranks, True] = _estimated(session, ranks, asked, folder)
                if ranks in _UNDER_MPI and pages <= _MOST_UNDER_MPI:
                    prices[model, ranks, False] = _replayed(session, ranks, asked, folder)
                print(f"turn {turn + 1} of {options.runs}: {pages:,} pages, {model}, K = {ranks}", file=sys.stderr)
            turns.append(prices)
    for model, ranks, _ in cases:
        case, one = (model, ranks, True), (model, cases[0][1], True)
        mpi = [prices[model, ranks, False].seconds for prices in turns if (model, ranks, False) in prices]
        yield [
            f"{pages:,}",
            model,
            str(ranks),
            f"{median(prices[case].seconds for prices in turns):.1f}",
            f"{median(prices[case].seconds / prices[one].seconds for prices in turns):.2f}",
            f"{max(prices[case].peak for prices in turns) / 1e6:,.0f}",
            f"{median(mpi):.1f}" if mpi else "-",
        ]


def _owned(session: Path, model: str, ranks: int, folder: Path) -> list[str]:
    """The options that name the owners; a map is made for that."""
    if model in ("site-hash", "page-hash"):
        return ["--assign", model]
    partition = folder / f"{session.name}-{model}-{ranks}"
    _run("partition", session, "--model", model, "--parts", ranks, "--out", partition)
    return ["--partition", str(partition)]


def _estimated(session: Path, ranks: int, asked: list[str], folder: Path) -> Price:
    parts = [] if "--partition" in asked else ["--parts", str(ranks)]
    with tempfile.TemporaryDirectory(dir=folder) as out:
        return _run(
            "replay", session, "--estimate", "--latency", LATENCY, *parts, *asked, "--out", Path(out) / "report"
        )


def _replayed(session: Path, ranks: int, asked: list[str], folder: Path) -> Price:
    with tempfile.TemporaryDirectory(dir=folder) as out:
        return _run("replay", session, "--ranks", ranks, "--latency", LATENCY, *asked, "--out", Path(out) / "session")


def _run(*arguments: object) -> Price:
    """Run cutweb; what that took."""
    command = [str(word) for word in (CUTWEB, *arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return Price(usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)


if __name__ == "__main__":
    main()
