"""What a rank's memory holds before it has crawled anything: libraries, our code, and what is compiled.

Resident memory after each step of a start, in a process by itself, and what of it is its own: pages of libraries are
shared by the ranks of a machine.

    python -m scripts.bench.rank_memory             print the table
    python -m scripts.bench.rank_memory --save      and keep it in docs/performance.json and docs/performance.md
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from scripts.shared.memory_maps import memory_of

ROOT = Path(__file__).resolve().parents[2]
_STEPS = (
    ("Python", "pass"),
    ("numpy and Arrow", "import numpy, pyarrow.parquet"),
    ("lxml and libcurl", "import lxml.etree, pycurl"),
    ("the rooms of a rank", "import crawler.commands.crawl, crawler.rank.crawl, crawler.rank.live_rank"),
    ("MPI", "from mpi4py import MPI"),
    ("public suffixes", "from sessions.url import domain_of; domain_of('a.example')"),
    ("numba", "import numba"),
    ("the scanner of pages, loaded", "from crawler.pages.link_finder import LinkFinder; LinkFinder().load()"),
)
_MIB = 1 << 20


def measure() -> list[dict[str, object]]:
    """MiB after each step, resident and its own."""
    return [json.loads(line) for line in _python("--as-rank").splitlines()]


def _python(argument: str) -> str:
    command = [sys.executable, "-m", "scripts.bench.rank_memory", argument]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def _start() -> None:
    """Start as a rank does, and say after each step what is held."""
    for what, code in _STEPS:
        exec(code)
        held = memory_of()
        print(json.dumps({"what": what, "resident": held["Rss"] / _MIB, "own": held["Own"] / _MIB}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--as-rank", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help="write docs/performance.json and docs/performance.md")
    options = parser.parse_args()
    if options.as_rank:
        _start()
        return
    from scripts.bench.page_cost import render  # with libraries that would be there before the first step
    from scripts.bench.page_cost_report import memory_table

    memory = measure()
    print(memory_table(memory))
    if options.save:
        file = ROOT / "docs" / "performance.json"
        figures = {**json.loads(file.read_text()), "memory": memory}
        file.write_text(json.dumps(figures, indent=1) + "\n")
        render(figures)


if __name__ == "__main__":
    main()
