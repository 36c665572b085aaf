"""A crawl of the hostile web through the command line, and what it has recorded."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sessions.session import Session
from tests.hostile.evil import UNKNOWN, Evil, Record
from tests.hostile.server import HostileWeb

ROOT = Path(__file__).resolve().parents[2]
DELAY_SECONDS = 0.02
PAGES_OF_A_SITE = 40
LINKS_OF_A_PAGE = 100
_PATIENCE_SECONDS = 120
_LIMITS = {
    "delay": DELAY_SECONDS,
    "server-delay": 0,
    "delay-factor": 0,
    "max-crawl-delay": 0.5,
    "timeout": 8,
    "connect-timeout": 8,
    "idle-timeout": 2,
    "dns-timeout": 2,
    "max-body": 3,
    "max-decoded": 20,
    "max-redirects": 5,
    "max-depth": 6,
    "parse-seconds": 0.5,
    "max-links": LINKS_OF_A_PAGE,
    "max-pages-per-site": PAGES_OF_A_SITE,
    "retry-wait": 0.1,
    "robots-wait": 2,
    "max-wait": 5,
    "superstep": 0.2,
    "connections": 128,
}


@dataclass
class HostileCrawl:
    """A crawl that has ended: what it said, how long it took, and the web that it went through."""

    web: HostileWeb
    out: Path
    tries: int
    done: subprocess.CompletedProcess[str]
    seconds: float

    @cached_property
    def session(self) -> Session:
        """What it left."""
        return Session.open(self.out)

    @cached_property
    def info(self) -> dict[str, Any]:
        """What ``cutweb info --json`` says of it, all ranks together."""
        total: dict[str, Any] = json.loads(cutweb("info", str(self.out), "--json").stdout)["total"]
        return total

    @cached_property
    def records(self) -> dict[str, Record]:
        """What became of each URL."""
        url_of = {row["hash"]: row["url"] for row in self._rows("urls", "hash", "url")}
        recorded = {
            url_of[row["hash"]]: Record("queued", row["reason"]) for row in self._rows("frontier", "hash", "reason")
        }
        for row in self._rows("outcomes", "hash", "state", "reason"):
            recorded[url_of[row["hash"]]] = Record(row["state"], row["reason"])
        for row in self._rows("pages", "url", "error", "status", "truncated"):
            recorded[row["url"]] = Record("fetched", row["error"] or "", row["status"], row["truncated"] or "")
        return recorded

    def differences(self) -> list[str]:
        """Where what was recorded is not what is right."""
        found = []
        for evil, url, right in self.expectations():
            recorded = self.records.get(url, UNKNOWN)
            if not any(one.matches(recorded) for one in right):
                meant = " or ".join(str(tuple(one)) for one in right)
                found.append(f"{evil.name}: {url[:80]}: recorded {tuple(recorded)}, right is {meant}")
        return found

    def expectations(self) -> Iterator[tuple[Evil, str, tuple[Record, ...]]]:
        """What is right, URL by URL."""
        for evil in self.web.evils.values():
            for url, records in evil.expectations(self.web.ports).items():
                yield evil, url, records

    def counted(self, state: str) -> Counter[str]:
        """How many URLs ended in a state, by reason, as the tables say."""
        return Counter(record.reason for record in self.records.values() if record.state == state and record.reason)

    def _rows(self, table: str, *columns: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.session.read(table, list(columns)).to_pylist()
        return rows


def cutweb(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    return subprocess.run(
        [sys.executable, "-m", "crawler", *arguments],
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1"},
    )


def crawl_options(web: HostileWeb) -> list[str]:
    """The options with which the hostile web is crawled."""
    return [*web.options(), "--traps", *(f"--{name}={value}" for name, value in _LIMITS.items())]


def crawl(web: HostileWeb, out: Path, ranks: int, tries: int) -> HostileCrawl:
    """Crawl a hostile web, which is running, from the root pages of all its sites; what fails is tried so often."""
    seeds = out.with_suffix(".txt")
    seeds.write_text("".join(f"{seed}\n" for seed in web.seeds))
    began = time.monotonic()
    numbers = (f"--ranks={ranks}", f"--retries={tries - 1}")
    done = cutweb("crawl", f"--seeds={seeds}", f"--out={out}", *numbers, *crawl_options(web))
    return HostileCrawl(web, out, tries, done, time.monotonic() - began)
