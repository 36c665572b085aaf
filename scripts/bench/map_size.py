"""What partition maps of millions of URLs cost: to write on 1 and 2 ranks, to open, and to ask.

URLs are made up on the way, the same every time: as many sites as a hundredth of the URLs, the largest with several
hundredths of them and most with a dozen; directories in them, of any size; 16 parts, by sites, and by directories in
the largest sites.  Ranks write the map together, each with a share of the URLs.  CPU seconds are user and system time
of all ranks, without what it takes to make up the URLs; with several ranks they have in them that a rank which waits
for another asks without pause.  Then a process by itself opens the map and asks: for URLs in random order while the
file is not in memory (cold), and again (hot); for URLs that the map does not hold; and, in one more process, for all
URLs of one part, after which /proc/self/smaps says what it has of the file in memory.

    python -m scripts.bench.map_size                 print the tables: 1, 5 and 20 million URLs; a quarter of an hour
    python -m scripts.bench.map_size --save          and keep them in docs/partitioning.md
    python -m scripts.bench.map_size --urls 100000 --ranks 2
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crawler.launch.start_ranks import find_mpiexec
from partition.communication.ranks import Ranks
from partition.map.manifest import SHARDS, Origin
from partition.map.partition_map import PartitionMap
from partition.map.spilled_rows import Rows
from partition.map.write_map import build_map
from scripts.bench.map_memory import memory_by_file
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.peak_memory import peak_memory
from sessions.url import Hashes, url_hashes

PARTS = 16
URLS = (1_000_000, 5_000_000, 20_000_000)
RANKS = (1, 2)
FAR = 100_000_000
_BATCH = 1 << 16
_ASKED = 10_000
"""URLs in a lookup, as `partition.quality.map_costs` asks."""
_LOOKUPS = 30
_LARGE_SITES = 64
_PAGES_PER_SITE = 100
_PAGES_PER_DIRECTORY = 30
_WORDS = "news people shop about library music travel science sports health books film archive forum help"

Numbers = npt.NDArray[np.int64]
Made = TypeVar("Made")


def main() -> None:
    options = _options()
    if options.build is not None:
        _build(options.build, options.urls[0])
    elif options.ask is not None:
        print(json.dumps({"all": asked, "part": asked_for_a_part}[options.what](options.ask, options.urls[0])))
    else:
        with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
            text = measured(Path(scratch), options.urls, options.ranks)
        print(text)
        if options.save:
            keep("partitioning.md", "map_size", text)


class MadeUpUrls:
    """``count`` URLs by number, all different; where each belongs follows from its number."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._sites = max(2, count // _PAGES_PER_SITE)

    def urls(self, numbers: Numbers, end: str = ".html") -> list[str]:
        """The URLs of these numbers."""
        sites, directories = self._places(numbers)
        names = numbers.astype(np.uint32) * np.uint32(2654435761)  # a bijection: no two pages have one name
        words = _WORDS.split()
        count = len(words)
        rows = zip(sites.tolist(), directories.tolist(), names.tolist(), strict=True)
        return [
            f"https://www.{words[site % count]}{site}.example/{words[directory % count]}-{directory}/"
            f"{words[name % 13]}-{words[name % 11]}-{name:08x}{end}"
            for site, directory, name in rows
        ]

    def parts(self, numbers: Numbers) -> npt.NDArray[np.uint16]:
        """The part of each."""
        sites, directories = self._places(numbers)
        of_sites = sites * 2654435761 % 2**32 >> 28
        return np.where(sites < _LARGE_SITES, (sites + directories) % PARTS, of_sites).astype(np.uint16)

    def rows(self, first: int, last: int) -> Iterator[Rows]:
        """Rows of a map, in batches."""
        for begin in range(first, last, _BATCH):
            numbers = np.arange(begin, min(last, begin + _BATCH))
            urls = self.urls(numbers)
            yield Rows(pa.array(urls, pa.large_string()), url_hashes(urls), self.parts(numbers))

    def _places(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """The site and the directory of each page."""
        even, uneven = numbers * 0.6180339887498949 % 1, numbers * 0.7548776662466927 % 1
        sites = np.floor(self._sites**even).astype(np.int64)
        in_site = self.count / (sites * np.log(self._sites))
        return sites, (uneven**2 * (1 + in_site / _PAGES_PER_DIRECTORY)).astype(np.int64)


class Written(NamedTuple):
    """What it took ``ranks`` to write a map: CPU seconds of all, seconds, and the largest peak of a rank's memory."""

    urls: int
    ranks: int
    shards: int
    cpu: float
    seconds: float
    peak: float
    bytes: float

    def row(self) -> list[str]:
        """Its row of the table."""
        return [
            f"{self.urls:,}",
            str(self.ranks),
            str(self.shards),
            f"{self.cpu:.1f} s",
            f"{self.cpu / self.urls * 1e6:.2f} µs",
            f"{self.seconds:.1f} s",
            f"{self.peak / 1e6:,.0f} MB",
            f"{self.bytes / self.urls:.2f}",
        ]


def measured(scratch: Path, counts: list[int], ranks: list[int]) -> str:
    """The tables of maps of so many URLs written by so many ranks."""
    written, asked_of = [], []
    for count in counts:
        for size in ranks:
            folder = scratch / f"{count}-{size}"
            of_ranks = _on_ranks(size, "--build", str(folder), "--urls", str(count))
            manifest = PartitionMap.open(folder, verify=False).manifest
            took = (sum(of_ranks["cpu"]), max(of_ranks["seconds"]), max(of_ranks["peak"]))
            written.append(Written(count, size, len(manifest.shards), *took, manifest.mapped_bytes))
            print(written[-1], file=sys.stderr, flush=True)
        ask = [sys.executable, "-m", "scripts.bench.map_size", "--ask", str(folder), "--urls", str(count), "--what"]
        asked_of.append({"URLs": f"{count:,}", **_said([*ask, "all"]), **_said([*ask, "part"])})
        print(asked_of[-1], file=sys.stderr, flush=True)
    return told(written, asked_of)


def told(written: list[Written], asked_of: list[dict[str, str]]) -> str:
    """The tables, and what follows from the largest map for one of `FAR` URLs."""
    rows = [[found[name] for name in _ASKED_HEAD] for found in asked_of]
    largest = max(written)
    times = FAR / largest.urls
    far = (
        f"At the rates of {largest.urls:,} URLs on {largest.ranks} ranks, {FAR:,} take {largest.cpu * times:,.0f} s of "
        f"CPU and {largest.bytes * times / 1e9:.2f} GB in {round(largest.shards * times)} shards; this was not run."
    )
    tables = f"{table(_WRITTEN_HEAD, [its.row() for its in written])}\n{table(_ASKED_HEAD, rows)}"
    return f"Maps of {PARTS} parts; {this_machine()}.\n\n{tables}\n{far}\n"


_WRITTEN_HEAD = ["URLs", "ranks", "shards", "CPU", "CPU a URL", "time", "peak memory a rank", "bytes a URL"]
_COLD, _HOT, _UNKNOWN, _BY_PREFIX = "cold", "hot", "not in the map", "these by prefix"
_OPENED, _VERIFIED, _OF_A_PART = "opened in", "verified in", "in memory for the URLs of one part"
_ASKED_HEAD = ["URLs", _OPENED, _VERIFIED, _COLD, _HOT, _UNKNOWN, _BY_PREFIX, _OF_A_PART]


def _on_ranks(size: int, *arguments: str) -> dict[str, list[float]]:
    mpiexec = find_mpiexec()
    if mpiexec is None:
        sys.exit("error: no mpiexec; run make setup")
    return _said([mpiexec, "-n", str(size), sys.executable, "-m", "scripts.bench.map_size", *arguments])


def _said(command: list[str]) -> dict[str, Any]:
    """What a process says at its end."""
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": paths, "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def _build(folder: Path, count: int) -> None:
    """Be one of the ranks that write a map; rank 0 says what it took all of them."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    made_up, made_up_cpu = MadeUpUrls(count), 0.0
    bounds = [count * rank // comm.size for rank in range(comm.size + 1)]

    def rows() -> Iterator[Rows]:
        nonlocal made_up_cpu
        batches = made_up.rows(bounds[comm.rank], bounds[comm.rank + 1])
        while True:
            before = _cpu()
            batch = next(batches, None)
            made_up_cpu += _cpu() - before
            if batch is None:
                return
            yield batch

    _compile()
    comm.Barrier()
    began, before = perf_counter(), _cpu()
    build_map(folder, Origin("page"), k=PARTS, rows=rows(), prefixes=None, ranks=Ranks(comm))
    own = {"cpu": _cpu() - before - made_up_cpu, "seconds": perf_counter() - began, "peak": peak_memory()}
    everyone = comm.gather(own)
    if everyone is not None:
        print(json.dumps({name: [each[name] for each in everyone] for name in own}))


def _compile() -> None:
    """Write a map of few URLs, so that what is compiled at its first use is not measured."""
    with tempfile.TemporaryDirectory() as scratch:
        build_map(Path(scratch) / "map", Origin("page"), k=PARTS, rows=MadeUpUrls(1000).rows(0, 1000), prefixes=None)


def asked(folder: Path, count: int) -> dict[str, str]:
    """How fast a map opens and answers."""
    made_up, random = MadeUpUrls(count), np.random.default_rng(1)
    samples = [random.integers(0, count, _ASKED) for _ in range(_LOOKUPS)]
    known = [_with_hashes(made_up.urls(sample)) for sample in samples]
    unknown = [_with_hashes(made_up.urls(sample, "?new")) for sample in samples]
    _compile_lookups()
    _forget(folder / SHARDS)
    opened, held = _seconds(lambda: PartitionMap.open(folder, verify=False))
    cold = _rate(held.parts_of, known)
    if any((held.parts_of(*each) != made_up.parts(sample)).any() for each, sample in zip(known, samples, strict=True)):
        sys.exit("error: the map does not hold what it should")
    found = {_OPENED: f"{opened * 1e3:.1f} ms", _COLD: cold, _HOT: _rate(held.parts_of, known)}
    found[_UNKNOWN] = _rate(held.parts_of, unknown)
    found[_BY_PREFIX] = _rate(lambda _, urls: [held.part_by_prefix(url) for url in urls], unknown)
    found[_VERIFIED] = f"{_seconds(lambda: PartitionMap.open(folder))[0]:.2f} s"
    return found


def asked_for_a_part(folder: Path, count: int) -> dict[str, str]:
    """What a rank has of a map in its memory that has asked for the parts and numbers of all URLs of its part."""
    made_up = MadeUpUrls(count)
    held = PartitionMap.open(folder, verify=False)
    for first in range(0, count, _BATCH):
        numbers = np.arange(first, min(count, first + _BATCH))
        hashes, urls = _with_hashes(made_up.urls(numbers[made_up.parts(numbers) == 0]))
        if (held.parts_of(hashes, urls) != 0).any() or (held.numbers(hashes, urls) < 0).any():
            sys.exit("error: the map does not hold what it should")
    by_file = memory_by_file(Path("/proc/self/smaps").read_text())
    resident = sum(memory["Rss"] for file, memory in by_file.items() if file == str(folder / SHARDS))
    size = held.manifest.mapped_bytes
    return {_OF_A_PART: f"{resident / 1e6:,.1f} of {size / 1e6:,.1f} MB"}


def _with_hashes(urls: list[str]) -> tuple[Hashes, list[str]]:
    return url_hashes(urls), urls


def _compile_lookups() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "map"
        build_map(folder, Origin("page"), k=PARTS, rows=MadeUpUrls(1000).rows(0, 1000), prefixes=None)
        PartitionMap.open(folder).parts_of(*_with_hashes(MadeUpUrls(1000).urls(np.arange(10))))


def _forget(path: Path) -> None:
    """Let no part of a file be in memory, so that it has to be read from disk."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _rate(ask: Callable[[Hashes, list[str]], object], batches: list[tuple[Hashes, list[str]]]) -> str:
    """Lookups in a second of CPU time, since other programs run meanwhile."""
    before = _cpu()
    for each in batches:
        ask(*each)
    return f"{_ASKED * len(batches) / (_cpu() - before):,.0f}/s"


def _seconds(make: Callable[[], Made]) -> tuple[float, Made]:
    began = perf_counter()
    made = make()
    return perf_counter() - began, made


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, nargs="+", default=list(URLS), help="in each map")
    parser.add_argument("--ranks", type=int, nargs="+", default=list(RANKS), help="that write it")
    parser.add_argument("--folder", type=Path, help="where the maps lie meanwhile; the system's folder if not given")
    parser.add_argument("--save", action="store_true", help="keep the tables in docs/partitioning.md")
    for name in ("--build", "--ask"):
        parser.add_argument(name, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--what", choices=["all", "part"], help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
