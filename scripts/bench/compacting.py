"""What `cutweb compact` costs: of sessions with bodies that are made here, each larger than the one before.

    python -m scripts.bench.compacting                   some minutes and 5 GB of disk
    python -m scripts.bench.compacting --pages 20000     one session only
    python -m scripts.bench.compacting --large           one of ten times as many pages as the first; 13 GB of disk
    python -m scripts.bench.compacting --save            and keep the table in docs/cluster.md

Four ranks, two, and four again crawl in turns, as a chain whose jobs get other nodes; each run commits its epochs, and
its ranks merge their own small files as a crawl's do.  Then each kind of compacting is measured on a copy: seconds of
the processors, the most memory that the process held, and the most room that it took beyond what was there before, seen
every 20 milliseconds.
"""

import argparse
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from crawler.config.command_line import as_plain_values
from crawler.config.crawl_options import CrawlOptions
from scripts.bench.resume import page_row, report_of
from scripts.shared.command_cost import bytes_in, cost_of
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session, new_run_id
from sessions.storage.warc import Exchange
from sessions.url import url_hashes
from sessions.writing.commit import claim, commit, fence_and_take_over
from sessions.writing.merging import is_merged_at
from sessions.writing.recorder import Recorder
from sessions.writing.truncate import truncate_to_commit

SIZES, LARGE = (50_000, 100_000, 200_000), 500_000
RUNS = (4, 2, 4, 2, 4)
PAGES_OF_AN_EPOCH = 100
LINKS = 10
_BEGAN = datetime(2026, 1, 2, tzinfo=UTC)
_ASKED = {"assign": "site-hash", "traps": False, "max_pages_per_site": None}
_HEAD = (
    "pages", "epochs", "runs", "what is done", "tables", "WARC files", "tables now", "WARC files now", "MB before",
    "MB now", "room meanwhile, MB", "CPU, s", "memory, MB",
)  # fmt: skip


def main() -> None:
    """Make and measure the sessions."""
    options = _options()
    rows: list[list[str]] = []
    for pages in [options.pages] if options.pages else [LARGE] if options.large else SIZES:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            rows += _measured(Path(folder), pages)
    text = f"{this_machine()}, `python -m scripts.bench.compacting`:\n\n{table(_HEAD, rows)}"
    print(text, end="")
    if options.save:
        keep("cluster.md", "compacting a large session" if options.large else "compacting", text)


def _measured(folder: Path, pages: int) -> Iterator[list[str]]:
    path = folder / "session"
    make_session(path, pages)
    middle = (_BEGAN + timedelta(seconds=pages // 2)).isoformat()
    for name, words in {
        "compact": [],
        "--drop-bodies --before (half)": ["--drop-bodies", "--before", middle],
        "--drop-bodies": ["--drop-bodies"],
    }.items():
        copy = folder / "copy"
        shutil.copytree(path, copy)
        before, was, most = bytes_in(copy), Session.open(copy), 0

        def look(copy: Path = copy) -> None:
            nonlocal most
            most = max(most, bytes_in(copy))

        cost = cost_of("compact", str(copy), *words, meanwhile=look)
        now = Session.open(copy)
        files = [len(its) for one in (was, now) for its in (one.table_files(), one.warc_files())]
        yield [
            f"{pages:,}",
            f"{was.epoch_count:,}",
            str(len(was.runs)),
            name,
            *(f"{count:,}" for count in files),
            f"{before / 1e6:,.0f}",
            f"{bytes_in(copy) / 1e6:,.0f}",
            f"{max(0, most - before) / 1e6:,.0f}",
            f"{cost.seconds:.1f}",
            f"{cost.megabytes:,.0f}",
        ]
        shutil.rmtree(copy)


def make_session(path: Path, pages: int) -> None:
    """A session of so many pages with bodies, a second apart, of some runs, the last of which was killed."""
    asked = as_plain_values(CrawlOptions(**_ASKED))
    bodies = _bodies(random.Random(1))
    with mock.patch.object(os, "fsync"):  # nothing of it has to outlast the machine
        for number, ranks in enumerate(RUNS):
            run = new_run_id()
            told: dict[str, Any] = {"run": run, "ranks": ranks, "assignment": "site-hash", "configuration": asked}
            if number == 0:
                header = claim(path, **told, seeds=[_url(0)])
            else:
                header = fence_and_take_over(Session.open(path), **told)
                truncate_to_commit(Session.open(path))
            first, last = (pages * place // len(RUNS) for place in (number, number + 1))
            _crawl(path, header, run, ranks, range(first, last), bodies)


def _crawl(path: Path, header: Any, run: str, ranks: int, numbers: range, bodies: list[bytes]) -> None:
    """A run that fetches these pages."""
    epoch = first_epoch = header["epochs"] + 1
    recorders = [Recorder(path, rank, run, epoch=epoch) for rank in range(ranks)]
    done = [0] * ranks
    for start in range(numbers.start, numbers.stop, PAGES_OF_AN_EPOCH):
        for number in range(start, min(start + PAGES_OF_AN_EPOCH, numbers.stop)):
            _fetch(recorders[number % ranks], number % ranks, run, number, bodies)
            done[number % ranks] += 1
        merges = is_merged_at(epoch, first_epoch)
        entries = [
            recorder.close_epoch(merges=merges) | {"report": report_of(count, count, links=LINKS * count)}
            for recorder, count in zip(recorders, done, strict=True)
        ]
        commit(path, header, epoch, entries)
        for recorder in recorders:
            recorder.remove_replaced()
        epoch += 1
    for recorder in recorders:
        recorder.close()


def _fetch(recorder: Recorder, rank: int, run: str, number: int, bodies: list[bytes]) -> None:
    url, body = _url(number), bodies[number % len(bodies)]
    hashes = url_hashes([url, *(_url(number + step) for step in range(1, LINKS + 1))])
    fetched = _BEGAN + timedelta(seconds=number)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
    request = b"GET /%d HTTP/1.1\r\nHost: www.example.org\r\n\r\n" % number
    place = recorder.store(recorder.prepare(Exchange(url, fetched.timestamp(), head, body, request)))
    assert place is not None
    recorder.urls(hashes[:1], [url], np.ones(1, np.uint16), np.zeros(1, np.uint8))
    row = page_row(url, int(hashes[0]), rank, run)
    recorder.page(row._replace(fetched=fetched, warc_file=place.file, warc_offset=place.offset, bytes=len(body)))
    recorder.links(np.repeat(hashes[:1], LINKS), hashes[1:], np.zeros(LINKS, np.uint8))


def _bodies(rng: random.Random) -> list[bytes]:
    """Some pages of 20 kB that compress to about a third."""
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 10))) for _ in range(4000)]
    return [" ".join(rng.choices(words, k=3000)).encode() for _ in range(200)]


def _url(number: int) -> str:
    return f"http://www.site{number % 997}.example/folder/page-{number}.html"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, help="of one session, in place of those of the table")
    parser.add_argument("--large", action="store_true", help=f"one session of {LARGE:,} pages")
    parser.add_argument("--folder", help="where the sessions are made; they are removed in the end")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/cluster.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
