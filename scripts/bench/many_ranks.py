"""What many ranks cost: crawls with 8 to 64 ranks on this machine, and figures for more of them by reckoning.

A generated web (200 sites, 12,800 pages, on loopback, delays off) is crawled up to 100 pages a rank, once by page hash
and once by site hash for each K.  While ranks take turns on few cores wall time says nothing: CPU, messages, bytes and
memory are what is kept.  Memory is that of the moment at which the ranks together held most, by smaps_rollup (proc(5)).
Each crawl's figures are kept in build/bench/many_ranks.json, so that one K can be crawled again.

    python -m scripts.bench.many_ranks                     crawl with 8, 16, 32 and 64 ranks and print the tables
    python -m scripts.bench.many_ranks --ranks 64          only with 64; the others' figures are those kept
    python -m scripts.bench.many_ranks --ranks '' --save   crawl nothing, and keep the tables in docs/cluster.md

Reads the clock: it measures how long ranks take to their first page.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from scripts.bench.nginx_server import served_by_nginx
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.memory_maps import memory_of
from scripts.shared.this_machine import this_machine
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.localweb.generate.make import make_web
from sessions.session import Session, epoch_path, record_numbers

_FOLDER = ROOT / "build" / "bench"
_KEPT = _FOLDER / "many_ranks.json"
_PORT = 8391
_PAGES_OF_RANK = 100
_ASSIGNMENTS = ("page-hash", "site-hash")
_RECKONED = (128, 256, 1024)
_SECONDS_BETWEEN_LOOKS = 0.5
_MEMORY = ("Rss", "Pss", "Own")
_MIB = 1 << 20

Figures = dict[str, Any]


def main() -> None:
    options = _options()
    kept: list[Figures] = json.loads(_KEPT.read_text()) if _KEPT.exists() else []
    if options.ranks:
        web = _FOLDER / "many_ranks.warc.gz"
        if not web.exists():
            _FOLDER.mkdir(parents=True, exist_ok=True)
            make_web(web, sites=200, pages=12_800, seed=1, links=30.0, page_kb=10.0, gzip=True)
        with served_by_nginx([web], _FOLDER / "many_ranks_nginx", _PORT):
            for ranks in options.ranks:
                for assignment in _ASSIGNMENTS:
                    print(f"K = {ranks}, {assignment} ...", file=sys.stderr)
                    kept = [crawl for crawl in kept if (crawl["ranks"], crawl["assignment"]) != (ranks, assignment)]
                    kept.append(_crawl(ranks, assignment, _FOLDER / "many_ranks.seeds.txt"))
                    _KEPT.write_text(json.dumps(kept, indent=1))
    kept.sort(key=lambda crawl: (crawl["assignment"], crawl["ranks"]))
    measured = f"{this_machine()}, `python -m scripts.bench.many_ranks`:\n\n{_measured(kept)}"
    text = f"{measured}\nReckoned from these:\n\n{_reckoned(kept)}"
    print(text, end="")
    if options.save:
        keep("cluster.md", "many ranks", text)


def fitted(ranks: list[int], figures: list[float]) -> tuple[float, float]:
    """a and b of the line a + b K that has the least squares of errors."""
    slope, constant = np.polyfit(ranks, figures, 1)
    return float(constant), float(slope)


def _crawl(ranks: int, assignment: str, seeds: Path) -> Figures:
    """Crawl, look at the ranks' memory meanwhile, and read from the session what was sent."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "session"
        command = [sys.executable, "-m", "crawler", "crawl", "--out", str(out), "--seeds", str(seeds), *WITHOUT_RULES]
        command += ["--ranks", str(ranks), "--assign", assignment, "--max-pages", str(_PAGES_OF_RANK * ranks)]
        command += ["--delay", "0", "--server-delay", "0", "--connect-to", f"::127.0.0.1:{_PORT}"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
        before, began = _cpu_of_children(), datetime.now(UTC)
        with (Path(folder) / "log").open("wb") as log:
            crawl = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        memory = _most_memory(crawl, str(out), ranks)
        if crawl.returncode:
            raise SystemExit((Path(folder) / "log").read_text())
        cpu = _cpu_of_children() - before
        return {"ranks": ranks, "assignment": assignment, **memory, **_of_session(out, cpu, began)}


def _of_session(path: Path, cpu: float, began: datetime) -> Figures:
    session = Session.open(path)
    reports = session.rank_reports()
    pages, supersteps = sum(report["fetched"] for report in reports), session.superstep
    exchanges = session.read("exchanges", ["superstep", "wire_bytes"])
    _, messages = np.unique(exchanges["superstep"].to_numpy(), return_counts=True)
    first = min(time for time in session.read("pages", ["fetched"])["fetched"].to_pylist() if time)
    exchange, loop = (
        sum(seconds for report in reports for stage, seconds in report["cpu"].items() if stage in (asked or [stage]))
        for asked in (["exchange"], None)
    )
    return {
        "pages": pages,
        "supersteps": supersteps,
        "exchange_ms_page": 1000 * exchange / pages,
        "loop_ms_page": 1000 * loop / pages,
        "exchange_ms_superstep": 1000 * exchange / len(reports) / supersteps,
        "messages_superstep": int(messages.sum()) / supersteps,
        "most_messages": int(messages.max()),
        "letters_superstep": sum(report["letters"] for report in reports) / supersteps,
        "wire_bytes_superstep": sum(exchanges["wire_bytes"].to_pylist()) / supersteps,
        "record_bytes": max(epoch_path(path, number).stat().st_size for number in record_numbers(path)),
        "start_seconds": (first - began).total_seconds(),
        "outside_loop_cpu": (cpu - loop) / len(reports),
    }


def _most_memory(crawl: "subprocess.Popen[bytes]", out: str, ranks: int) -> Figures:
    """Wait for the end; medians over the ranks, in bytes, of the look at which all were there and held most."""
    most: list[dict[str, int]] = []
    while True:
        try:
            crawl.wait(_SECONDS_BETWEEN_LOOKS)
            break
        except subprocess.TimeoutExpired:
            now = list(_memory_of_ranks(out))
            if len(now) == ranks and sum(of["Pss"] for of in now) > sum(of["Pss"] for of in most):
                most = now
    return {name.lower(): median(of[name] for of in most) for name in _MEMORY} if most else {}


def _memory_of_ranks(out: str) -> Iterator[dict[str, int]]:
    """Bytes that each process which MPI has started for this session holds."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if out.encode() not in (process / "cmdline").read_bytes():
                continue
            if b"PMI_RANK=" not in (process / "environ").read_bytes():
                continue
            held = memory_of(process)
        except OSError:  # it has ended
            continue
        if held:
            yield held


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _measured(crawls: list[Figures]) -> str:
    head = ["assignment", "K", "pages", "supersteps", "exchange, CPU ms a page", "loop, CPU ms a page"]
    head += ["exchange, CPU ms a superstep and rank", "messages a superstep", "most of one", "letters a superstep"]
    head += ["kB a superstep", "commit record, kB", "RSS a rank, MiB", "PSS", "own", "first page after, s"]
    head += ["start and end, CPU s a rank"]
    return table(
        head,
        (
            [
                crawl["assignment"],
                str(crawl["ranks"]),
                f"{crawl['pages']:,}",
                f"{crawl['supersteps']:,}",
                f"{crawl['exchange_ms_page']:.2f}",
                f"{crawl['loop_ms_page']:.2f}",
                f"{crawl['exchange_ms_superstep']:.1f}",
                f"{crawl['messages_superstep']:,.0f}",
                f"{crawl['most_messages']:,}",
                f"{crawl['letters_superstep']:,.0f}",
                f"{crawl['wire_bytes_superstep'] / 1000:,.1f}",
                f"{crawl['record_bytes'] / 1000:,.0f}",
                *(f"{crawl[name.lower()] / _MIB:.0f}" if name.lower() in crawl else "" for name in _MEMORY),
                f"{crawl['start_seconds']:.0f}",
                f"{crawl['outside_loop_cpu']:.1f}",
            ]
            for crawl in crawls
        ),
    )


def _reckoned(crawls: list[Figures]) -> str:
    head = ["assignment", "K", "messages of a full superstep"]
    head += ["exchange, CPU ms a superstep and rank", "commit record, kB"]
    rows = []
    for assignment in _ASSIGNMENTS:
        these = [crawl for crawl in crawls if crawl["assignment"] == assignment]
        if len(these) < 2:
            continue
        lines = [
            fitted([crawl["ranks"] for crawl in these], [crawl[name] / unit for crawl in these])
            for name, unit in (("exchange_ms_superstep", 1), ("record_bytes", 1000))
        ]
        rows.append([assignment, "K", "K (K - 1)", *(f"{constant:.1f} {slope:+.3f} K" for constant, slope in lines)])
        for ranks in _RECKONED:
            values = (f"{constant + slope * ranks:,.0f}" for constant, slope in lines)
            rows.append([assignment, f"{ranks:,}", f"{ranks * (ranks - 1):,}", *values])
    return table(head, rows)


def _options() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(number) for number in text.split(",") if number]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=numbers, default=[8, 16, 32, 64], help="how many, as 8,16,32,64 (the default)")
    parser.add_argument("--save", action="store_true", help="keep the tables in docs/cluster.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
