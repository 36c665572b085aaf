"""Sessions in a row: each is crawled by the map that was made of the one before."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from partition.map.manifest import read_manifest
from scripts.shared.doc_tables import ROOT
from scripts.twoma.unequal_web import RANKS
from sessions.analysis.summary import summarise
from sessions.session import Session

_BIN = Path(sys.executable).parent
_PACE = ("--connections", "8", "--delay", "0", "--server-delay", "0", "--superstep", "0.05")


@dataclass(frozen=True)
class Crawled:
    """A session of `RANKS` ranks, by the map ``made`` if there was one.

    ``served_seconds`` are the processor's for what is no rank: servers and lines.  They are 0 in virtual time.
    """

    path: Path
    made: Path | None = None
    served_seconds: float = 0.0

    @cached_property
    def sent_bytes(self) -> int:
        """The bytes of the URLs that ranks sent each other."""
        return int(summarise(Session.open(self.path)).total["sent_bytes"])

    @cached_property
    def makespan(self) -> float:
        """Seconds from the first request to the last answer, virtual ones if it was replayed."""
        begins, milliseconds = self._times
        return float((begins + milliseconds / 1000).max() - begins.min())

    @property
    def cpu_share(self) -> float:
        """What ranks, servers and lines took of this machine's processors, over all that there was in the makespan."""
        ranks = sum(summarise(Session.open(self.path)).total["cpu"].values())
        return float((ranks + self.served_seconds) / (self.makespan * (os.cpu_count() or 1)))

    @cached_property
    def imbalances(self) -> dict[str, float]:
        """Max / mean - 1 of what ranks had of bytes, of requests and of seconds of requests."""
        pages = Session.open(self.path).read("pages", ["rank", "bytes", "milliseconds"])
        ranks = pages["rank"].to_numpy()
        weights = {
            "bytes": pages["bytes"].to_numpy(),
            "requests": np.ones(len(ranks)),
            "seconds": pages["milliseconds"].to_numpy().astype(np.float64),
        }
        loads = {name: np.bincount(ranks, values, RANKS) for name, values in weights.items()}
        return {name: float(load.max() / load.mean() - 1) for name, load in loads.items()}

    @property
    def weight_imbalance(self) -> float | None:
        """The imbalance of the weight ``seconds`` that the map tells; None if there is no map, or none in it."""
        return None if self.made is None else read_manifest(self.made).origin.imbalances.get("seconds")

    def share_of(self, rank: int) -> float:
        """The share of all pages that a rank fetched."""
        ranks = Session.open(self.path).read("pages", ["rank"])["rank"].to_numpy()
        return float(np.count_nonzero(ranks == rank) / len(ranks))

    @property
    def _times(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        pages = Session.open(self.path).read("pages", ["fetched", "milliseconds"])
        begins = pages["fetched"].cast("int64").to_numpy() / 1e6
        return begins, pages["milliseconds"].to_numpy().astype(np.float64)


class Points(Protocol):
    """Crawl points at different places, real or not."""

    def crawl(self, out: Path, made: Path | None = None) -> Crawled:
        """Crawl by a map, or by site hash if there is none, into the folder ``out``."""


@dataclass(frozen=True)
class ReplayedPoints:
    """Crawl points in virtual time: a recorded session, and the file with the latencies from each of them."""

    recorded: Path
    latencies: Path

    def crawl(self, out: Path, made: Path | None = None) -> Crawled:
        """Replay the session by a map, or by site hash if there is none, into the folder ``out``."""
        owned = ["--assign", "site-hash"] if made is None else ["--partition", str(made)]
        mpiexec = [str(_BIN / "mpiexec"), "-n", str(RANKS)]
        words = ["replay", str(self.recorded), *owned, "--latency", f"@{self.latencies}", *_PACE, "--out", str(out)]
        run_command([*mpiexec, str(_BIN / "cutweb"), *words])
        return Crawled(out, made)


def chain(points: Points, first: Crawled, folder: Path, sessions: int, cut: Sequence[str]) -> Iterator[Crawled]:
    """Yield so many sessions in a row: the ``first``, and others by maps that `cutweb partition` makes with ``cut``."""
    now, previous = first, list[str]()
    folder.mkdir()
    yield now
    for number in range(2, sessions + 1):
        made = partition(now, folder / f"map-{number}", *cut, *previous)
        previous = ["--previous-map", str(made)]
        now = points.crawl(folder / f"session-{number}", made)
        yield now


def partition(session: Crawled, out: Path, *cut: str) -> Path:
    """Make the map ``out`` of a session, and return it."""
    run_command([str(_BIN / "cutweb"), "partition", str(session.path), "--parts", str(RANKS), *cut, "--out", str(out)])
    return out


def run_command(words: Sequence[str]) -> None:
    """Run a command with this checkout's code; RuntimeError with what it says if it fails."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}  # ranks shall import what this script imports
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
