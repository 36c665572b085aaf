"""What `cutweb import` and `cutweb export` take of memory and of time as the graph grows.

The graphs are those of `scripts.bench.weblike`.  Each is imported from a list of links as it was made, by source, and
once more with its lines in random order; then the first session is exported as a list of edges, for METIS and as
Parquet.  Every command is a process of its own: CPU seconds are its user and system time, memory is the most that it
held.  With --before, a checkout of another commit does the same in turn.

    python -m scripts.bench.streams                        print the table: 100,000, 400,000, 1,000,000 pages
    python -m scripts.bench.streams --before ../checkout --pages 100000 1000000 5000000 --save
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv

from scripts.bench.weblike import weblike
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine

PAGES = (100_000, 400_000, 1_000_000)
LINKS_A_PAGE = 10
_FORMS = ("edges", "metis", "parquet")
_WARM_UP = 1_000
"""Pages of a graph that is done first, and not counted: code is compiled then."""

_LAUNCHER = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, use.ru_utime + use.ru_stime, use.ru_maxrss)
"""
"""Runs a command and tells of it.  It is small: Linux counts what a process held before it became the command."""


class Taken(NamedTuple):
    """What a command took: CPU seconds, and bytes of memory at most."""

    cpu: float
    peak: int

    def cells(self) -> list[str]:
        """Its cells of the table."""
        return [f"{self.cpu:.1f} s", f"{self.peak / 1e6:,.0f} MB"]


def main() -> None:
    options = _options()
    trees = [ROOT, *([] if options.before is None else [options.before.resolve()])]
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        rows = list(_rows([_WARM_UP, *options.pages], trees, Path(scratch)))[len(_FORMS) + 2 :]
    head = [
        "pages",
        "links drawn",
        "command",
        "CPU",
        "peak memory",
        *["before: CPU", "before: memory"][: 2 * len(trees) - 2],
    ]
    text = f"{this_machine()}.\n\n{table(head, rows)}"
    print(text)
    if options.save:
        keep("formats.md", "streams", text)


def _rows(counts: list[int], trees: list[Path], scratch: Path) -> Iterator[list[str]]:
    """Rows of the table: for each graph its imports, then its exports."""
    for count in counts:
        links = weblike(count, LINKS_A_PAGE)
        for command, arguments in _commands(links, scratch):
            taken = []
            for tree in trees:
                for made in ("out", "out.pages.tsv"):
                    _remove(scratch / made)
                taken.append(_taken(tree, [*arguments, "--out", str(scratch / "out")]))
            row = [f"{count:,}", f"{len(links):,}", command, *(cell for its in taken for cell in its.cells())]
            print(*row, file=sys.stderr, flush=True)
            yield row
            if command == "import":
                _remove(scratch / "session")
                (scratch / "out").rename(scratch / "session")


def _commands(links: npt.NDArray[np.int32], scratch: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield names of commands and their arguments; what they read is there until the next one is asked for."""
    listed = scratch / "links.txt"
    _write(links, listed)
    yield "import", ["import", "edges", str(listed)]
    _write(np.random.default_rng(1).permutation(links), listed)
    yield "import, lines in random order", ["import", "edges", str(listed)]
    listed.unlink()
    for form in _FORMS:
        yield f"export --format {form}", ["export", str(scratch / "session"), "--format", form]


def _write(links: npt.NDArray[np.int32], path: Path) -> None:
    columns = pa.table({"source": links[:, 0], "target": links[:, 1]})
    pyarrow.csv.write_csv(columns, path, pyarrow.csv.WriteOptions(include_header=False, delimiter="\t"))


def _taken(tree: Path, arguments: list[str]) -> Taken:
    """Run a command of the checkout in ``tree``."""
    command = [sys.executable, "-m", "cutweb", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    launched = [sys.executable, "-c", _LAUNCHER, *command]
    done = subprocess.run(launched, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    status, cpu, peak = done.stdout.split()
    if int(status):
        sys.exit(f"error: {' '.join(command)} in {tree} ended with {status}")
    return Taken(float(cpu), int(peak) * 1024)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure cutweb import and export.")
    parser.add_argument("--pages", metavar="N", type=int, nargs="+", default=PAGES, help="sizes of the graphs")
    parser.add_argument("--before", metavar="DIR", type=Path, help="a checkout of another commit, to be measured too")
    parser.add_argument("--folder", metavar="DIR", type=Path, help="where to put graphs and sessions")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/formats.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
