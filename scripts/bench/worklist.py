"""What a worklist costs: CPU seconds, links a second, and memory, for sessions of imported or crawled webs.

CPU seconds are user and system time of all ranks.  Memory is the most that a rank has held, less what it had held when
it had ranked a session of three pages.  The links a second are the distinct links of the latest visits by wall time,
which says something only if nothing else runs on the machine.

    python -m scripts.bench.worklist SESSION...                      print the table: anansi on 1 and 2 ranks
    python -m scripts.bench.worklist --memory 16 256 --by anansi pagerank value -- SESSION...
    python -m scripts.bench.worklist --save SESSION...               and keep it in docs/ranking.md
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from crawler.launch.start_ranks import find_mpiexec
from crawler.worklist.make_worklist import WorklistSettings, make_worklist
from partition.communication.ranks import Ranks
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory

RANKS = (1, 2)
_NOW = datetime(2100, 1, 1, tzinfo=UTC)


def cpu_seconds() -> float:
    """What this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def as_rank(folder: Path, session: Path, by: str, memory: int) -> None:
    """Rank a small session and then the one to measure, as a rank of an MPI run; rank 0 prints what it took."""
    from mpi4py import MPI

    ranks = Ranks(MPI.COMM_WORLD)
    settings = WorklistSettings(_NOW, by=by, memory=memory << 20)
    make_worklist(ranks, [folder / "small"], folder / "first", settings)
    held, used, began = peak_memory(), cpu_seconds(), perf_counter()
    made = make_worklist(ranks, [session], folder / "second", settings)
    seconds = perf_counter() - began
    cpu, more = ranks.together(cpu_seconds() - used), ranks.together(peak_memory() - held)
    if ranks.rank == 0:
        told = {"links": made.links, "seconds": seconds, "cpu": sum(cpu), "memory": max(more), "sent": ranks.bytes_sent}
        print(json.dumps(told | {"urls": made.manifest.new + made.manifest.old}))


def measured(session: Path, ranks: int, by: str, memory: int) -> dict[str, Any]:
    """Run that on some ranks, and return what rank 0 prints."""
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder) / "edges.txt"
        edges.write_text("0 1\n1 2\n2 0\n")
        small = [sys.executable, "-m", "cutweb", "import", "edges", str(edges), "--out", str(Path(folder) / "small")]
        subprocess.run(small, check=True, capture_output=True)
        mine = [
            "-m",
            "scripts.bench.worklist",
            "--as-rank",
            folder,
            "--by",
            by,
            "--memory",
            str(memory),
            "--",
            str(session),
        ]
        command = [str(find_mpiexec()), "-n", str(ranks), sys.executable, *mine]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", type=Path)
    parser.add_argument("--ranks", nargs="+", type=int, default=RANKS)
    parser.add_argument("--by", nargs="+", default=["anansi"])
    parser.add_argument("--memory", nargs="+", type=int, default=[256])
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--as-rank", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.as_rank is not None:
        as_rank(asked.as_rank, asked.sessions[0], asked.by[0], asked.memory[0])
        return
    rows = []
    for session in asked.sessions:
        for by in asked.by:
            for memory in asked.memory:
                for ranks in asked.ranks:
                    told = measured(session, ranks, by, memory)
                    rows.append(
                        [
                            f"{told['urls']:,}",
                            f"{told['links']:,}",
                            by,
                            str(ranks),
                            f"{memory}",
                            f"{told['cpu']:.1f}",
                            f"{told['seconds']:.1f}",
                            f"{told['links'] / told['seconds'] / 1e6:.2f}",
                            f"{told['memory'] / 2**20:.0f}",
                            f"{told['sent'] / 2**20:.0f}",
                        ]
                    )
                    print(rows[-1], file=sys.stderr, flush=True)
    head = ["URLs", "links", "by", "ranks", "`--memory`, MiB", "CPU s", "wall s", "million links a second"]
    text = table([*head, "most held by a rank, MiB", "sent by rank 0, MiB"], rows)
    text += f"\n{this_machine()}.\n"
    print(text)
    if asked.save:
        keep("ranking.md", "worklist costs", text)


if __name__ == "__main__":
    main()
