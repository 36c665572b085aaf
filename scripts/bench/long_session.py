"""What a long session costs: 2,000 epochs really crawled at K = 8, and 1,440 epochs of K = 256 that are made here.

    python -m scripts.bench.long_session crawled           on a web on this machine; some 20 minutes on two cores
    python -m scripts.bench.long_session made              tables of little content, and every commit record
    python -m scripts.bench.long_session crawled --save    and keep the table in docs/cluster.md

Each session is measured as the crawl has left it, which folds its own small epochs, and once more after `cutweb
compact`.  Seconds are those of the processors (user and system), memory is the most that the process held.  For the
session that is made, the files of epochs that a crawl would have merged are never written: their commit records name
them, and records and files are what a crawl leaves.

Reads the clock: how long a crawl takes to its first request.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from crawler.config.command_line import as_plain_values
from crawler.config.crawl_options import CrawlOptions
from crawler.launch.told_session import parts_of
from scripts.bench.resume import page_row, report_of
from scripts.shared.command_cost import cost_of
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.records import CommittedRows, RankEntry
from sessions.session import Session, epoch_path, new_run_id
from sessions.storage.tables import table_name
from sessions.url import url_hashes
from sessions.writing.commit import claim, commit
from sessions.writing.merging import MERGE_EVERY
from sessions.writing.recorder import Recorder

CRAWLED_RANKS, CRAWLED_EPOCHS = 8, 2_000
MADE_RANKS, MADE_EPOCHS = 256, 1_440
_SENT_BYTES = 50
"""Of a URL that a rank sends to the next in each epoch."""
_HEAD = (
    "session", "state", "table files", "records", "newest record, kB", "all records, MB", "open, s", "open, MB",
    "info, s", "info, MB", "check, s", "check, MB", "told a rank, kB", "first request, s", "a rank, MB",
)  # fmt: skip
_DELAY_SECONDS = "2"
"""Half an hour's work for 60,000 pages of 64 sites: a slow machine, too, has closed its epochs by then."""
_ASKED = {"assign": "site-hash", "store_bodies": False, "traps": False, "max_pages_per_site": None}


def main() -> None:
    """Measure one of the two sessions."""
    options = _options()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        rows = [*(_crawled if options.kind == "crawled" else _made)(Path(folder), options)]
    text = f"{this_machine()}, `python -m scripts.bench.long_session {options.kind}`:\n\n{table(_HEAD, rows)}"
    print(text, end="")
    if options.save:
        keep("cluster.md", f"long session {options.kind}", text)


def _crawled(folder: Path, options: argparse.Namespace) -> Iterator[list[str]]:
    """A crawl of a small web, stopped once it has closed so many epochs."""
    session = folder / "session"
    web = make_web(folder / "web.warc.gz", sites=64, pages=options.pages, seed=1)
    name = f"K = {options.ranks or CRAWLED_RANKS}, crawled"
    with LocalWeb([web.path]) as local:
        arguments = [
            "--seeds",
            str(web.seeds_path),
            "--out",
            str(session),
            "--ranks",
            str(options.ranks or CRAWLED_RANKS),
        ]
        arguments += ["--delay", _DELAY_SECONDS, "--server-delay", "0", "--superstep", "0.1", "--epoch-seconds", "0.1"]
        crawl = _cutweb(["crawl", *arguments, "--connect-to", local.connect_to], subprocess.DEVNULL)
        while _last_epoch(session) < (options.epochs or CRAWLED_EPOCHS):
            if crawl.poll() is not None:
                sys.exit(f"long_session: the crawl ended by itself with exit code {crawl.returncode}")
            time.sleep(0.5)
        crawl.send_signal(signal.SIGTERM)
        if crawl.wait():
            sys.exit(f"long_session: the crawl ended with exit code {crawl.returncode}")
        name += f", {Session.open(session).epoch_count:,} epochs"
        yield [name, "as crawled", *_measured(session), *_resumed(local, session, folder)]
        cost_of("compact", str(session))
        yield [name, "compacted", *_measured(session), *_resumed(local, session, folder)]


