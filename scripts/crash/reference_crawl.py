"""What all runs of the crash test share: a web, what an undisturbed crawl of it finds, and maps of it."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from scripts.crash.plans import HASTY, PARTITION, Attempt
from scripts.crash.verdict import Found
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session

_ROOT = Path(__file__).resolve().parents[2]
_FAULTS = _ROOT / "scripts" / "crash" / "faults"
_MAPPED_SHARE = 0.5


class Ground:
    """Lies in ``folder``.  What takes time is made when it is first asked for, by whichever thread asks."""

    def __init__(self, folder: Path, pages: int) -> None:
        self.folder = folder
        self._web = make_web(
            folder / "web.warc.gz", sites=20, pages=pages, seed=7, links=3.0, page_kb=2.0, robots=0.3, skew=0.5
        )
        self._pages = pages
        self._expected: Found | None = None
        self._maps: dict[int, Path] = {}
        self._half: Path | None = None
        self._lock = threading.Lock()

    def web(self) -> LocalWeb:
        """A server of the web, to be started."""
        return LocalWeb([self._web.path])

    def begin(self, web: LocalWeb, out: Path, ranks: int) -> list[str]:
        """The command that begins a crawl."""
        where = ["--connect-to", web.connect_to, "--ca-cert", str(web.ca_cert), "--seeds", str(self._web.seeds_path)]
        return [*_CUTWEB, "crawl", "--out", str(out), "--ranks", str(ranks), *where, *WITHOUT_RULES]

    def resume(self, out: Path, ranks: int | None) -> list[str]:
        """The command that goes on with one."""
        how_many = () if ranks is None else ("--ranks", str(ranks))
        return [*_CUTWEB, "crawl", "--take-over", "--resume", str(out), *how_many]

    def ownership(self, attempt: Attempt) -> list[str]:
        """The options that say who owns a URL."""
        if attempt.assignment != PARTITION:
            return ["--assign", attempt.assignment]
        return ["--partition", str(self.map(attempt.ranks))]

    def expected(self) -> Found:
        """What an undisturbed crawl of two ranks finds."""
        with self._lock:
            if self._expected is None:
                self._expected = Found.of(Session.open(self._crawled("undisturbed", 2)))
            return self._expected

    def map(self, ranks: int) -> Path:
        """A partition map for so many ranks, of an earlier crawl that has seen half of the web."""
        with self._lock:
            if self._half is None:
                few = ("--max-pages", str(round(_MAPPED_SHARE * self._pages)))
                self._half = self._crawled("earlier", 1, *few)
            if ranks not in self._maps:
                out = self._maps[ranks] = self.folder / f"map-{ranks}"
                options = ["--parts", str(ranks), "--effort", "low", "--out", str(out)]
                _run([*_CUTWEB, "partition", str(self._half), *options])
            return self._maps[ranks]

    def environment(self) -> Mapping[str, str]:
        """What a crawl needs to be found, and to be able to die at a step to disk."""
        return {**os.environ, "PYTHONPATH": f"{_ROOT}:{_FAULTS}"}

    def _crawled(self, name: str, ranks: int, *options: str) -> Path:
        out = self.folder / name
        with self.web() as web:
            _run([*self.begin(web, out, ranks), *HASTY, *options])
        return out


_CUTWEB = (sys.executable, "-m", "crawler")


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(_ROOT)}
    )
    if done.returncode:
        sys.exit(f"crash: an undisturbed command failed: {' '.join(command)}\n{done.stderr}")
