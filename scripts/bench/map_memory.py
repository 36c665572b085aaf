"""What a partition map costs in memory when several ranks of one machine hold it: figures for each further rank.

Makes a map of so many made-up URLs, starts K = 1, 2 and 4 ranks under mpiexec, and has each open the map as a crawl
does and look up every URL by its hash, its number by its hash, and some by number.  Then, while all hold it, each
reads /proc/self/smaps: RSS is all its memory, PSS the same with each page of memory divided by how many processes
have it, so that the sum of PSS over the ranks is what the machine spends.  (Other processes that run meanwhile share
Python's libraries, too, and make the PSS of one rank look smaller than it is; the map is nobody else's.)

    python -m scripts.bench.map_memory                   print the table; a million URLs
    python -m scripts.bench.map_memory --save            and keep it in docs/partitioning.md
    python -m scripts.bench.map_memory --urls 5000000    of a larger map
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from crawler.launch.start_ranks import find_mpiexec
from partition.assignment.assignment import assignment_named
from partition.assignment.url_prefixes import url_keys
from partition.map.manifest import SHARDS, Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory
from sessions.url import url_hashes

RANKS = (1, 2, 4)
PARTS = 4
_PAGES_PER_SITE = 100
_CHUNK = 1 << 12
_FEW = 64
"""One URL of so many is looked up by number: every piece of the trie is touched, and not every URL spelt out."""
_MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ [rwxsp-]{4} [0-9a-f]+ \S+ \d+ *(?P<file>.*)$")


def main() -> None:
    options = _options()
    if options.rank is not None:
        _be_a_rank(options.rank, options.urls)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "map"
        make_map(folder, options.urls)
        size = (folder / SHARDS).stat().st_size
        runs = [measured(folder, options.urls, ranks) for ranks in RANKS]
    text = told(options.urls, size, runs)
    print(text)
    if options.save:
        keep("partitioning.md", "map_memory", text)


def urls_of(first: int, last: int) -> list[str]:
    """Made-up URLs by number."""
    return [
        f"https://www.site{number // _PAGES_PER_SITE}.example/section-{number % 7}/a-page-{number * 7919 % 1_000_003}"
        f"-{number}.html"
        for number in range(first, last)
    ]


def make_map(folder: Path, count: int) -> None:
    """A map of so many URLs in four parts, by sites."""
    urls = urls_of(0, count)
    hashes = url_hashes(urls)
    parts = assignment_named("site-hash", PARTS).owners(hashes, urls)
    sites = slice(0, None, _PAGES_PER_SITE)
    prefixes = [key.partition("/")[0] + "/" for key in url_keys(urls[sites])]
    write_map(
        folder,
        Origin("site"),
        k=PARTS,
        urls=urls,
        hashes=hashes,
        parts=parts,
        prefixes=prefixes,
        prefix_parts=parts[sites],
    )


def measured(folder: Path, count: int, ranks: int) -> list[dict[str, Any]]:
    """What each of so many ranks says of its memory."""
    mpiexec = find_mpiexec()
    if mpiexec is None:
        sys.exit("error: no mpiexec; run make setup")
    this = [sys.executable, "-m", "scripts.bench.map_memory"]
    command = [mpiexec, "-n", str(ranks), *this, "--rank", str(folder), "--urls", str(count)]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    said: list[dict[str, Any]] = json.loads(done.stdout)
    return said


def told(count: int, size: int, runs: list[list[dict[str, Any]]]) -> str:
    """The table and what it was measured on."""
    shared = [(len(run), *(sum(rank[of]["Pss"] for rank in run) for of in ("process", "map"))) for run in runs]
    further = [("", "")] + [
        tuple(_megabytes((now[of] - then[of]) / (now[0] - then[0])) for of in (1, 2)) for then, now in pairwise(shared)
    ]
    head = ["ranks", "a rank: peak RSS", "RSS", "of it map", "all ranks: PSS", "of it map"]
    head += ["each further rank: PSS", "of it map"]
    rows = [
        [
            str(ranks),
            *(_megabytes(max(figures)) for figures in zip(*(_resident(rank) for rank in run), strict=True)),
            _megabytes(whole),
            _megabytes(of_map),
            *each,
        ]
        for run, (ranks, whole, of_map), each in zip(runs, shared, further, strict=True)
    ]
    about = f"A map of {count:,} URLs, {_megabytes(size)} in files; {this_machine()}."
    return f"{about}\n\n{table(head, rows)}"


def memory_by_file(smaps: str) -> dict[str, Counter[str]]:
    """Bytes by name (Rss, Pss, ...) of each mapped file, from the text of /proc/PID/smaps; "" is what is no file."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    file = ""
    for line in smaps.splitlines():
        if span := _MAPPING.match(line):
            file = span["file"] if span["file"].startswith("/") else ""
        elif line.endswith(" kB"):
            name, number, _ = line.split()
            found[file][name.rstrip(":")] += int(number) << 10
    return dict(found)


def _resident(rank: dict[str, Any]) -> tuple[int, int, int]:
    return rank["peak"], rank["process"]["Rss"], rank["map"]["Rss"]


def _be_a_rank(folder: Path, count: int) -> None:
    from mpi4py import MPI

    import crawler.rank.crawl  # noqa: F401  # a rank has all of it in memory

    comm = MPI.COMM_WORLD
    held = PartitionMap.open(folder)
    for first in range(0, count, _CHUNK):
        urls = urls_of(first, min(count, first + _CHUNK))
        hashes = url_hashes(urls)
        numbers = held.numbers(hashes, urls)
        if held.parts_of(hashes, urls).min() < 0 or held.urls_of(numbers[::_FEW]) != urls[::_FEW]:
            sys.exit("error: the map does not hold what it should")
    comm.Barrier()
    by_file = memory_by_file(Path("/proc/self/smaps").read_text())
    comm.Barrier()
    own = {
        "process": sum(by_file.values(), Counter()),
        "map": sum((memory for file, memory in by_file.items() if file.startswith(f"{folder}/")), Counter()),
        "peak": peak_memory(),
    }
    everyone = comm.gather(own)
    if everyone is not None:
        print(json.dumps(everyone))


def _megabytes(count: float) -> str:
    return f"{count / 1e6:,.1f} MB"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=1_000_000, help="in the map; 1000000 if not given")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/partitioning.md")
    parser.add_argument("--rank", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