def _made(folder: Path, options: argparse.Namespace) -> Iterator[list[str]]:
    session = folder / "session"
    ranks, epochs = options.ranks or MADE_RANKS, options.epochs or MADE_EPOCHS
    _make(session, ranks, epochs)
    name = f"K = {ranks}, made, {epochs:,} epochs"
    yield [name, "as a crawl leaves it", *_measured(session), "", ""]
    cost_of("compact", str(session))
    yield [name, "compacted", *_measured(session), "", ""]


def _make(path: Path, ranks: int, epochs: int) -> None:
    """A session as a crawl leaves it that was killed after the last of so many epochs, one page a rank in each.

    Each rank sends the next a URL in each.
    """
    run = new_run_id()
    asked = as_plain_values(CrawlOptions(**_ASKED))
    header = claim(path, run=run, ranks=ranks, assignment="site-hash", configuration=asked, seeds=[_url(0, 0)])
    totals = [0] * ranks
    with mock.patch.object(os, "fsync"):  # nothing of it has to outlast the machine
        for epoch in range(1, epochs + 1):
            span = _span(epoch)
            entries = [_entry(path, rank, run, epoch, span, totals) for rank in range(ranks)]
            commit(path, header, epoch, entries)


def _span(epoch: int) -> int:
    """Of how many epochs the files of this one have the rows."""
    span = 1
    while epoch % (span * MERGE_EVERY) == 0:
        span *= MERGE_EVERY
    return span


def _entry(path: Path, rank: int, run: str, epoch: int, span: int, totals: list[int]) -> RankEntry:
    totals[rank] += 1
    done = totals[rank]
    sent = {"sent_urls": done, "messages": done, "sent_bytes": _SENT_BYTES * done, "wire_bytes": _SENT_BYTES * done}
    page = page_row(_url(0, 0), 0, rank, run)
    bodies = {"bytes": page.bytes * done, "decoded_bytes": page.decoded_bytes * done}
    report = report_of(done + 1, done, links=done) | {"supersteps": epoch} | sent | bodies
    first = epoch - span + 1
    if span == 1:  # a file that the next merge replaces, and that is not there by then
        names = ("pages", "links", "urls", "exchanges")
        files = {name: _named(name, rank, epoch, run) for name in names}
        return {"tables": files, "warc": [], "report": report}
    for earlier in (path / f"rank-{rank:04d}").glob(f"*-{run}.parquet"):
        if int(earlier.name.split("-")[1]) >= first:
            earlier.unlink()
    recorder = Recorder(path, rank, run, store_bodies=False, epoch=epoch)
    numbers = range(first, epoch + 1)
    urls = [_url(rank, number) for number in ([0, *numbers] if first == 1 else numbers)]
    recorder.urls(url_hashes(urls), urls, np.ones(len(urls), np.uint16), np.zeros(len(urls), np.uint8))
    pages = [_url(rank, number - 1) for number in numbers]
    for url, url_hash in zip(pages, url_hashes(pages).tolist(), strict=True):
        recorder.page(page_row(url, url_hash, rank, run))
    targets = url_hashes([_url(rank, number) for number in numbers])
    recorder.links(url_hashes(pages), targets, np.zeros(len(targets), np.uint8))
    amounts = [np.full(span, amount, np.int64) for amount in (1, 0, _SENT_BYTES, _SENT_BYTES)]
    pair = [np.full(span, its, np.uint16) for its in (rank, (rank + 1) % len(totals))]
    recorder.exchanges([np.array(numbers, np.uint32) - 1, *pair, *amounts])
    closed = recorder.close_epoch()["tables"]
    recorder.close()
    return {"tables": {name: _spanning(path, name, file, first, epoch, run) for name, file in closed.items()},
            "warc": [], "report": report}  # fmt: skip


