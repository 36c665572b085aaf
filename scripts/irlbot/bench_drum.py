"""DRUM under the load of the paper: N distinct keys, 9 N check+updates, a ninth of which find a key not seen before.

Each is measured in a process of its own: first DRUM with --keys, then, with --beside-keys and --beside-budget, DRUM,
the merge of Mercator-B, sqlite and rocksdict, all with the same keys.  Times are those of the store alone, without the
making of keys.  That each key is new exactly once is checked; if not, nothing is printed or kept.

    python -m scripts.irlbot.bench_drum --keys 1000000 --budget 16 --beside-keys 0     a quick look
    python -m scripts.irlbot.bench_drum --keys 100000000 --save    what docs/scale.md has: a quarter of an hour, alone
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scripts.irlbot.drum_section import beside_section, drum_section
from scripts.irlbot.paper_load import LINKS_PER_KEY
from scripts.irlbot.scale_json import keep_in_scale
from scripts.irlbot.store_task import STORES, Task
from scripts.shared.this_machine import this_machine

_MIB = 1 << 20


def main() -> None:
    options = _options()
    figures: dict[str, Any] = {"machine": this_machine(), "drum": _in_a_process(_task(options, "DRUM"))}
    if options.beside_keys:
        figures["beside"] = list(_beside(options))
    print(drum_section(figures))
    if "beside" in figures:
        print(beside_section(figures))
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    if options.save:
        keep_in_scale("own", figures)


def _task(options: argparse.Namespace, store: str) -> Task:
    return Task(store, options.keys, options.budget * _MIB, options.aux)


def _beside(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for store in STORES:
        try:
            yield _in_a_process(Task(store, options.beside_keys, options.beside_budget * _MIB, 0))
        except ModuleNotFoundError as error:
            print(f"{store} is left out: {error}", file=sys.stderr)


def _in_a_process(task: Task) -> dict[str, Any]:
    """The figures of a task.  Raises ModuleNotFoundError if what it measures is not installed."""
    if task.store == "rocksdict":
        import rocksdict  # noqa: F401
    print(f"{task.store}: {task.keys:,} keys, {LINKS_PER_KEY * task.keys:,} operations", file=sys.stderr)
    command = [sys.executable, "-m", "scripts.irlbot.store_task", json.dumps(asdict(task))]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=10_000_000, help="distinct keys for DRUM (10 million)")
    parser.add_argument("--budget", type=int, default=256, metavar="MIB", help="its memory (256)")
    parser.add_argument("--aux", type=int, default=0, metavar="BYTES", help="text with each key (0; the paper: 110)")
    parser.add_argument("--beside-keys", type=int, default=10_000_000, help="keys of the comparison (10 million)")
    parser.add_argument("--beside-budget", type=int, default=32, metavar="MIB", help="their memory (32)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the figures here, as JSON")
    parser.add_argument("--save", action="store_true", help="keep the figures in docs/scale.json, write docs/scale.md")
    options = parser.parse_args()
    if options.keys < 1 or 0 < options.aux < len(str(options.keys)):
        parser.error("--keys is at least 1, and --aux has room for the number of a key (or is 0)")
    return options


if __name__ == "__main__":
    main()
