"""What epochs cost: pages per second of a crawl that commits as it does by default, over that of one that does not.

The web is invented and served by nginx on this machine, and crawled without delays.  A crawl without epochs commits
when it ends: the early epochs of a young crawl, which no option leaves out, are taken out of it here.  Runs with and
without take turns, so that a slow spell of the machine hits all alike; figures are medians.  The pauses are told by the
crawl's own log: closing the files of an epoch, and committing them.

    python -m scripts.bench.epochs --pages 100000 --runs 3
    python -m scripts.bench.epochs --save          and keep the table in docs/resuming.md
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from crawler.launch.start_ranks import find_mpiexec
from scripts.bench.nginx_server import served_by_nginx
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.localweb.generate.make import make_web
from sessions.session import Session

PORT = 8383
NEVER = "1000000"
_RUN = "from crawler.main import main; main()"
_RUN_WITHOUT_EARLY_EPOCHS = (
    f"from crawler import epoch_schedule; epoch_schedule.FIRST_EPOCH_SECONDS = float('inf'); {_RUN}"
)
INTERVALS = ("60", "5", NEVER)


class Run(NamedTuple):
    """One crawl: pages per second, epochs, and the share of the time that went into closing and committing them."""

    pages_per_second: float
    epochs: int
    share: float


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server is stopped
    folder = ROOT / "build" / f"bench_epochs-{options.pages}"
    web = folder / "web.warc.gz"
    if not web.exists():
        print("inventing the web to crawl ...", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        make_web(web, sites=200, pages=options.pages, seed=1, links=60.0, page_kb=22.0, gzip=True)
    runs: dict[tuple[int, str], list[Run]] = {}
    with served_by_nginx([web], folder / "nginx", PORT):
        for number in range(options.runs):
            for ranks in options.ranks:
                for interval in INTERVALS:
                    print(f"run {number + 1} of {options.runs}: K = {ranks}, {interval} s ...", file=sys.stderr)
                    runs.setdefault((ranks, interval), []).append(_run(web, ranks, interval))
    text = f"{options.pages:,} pages, medians of {options.runs} runs; {this_machine()}:\n\n{_table(runs)}"
    print(text, end="")
    if options.save:
        keep("resuming.md", "epochs", text)


def _run(web: Path, ranks: int, interval: str) -> Run:
    seeds = web.with_name("web.seeds.txt")
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "session"
        code = _RUN_WITHOUT_EARLY_EPOCHS if interval == NEVER else _RUN
        command = [find_mpiexec() or "mpiexec", "-n", str(ranks), sys.executable, "-c", code, "crawl", "--log-json"]
        command += ["--out", str(out), "--seeds", str(seeds), "--ranks", str(ranks)]
        command += ["--connect-to", f"::127.0.0.1:{PORT}", "--delay", "0", "--server-delay", "0", *WITHOUT_RULES]
        subprocess.run([*command, "--epoch-seconds", interval], check=True, capture_output=True)
        session = Session.open(out)
        reports = session.rank_reports()
        seconds = max(report["seconds"] for report in reports)
        (log,) = (out / "log").glob("rank-0000-*.jsonl")
        events = [json.loads(line) for line in log.read_text().splitlines()]
    pauses = [event["seconds"] for event in events if event["event"] in ("epoch closed", "epoch committed")]
    pages = sum(report["fetched"] for report in reports)
    return Run(pages / seconds, session.epoch_count, sum(pauses) / seconds)


def _table(runs: dict[tuple[int, str], list[Run]]) -> str:
    rows = []
    for (ranks, interval), of_kind in runs.items():
        speed = median(run.pages_per_second for run in of_kind)
        without = median(run.pages_per_second for run in runs[ranks, NEVER])
        epochs, share = median(run.epochs for run in of_kind), median(run.share for run in of_kind)
        name = "at the end only" if interval == NEVER else interval
        rows.append([str(ranks), name, f"{speed:,.0f}", f"{speed / without:.3f}", f"{epochs:g}", f"{100 * share:.2f}%"])
    return table(["K", "epoch, s", "pages/s", "to none", "epochs", "time in pauses"], rows)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--ranks", type=_numbers, default=[1, 2], help="as in 1,2")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/resuming.md")
    return parser.parse_args()


def _numbers(text: str) -> Sequence[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
