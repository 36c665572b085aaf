"""Crawl points as namespaces of this machine: real crawls of `unequal_web` from four places, over lines of their kind.

Each rank is a host, and so is the server of each place.  A line of its own joins every rank with every place: 2 ms
there and back and 100 Mbit/s to the near one, 40 ms and 10 Mbit/s to the others.  Ranks talk to each other through
memory, as on one machine: MPI has no part in what is measured.  It wants root, iproute2 and tun devices.
"""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from scripts.shared.doc_tables import ROOT
from scripts.shared.network_namespaces import add_host, end_with_parent, hosts_with, ip, lacking, remove_host
from scripts.twoma.delay_line import DelayLine, End
from scripts.twoma.session_chain import Crawled, run_command
from scripts.twoma.unequal_web import PAGES, RANKS, SITES, page_url, site_address, site_name, write_unequal_pages
from sessions.session import Session

NEAR_SECONDS, FAR_SECONDS = 0.002, 0.04
"""There and back."""
NEAR_RATE, FAR_RATE = "100mbit", "10mbit"
_PREFIX = "unequal-"
_PORT = 80
_PACE = ("--connections", "8", "--delay", "0", "--server-delay", "0", "--superstep", "0.2")


def missing() -> str | None:
    """Return what this machine lacks for crawl points, in words; None if nothing."""
    return lacking(["tc"]) or (None if Path("/dev/net/tun").exists() else "crawl points need /dev/net/tun")


def point(rank: int) -> str:
    """Return the host of a rank."""
    return f"{_PREFIX}point{rank}"


def place(number: int) -> str:
    """Return the host that serves the sites of a place."""
    return f"{_PREFIX}place{number}"


class CrawlPoints:
    """The hosts, and the servers of a web of so many sites, as long as the `with` lasts; files go into ``folder``."""

    def __init__(self, folder: Path, *, sites: int = SITES) -> None:
        self.folder = folder
        self.near: npt.NDArray[np.int64] = write_unequal_pages(folder / "web.warc.gz", sites=sites)
        self._servers: list[subprocess.Popen[bytes]] = []
        self._line = DelayLine()
        self._stack = ExitStack()
        (folder / "seeds").write_text("".join(f"{page_url(site * PAGES)}\n" for site in range(sites)))

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            _remove_hosts()
            stack.callback(_remove_hosts)
            self._make_hosts()
            self._lay_cables()
            stack.enter_context(self._line)
            self._start_servers(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def crawl(self, out: Path, made: Path | None = None) -> Crawled:
        """Crawl the web by a map, or by site hash if there is none, into the folder ``out``."""
        owned = ["--assign", "site-hash"] if made is None else ["--partition", str(made)]
        words = [sys.executable, "-m", "crawler", "crawl", "--ranks", str(RANKS), "--seeds", str(self.folder / "seeds")]
        words += ["--scope", "all", "--contact", "tests@cutweb.example", "--allow-net", "10.0.0.0/8", *owned, *_PACE]
        command = [str(Path(sys.executable).parent / "mpiexec")]
        for rank in range(RANKS):
            command += [*([":"] if rank else []), "-n", "1", *_on(point(rank)), *words, "--out", str(out)]
        before = self._cpu_seconds()
        run_command(command)
        return Crawled(out, made, self._cpu_seconds() - before)

    def near_share(self, session: Crawled) -> float:
        """Return the share of a session's pages that were fetched by the rank that is near to their site."""
        pages = Session.open(session.path).read("pages", ["site", "rank"])
        near = {site_name(site): int(rank) for site, rank in enumerate(self.near)}
        at_home = sum(near[page["site"]] == page["rank"] for page in pages.to_pylist())
        return at_home / len(pages)

    def run_on(self, host: str, *command: str) -> str:
        """Return what a command prints that runs on a host; CalledProcessError if it fails."""
        return subprocess.run([*_on(host), *command], check=True, stdout=subprocess.PIPE, text=True).stdout

    def start_on(self, host: str, *command: str) -> subprocess.Popen[bytes]:
        """Start something on a host; it ends with this process at the latest, and with the hosts."""
        return subprocess.Popen(
            [*_on(host), *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            preexec_fn=end_with_parent,
        )

    def _make_hosts(self) -> None:
        names = [(site_address(site, int(near)), site_name(site)) for site, near in enumerate(self.near)]
        for number in range(RANKS):
            add_host(point(number), names)
            add_host(place(number), [])
            ip("-n", place(number), "route", "add", "local", _network(number), "dev", "lo")

    def _lay_cables(self) -> None:
        for rank in range(RANKS):
            address = f"10.1.{rank}.1"
            for number in range(RANKS):
                near = End(point(rank), f"place{number}", address, _network(number))
                far = End(place(number), f"point{rank}", f"10.1.{rank}.2", f"{address}/32")
                is_near = rank == number
                seconds, rate = (NEAR_SECONDS, NEAR_RATE) if is_near else (FAR_SECONDS, FAR_RATE)
                self._line.lay(near, far, round_trip=seconds, rate=rate)

    def _start_servers(self, stack: ExitStack) -> None:
        serve = [sys.executable, "-m", "crawler", "web", "serve", str(self.folder / "web.warc.gz"), "--host", "0.0.0.0"]
        for number in range(RANKS):
            server = self.start_on(place(number), *serve, "--port", str(_PORT))
            stack.enter_context(server)
            stack.callback(server.kill)
            self._servers.append(server)
        for server in self._servers:
            assert server.stdout is not None
            if not server.stdout.readline().startswith(b"serving"):
                raise RuntimeError(f"a web server did not start: {server.args}")

    def _cpu_seconds(self) -> float:
        """What servers and lines have taken so far."""
        return self._line.cpu_seconds() + sum(_cpu_seconds(server.pid) for server in self._servers)


def _on(host: str) -> list[str]:
    return ["ip", "netns", "exec", host]


def _network(number: int) -> str:
    """The addresses of a place's sites."""
    return f"10.0.{number}.0/24"


def _remove_hosts() -> None:
    for host in hosts_with(_PREFIX):
        remove_host(host)


def _cpu_seconds(process: int) -> float:
    """What a process has taken so far of the processor, by itself and by the kernel for it."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