def _named(name: str, rank: int, epoch: int, run: str) -> CommittedRows:
    file = f"rank-{rank:04d}/{table_name(name, epoch, epoch, run)}"
    return {"file": file, "bytes": 4321, "rows": 1, "xxh3": f"{(epoch * 0x9E3779B97F4A7C15 + rank) % 2**64:016x}"}


def _spanning(path: Path, name: str, file: CommittedRows, first: int, epoch: int, run: str) -> CommittedRows:
    """Give a file the name that it has when it is made of those of several epochs."""
    folder = Path(file["file"]).parent
    named = str(folder / table_name(name, first, epoch, run))
    (path / file["file"]).rename(path / named)
    return {**file, "file": named, "first": first, "last": epoch}


def _url(rank: int, number: int) -> str:
    return f"http://www.site{rank}.example/folder/{number % 97}/page-{number}.html"


def _measured(path: Path) -> list[str]:
    """Files and records, and what it takes to open a session, to sum it up, to check it, and to tell a rank of it."""
    session = Session.open(path)
    records = [*(path / "epochs").glob("*.json")]
    common, own = parts_of(session, session.ranks)
    opened, idle = cost_of("open", str(path)), cost_of("open")
    info, check = (cost_of(command, str(path)) for command in ("info", "check"))
    return [
        f"{len(session.table_files()):,}",
        f"{len(records):,}",
        f"{epoch_path(path, session.last_epoch).stat().st_size / 1e3:,.0f}",
        f"{sum(record.stat().st_size for record in records) / 1e6:,.1f}",
        f"{max(0.0, opened.seconds - idle.seconds):.2f}",
        f"{max(0.0, opened.megabytes - idle.megabytes):,.0f}",
        f"{info.seconds:.1f}",
        f"{info.megabytes:,.0f}",
        f"{check.seconds:.1f}",
        f"{check.megabytes:,.0f}",
        f"{(len(common) + max(map(len, own))) / 1e3:,.0f}",
    ]


def _resumed(local: LocalWeb, session: Path, folder: Path) -> list[str]:
    """Seconds until a crawl that goes on with a copy makes its first request, and megabytes of its largest rank."""
    copy = folder / "copy"
    shutil.copytree(session, copy)
    before, began = len(local.log), time.monotonic()
    crawl = _cutweb(["crawl", "--resume", str(copy), "--connect-to", local.connect_to], subprocess.DEVNULL)
    while len(local.log) == before and crawl.poll() is None:
        time.sleep(0.01)
    seconds = time.monotonic() - began
    crawl.send_signal(signal.SIGTERM)
    if crawl.wait():
        sys.exit(f"long_session: the crawl that went on ended with exit code {crawl.returncode}")
    peak = max(report["peak_rss"] for report in (entry["report"] for entry in Session.open(copy).epochs[-1]["ranks"]))
    shutil.rmtree(copy)
    return [f"{seconds:.1f}", f"{peak / 1e6:.0f}"]


def _last_epoch(session: Path) -> int:
    numbers = [int(record.stem) for record in (session / "epochs").glob("[0-9]*.json")]
    return max(numbers, default=0)


def _cutweb(words: list[str], output: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "cutweb", *words], stdout=output, stderr=output)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("crawled", "made"))
    parser.add_argument("--ranks", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--pages", type=int, default=60_000, help="of the web that is crawled")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where the session is made; it is removed in the end"
    )
    parser.add_argument("--save", action="store_true", help="keep the table in docs/cluster.md")
    options = parser.parse_args()
    if options.kind == "made" and options.epochs and options.epochs % MERGE_EVERY:
        parser.error(f"--epochs {options.epochs}: must be a multiple of {MERGE_EVERY}, by which all files are merged")
    return options


if __name__ == "__main__":
    main()
