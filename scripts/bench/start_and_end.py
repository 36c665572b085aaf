"""How soon a crawl makes its first request, and how soon it is over after its last answer.

Crawls of 1,000 pages that are made when they are asked for.  Times are taken here, where the pages are served: from the
command to the first request, and from the last answer to the end of the last process.  The least of several runs
counts, for whatever else the machine does adds to them.  CPU is that of the whole command, launcher and ranks.

    python -m scripts.bench.start_and_end             print the table
    python -m scripts.bench.start_and_end --save      and keep it in docs/performance.json and docs/performance.md

Reads the clock: it measures how long others take.
"""

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

from scripts.bench.page_cost import ROOT, render
from scripts.bench.page_cost_report import ends_table
from scripts.shared.this_machine import this_machine
from scripts.shared.without_rules import WITHOUT_RULES

_SITES, _PAGES_A_SITE = 20, 50
_RANKS = (1, 4)
_FIELDS = ("first_request", "last_answer_to_exit", "cpu")


class _Site:
    """Serves the pages of all sites; knows when it was first asked and when it last answered."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.last = 0.0
        self.answers = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                self.first = self.first or monotonic()
                while (await reader.readline()).strip():
                    pass
                writer.write(_answer(line.split()[1]))
                await writer.drain()
                self.last = monotonic()
                self.answers += 1
        except ConnectionError:
            pass
        finally:
            writer.close()


def _answer(path: bytes) -> bytes:
    if path == b"/robots.txt":
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    links = "".join(f'<a href="/{page}">{page}</a>' for page in range(1, _PAGES_A_SITE)) if path == b"/" else ""
    body = f"<html><title>{path.decode()}</title>{links}</html>".encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


async def _crawl(ranks: int) -> dict[str, float]:
    """One crawl: seconds from the command to the first request, from the last answer to the end, and of CPU."""
    site = _Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-P", "-m", "cutweb", "crawl", *WITHOUT_RULES, "--out", f"{folder}/session"]
        command += ["--ranks", str(ranks), "--delay", "0", "--server-delay", "0", "--connect-to", f"::127.0.0.1:{port}"]
        command += [f"http://s{number}.example/" for number in range(_SITES)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        before, began = _cpu_seconds(), monotonic()
        crawl = await asyncio.create_subprocess_exec(
            *command, env=environment, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        code = await crawl.wait()
        ended = monotonic()
    server.close()
    if code or site.first is None or site.answers < _SITES * _PAGES_A_SITE:
        raise SystemExit(f"a crawl by {ranks} ranks ended with {code} after {site.answers} answers")
    return dict(zip(_FIELDS, (site.first - began, ended - site.last, _cpu_seconds() - before), strict=True))


async def _help() -> float:
    """Seconds that ``cutweb --help`` takes."""
    began = monotonic()
    command = [sys.executable, "-P", "-m", "cutweb", "--help"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    helping = await asyncio.create_subprocess_exec(*command, env=environment, stdout=asyncio.subprocess.DEVNULL)
    await helping.wait()
    return monotonic() - began


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(runs: int) -> dict[str, Any]:
    """The least of so many runs of each kind."""
    crawls = {ranks: [asyncio.run(_crawl(ranks)) for _ in range(runs)] for ranks in _RANKS}
    return {
        "machine": this_machine(),
        "runs": runs,
        "pages": _SITES * _PAGES_A_SITE,
        "crawls": [
            {"ranks": ranks, **{field: min(run[field] for run in of_them) for field in _FIELDS}}
            for ranks, of_them in crawls.items()
        ],
        "help": min(asyncio.run(_help()) for _ in range(runs)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each kind (default 5)")
    parser.add_argument("--save", action="store_true", help="write docs/performance.json and docs/performance.md")
    options = parser.parse_args()
    ends = measure(options.runs)
    print(ends_table(ends))
    if options.save:
        file = Path(ROOT / "docs" / "performance.json")
        figures = {**json.loads(file.read_text()), "ends": ends}
        file.write_text(json.dumps(figures, indent=1) + "\n")
        render(figures)


if __name__ == "__main__":
    main()
