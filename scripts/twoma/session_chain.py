"""Sessions in a row: each is replayed by the map that was made of the one before."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

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
class Replayed:
    """A session that was replayed in virtual time, by the map ``made`` if there was one."""

    path: Path
    made: Path | None = None

    @cached_property
    def sent_bytes(self) -> int:
        """The bytes of the URLs that ranks sent each other."""
        return int(summarise(Session.open(self.path)).total["sent_bytes"])

    @cached_property
    def makespan(self) -> float:
        """Virtual seconds from the first request to the last answer."""
        begins, milliseconds = self._times
        return float((begins + milliseconds / 1000).max() - begins.min())

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


@dataclass(frozen=True)
class Points:
    """Crawl points at different places: a recorded session, and the file with the latencies from each of them."""

    recorded: Path
    latencies: Path

    def replay(self, out: Path, made: Path | None = None) -> Replayed:
        """Replay the session by a map, or by site hash if there is none, into the folder ``out``."""
        owned = ["--assign", "site-hash"] if made is None else ["--partition", str(made)]
        mpiexec = [str(_BIN / "mpiexec"), "-n", str(RANKS)]
        words = ["replay", str(self.recorded), *owned, "--latency", f"@{self.latencies}", *_PACE, "--out", str(out)]
        _run([*mpiexec, str(_BIN / "cutweb"), *words])
        return Replayed(out, made)


def chain(points: Points, first: Replayed, folder: Path, sessions: int, cut: Sequence[str]) -> Iterator[Replayed]:
    """Yield so many sessions in a row: the ``first``, and others by maps that `cutweb partition` makes with ``cut``."""
    now, previous = first, list[str]()
    folder.mkdir()
    yield now
    for number in range(2, sessions + 1):
        made = partition(now, folder / f"map-{number}", *cut, *previous)
        previous = ["--previous-map", str(made)]
        now = points.replay(folder / f"session-{number}", made)
        yield now


def partition(session: Replayed, out: Path, *cut: str) -> Path:
    """Make the map ``out`` of a session, and return it."""
    _run([str(_BIN / "cutweb"), "partition", str(session.path), "--parts", str(RANKS), *cut, "--out", str(out)])
    return out


def _run(words: Sequence[str]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}  # ranks shall import what this script imports
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
