"""What a page costs: crawls a generated web on loopback and prints CPU per page, by stage and by number of ranks.

The web (200 sites, 20,000 pages of 22 kB, 60 links a page, compressed beforehand) is served by nginx, or by `cutweb web
serve` where there is no nginx; WARC and tables are written as in any crawl; delays are off.  Every figure is the
median of several runs, the kinds of run taking turns, so that a slow spell of the machine hits all alike.

The crawler as it was at another commit takes turns, too; by default at the first that had such figures.

    python -m scripts.bench.page_cost                    print the tables
    python -m scripts.bench.page_cost --beside COMMIT    beside those of this commit
    python -m scripts.bench.page_cost --save             and keep them in docs/performance.json; docs/performance.md
                                                         and docs/scale.md, which reckons with them, are written from it
    python -m scripts.bench.page_cost --render           write both again from docs/performance.json
"""

import argparse
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from scripts.bench.measured_crawl import measured_crawl
from scripts.bench.micro_choices import measure_choices
from scripts.bench.nginx_server import served_by_nginx
from scripts.bench.page_cost_report import as_markdown
from scripts.irlbot.scale_json import renewed, write
from scripts.shared.other_commit import code_at, named
from scripts.shared.this_machine import this_machine
from sessions.localweb.generate.make import make_web

ROOT = Path(__file__).resolve().parents[2]
WEB = {"sites": 200, "pages": 20_000, "seed": 1, "links": 60.0, "page_kb": 22.0, "gzip": True}
PORT = 8380
KINDS = [(1, "site-hash"), (2, "site-hash"), (2, "page-hash"), (4, "site-hash"), (4, "page-hash")]
RULED = [(1, "site-hash"), (4, "page-hash")]
"""Crawls that are measured with the rules and caps of the open web, too."""
FIRST = "cfe79ce"
"""The commit that first measured what a page costs."""

Crawls = dict[tuple[int, str], list[dict[str, Any]]]


def main() -> None:
    options = _options()
    if options.render:
        render(json.loads((ROOT / "docs" / "performance.json").read_text()))
        return
    folder = ROOT / "build" / "bench"
    web = folder / "bench.warc.gz"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server is stopped
    if not web.exists():
        print("inventing the web to crawl ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        make_web(web, **WEB)  # type: ignore[arg-type]
    code = code_at(options.beside, folder)
    now: Crawls = {kind: [] for kind in KINDS}
    then: Crawls = {kind: [] for kind in KINDS}
    ruled: Crawls = {kind: [] for kind in RULED}
    with _served(web, folder) as (server, arguments):
        for number in range(options.runs):
            for kind in KINDS:
                print(f"run {number + 1} of {options.runs}: K={kind[0]} {kind[1]} ...", file=sys.stderr)
                asked = _asked(*kind, web.parent / "bench.seeds.txt", arguments)
                now[kind].append(measured_crawl(asked))
                then[kind].append(measured_crawl(asked, code))
                if kind in ruled:
                    ruled[kind].append(measured_crawl(asked, has_rules=True))
    figures = {
        "machine": this_machine(),
        "server": server,
        "runs": options.runs,
        "commit": named(),
        "crawls": [_medians(*kind, now[kind]) for kind in KINDS],
        "ruled": [_medians(*kind, ruled[kind]) for kind in RULED],
        "beside": {"commit": named(options.beside), "crawls": [_medians(*kind, then[kind]) for kind in KINDS]},
        "choices": measure_choices(web),
    }
    print(as_markdown(figures))
    if options.save:
        render(kept_with(figures, ROOT / "docs" / "performance.json"))


def kept_with(figures: dict[str, Any], file: Path) -> dict[str, Any]:
    """Keep figures in a file, beside those that other scripts have kept there; return all of them."""
    every: dict[str, Any] = json.loads(file.read_text()) | figures
    file.write_text(json.dumps(every, indent=1) + "\n")
    return every


def render(figures: dict[str, Any]) -> None:
    """Write the pages that tell of these figures."""
    (ROOT / "docs" / "performance.md").write_text(as_markdown(figures))
    write(renewed())


def _asked(ranks: int, assignment: str, seeds: Path, arguments: list[str]) -> list[str]:
    kind = ["--ranks", str(ranks), "--assign", assignment, "--seeds", str(seeds)]
    return [*kind, "--delay", "0", "--server-delay", "0", *arguments]


def _medians(ranks: int, assignment: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    figures = {name: median(run[name] for run in runs) for name in runs[0]}
    return {"ranks": ranks, "assignment": assignment, **figures}


@contextmanager
def _served(web: Path, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the web; the server's name, and what tells a crawl to go there."""
    if shutil.which("nginx") is None:
        command = [sys.executable, "-m", "crawler", "web", "serve", str(web), "--port", str(PORT)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield "cutweb web serve", ["--connect-to", f"::127.0.0.1:{PORT}"]
        finally:
            server.terminate()
            server.wait()
        return
    with served_by_nginx([web], folder / "nginx", PORT):
        yield "nginx", ["--connect-to", f"::127.0.0.1:{PORT}"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each kind (default 3)")
    parser.add_argument("--beside", default=FIRST, metavar="COMMIT", help=f"the other crawler (default {FIRST})")
    parser.add_argument("--save", action="store_true", help="write docs/performance.json and docs/performance.md")
    parser.add_argument("--render", action="store_true", help="measure nothing: write the page from the figures kept")
    return parser.parse_args()


if __name__ == "__main__":
    main()
