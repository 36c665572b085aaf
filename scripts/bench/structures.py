"""What an entry costs each structure that grows with a crawl, at several sizes and with the same memory.

    python -m scripts.bench.structures                          100,000 and a million entries, a minute or two
    python -m scripts.bench.structures --entries 100000 1000000 10000000 50000000 --save
                                                                what docs/scale.md has; an hour, some GB of disk

Each is measured in a process of its own.  With --save rows of other structures and sizes stay as they are.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.bench.structure_loads import DOMAINS, LOADS, MEMORY, Spent
from scripts.irlbot.scale_json import keep_in_scale, renewed
from scripts.irlbot.structures_section import structures_section
from scripts.shared.doc_tables import ROOT
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import forget_peak, peak_memory

_ENTRIES = [100_000, 1_000_000]
_FIRST = 1000
"""Entries that a process has put into the structure before anything is measured, so that all is compiled."""


def main() -> None:
    """Measure, and print, and keep if that is wanted."""
    asked = _options()
    if asked.one:
        print(json.dumps(_measured(asked.structures[0], asked.entries[0])))
        return
    figures = {"rows": [], "memory": MEMORY, "domains": DOMAINS}
    for structure in asked.structures:
        for entries in asked.entries:
            figures["rows"].append(_in_a_process(structure, entries))
            if asked.save:
                keep_in_scale("structures", {**figures, "rows": _beside_kept(figures["rows"])})
    print(structures_section(figures))


def _beside_kept(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """New rows, and those kept of other structures and sizes, in order."""
    kept = renewed().get("structures", {"rows": []})["rows"]
    by_place = {(list(LOADS).index(row["structure"]), row["entries"]): row for row in (*kept, *rows)}
    return [row for _, row in sorted(by_place.items())]


def _in_a_process(structure: str, entries: int) -> dict[str, Any]:
    print(f"{structure}: {entries:,} entries ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "scripts.bench.structures", "--one", "--structures", structure]
    done = subprocess.run([*command, "--entries", str(entries)], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    return {**json.loads(done.stdout), "machine": this_machine()}


def _measured(structure: str, entries: int) -> dict[str, Any]:
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    for count in (_FIRST, entries):
        with tempfile.TemporaryDirectory(dir=build) as folder:
            forget_peak()
            before, spent = peak_memory(), Spent()
            LOADS[structure](Path(folder), count, spent)
    return {
        "structure": structure,
        "entries": entries,
        "cpu": spent.cpu,
        "read": spent.read,
        "written": spent.written,
        "grown": peak_memory() - before,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, nargs="+", default=_ENTRIES, metavar="N", help="sizes, ascending")
    parser.add_argument("--structures", nargs="+", choices=tuple(LOADS), default=tuple(LOADS))
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json, write docs/scale.md")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
