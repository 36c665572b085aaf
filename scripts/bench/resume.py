"""How long a crawl takes from its start with --resume to its first request, and how much memory.

The sessions are written by the Recorder, as a crawl writes them, in ten epochs: pages that were fetched, and for each
five URLs that wait and ten links.  Then `cutweb crawl --resume` goes on with as many ranks as before, or others, at a
web that answers with 404; its first request, for a robots.txt, ends the measuring.

    python -m scripts.bench.resume                  100,000 pages
    python -m scripts.bench.resume --pages 1000000
    python -m scripts.bench.resume --save           and keep the table in docs/resuming.md
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np

from crawler.config.command_line import as_plain_values
from crawler.config.crawl_options import CrawlOptions
from partition.assignment.assignment import assignment_named
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.schema import Page
from sessions.session import Session, new_run_id
from sessions.url import site_of, url_hashes
from sessions.writing.commit import claim, commit
from sessions.writing.recorder import Recorder

CASES = ((1, 1), (2, 2), (1, 2), (2, 1))
"""Ranks before and after."""
_WAITING, _LINKS, _EPOCHS, _SITES = 5, 10, 10, 1000
_ASSIGNMENT = "site-hash"
_SENT = ("sent_urls", "sent_numbers", "sent_bytes", "wire_bytes", "messages")
_COUNTS = ("links_out_of_scope", "links_over_limit", "links_nofollow", "near_duplicates", "unchanged", "bytes",
           "decoded_bytes", "robots_fetched", "resent", "letters", "supersteps", "peak_rss", "duplicates")  # fmt: skip


def main() -> None:
    """Print a row for each case."""
    options = _options()
    rows = []
    for before, after in CASES:
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder, "session"), options.pages, before)
            rows.append([str(before), str(after), *_resumed(Path(folder), after)])
    head = ["K before", "K after", "seconds to the first request", "new crawl", "peak MiB of a rank", "new crawl"]
    size = f"{options.pages:,} pages, {_WAITING * options.pages:,} URLs that wait, {_LINKS * options.pages:,} links"
    text = f"{size}; {this_machine()}:\n\n{table(head, rows)}"
    print(text, end="")
    if options.save:
        keep("resuming.md", "resume", text)


def _write(path: Path, pages: int, ranks: int) -> None:
    """A session of a crawl that was killed after its last epoch."""
    rules = {"traps": False, "max_pages_per_site": None, "max_pages_per_domain": None}
    asked = CrawlOptions(assign=_ASSIGNMENT, delay=0.0, server_delay=0.0, store_bodies=False, max_wait=0.0, **rules)
    run = new_run_id()
    header = claim(
        path,
        run=run,
        ranks=ranks,
        assignment=_ASSIGNMENT,
        configuration=as_plain_values(asked),
        seeds=[_url(0)],
    )
    recorders = [Recorder(path, rank, run, store_bodies=False) for rank in range(ranks)]
    totals = np.zeros((ranks, 2), np.int64)
    every = (1 + _WAITING) * pages
    for epoch in range(_EPOCHS):
        numbers = np.arange(epoch * every // _EPOCHS, (epoch + 1) * every // _EPOCHS)
        urls = np.array([_url(number) for number in numbers.tolist()], object)
        hashes = url_hashes(urls.tolist())
        owners = assignment_named(_ASSIGNMENT, ranks).owners(hashes, urls.tolist())
        for rank, recorder in enumerate(recorders):
            own = owners == rank
            totals[rank] += _record(recorder, rank, run, urls[own].tolist(), hashes[own], hashes)
        entries = [
            recorder.close_epoch() | {"report": report_of(discovered, fetched, links=_LINKS * fetched)}
            for recorder, (discovered, fetched) in zip(recorders, totals.tolist(), strict=True)
        ]
        commit(path, header, epoch + 1, entries)


def _record(
    recorder: Recorder, rank: int, run: str, urls: list[str], hashes: "np.typing.NDArray[np.uint64]", targets: Any
) -> tuple[int, int]:
    """A rank's rows of an epoch; how many URLs and pages there are."""
    recorder.urls(hashes, urls, np.ones(len(urls), np.uint16), np.zeros(len(urls), np.uint8))
    fetched = list(range(0, len(urls), 1 + _WAITING))
    for place in fetched:
        recorder.page(page_row(urls[place], int(hashes[place]), rank, run))
    sources = np.repeat(hashes[fetched], _LINKS)
    chosen = np.random.default_rng(rank).integers(0, len(targets), len(sources))
    recorder.links(sources, targets[chosen], np.zeros(len(sources), np.uint8))
    return len(urls), len(fetched)


def page_row(url: str, url_hash: int, rank: int, run: str) -> Page:
    """A page that was fetched, and whose body was not kept."""
    return Page(
        url=url, hash=url_hash, site=site_of(url), status=200, bytes=10_000, decoded_bytes=40_000,
        content_type="text/html", content_encoding=None, content_digest=sha1(url.encode()).digest(), etag=None,
        last_modified=None, fetched=datetime.now(UTC), milliseconds=20.0, depth=1, hops=0, ip="127.0.0.1",
        truncated=None, simhash=None, rank=rank, superstep=1, run=run, warc_file=None, warc_offset=None, error=None,
        redirect=None, noindex=False, nofollow=False,
    )  # fmt: skip


def report_of(discovered: int, fetched: int, *, links: int) -> dict[str, Any]:
    """The counters of a rank that has done nothing but this."""
    return {
        **dict.fromkeys(_COUNTS, 0),
        "discovered": discovered,
        "fetched": fetched,
        "failed": 0,
        "filtered": 0,
        "queued": discovered - fetched,
        "reasons": {"failed": {}, "filtered": {}, "queued": {}},
        "statuses": {"200": fetched},
        "links": links,
        "defects": {},
        "errors": {},
        **dict.fromkeys(_SENT, 0),
        "seconds": 1.0,
        "cpu": {},
    }


def _url(number: int) -> str:
    return f"http://www.site{number % _SITES}.example/folder/{number % 97}/page-{number}.html"


def _resumed(folder: Path, ranks: int) -> list[str]:
    """Seconds and MiB of a crawl that goes on with the session in a folder, beside those of one that begins."""
    web = make_web(folder / "web.warc.gz", sites=1, pages=1, seed=1)
    with LocalWeb([web.path]) as local:
        where = ["--ranks", str(ranks), "--connect-to", local.connect_to, "--max-seconds", "1000000"]
        again = _measured(local, ["--resume", str(folder / "session"), *where], folder / "session")
        begun = [_url(0), "--delay", "0", "--server-delay", "0", "--assign", _ASSIGNMENT, *WITHOUT_RULES]
        new = _measured(local, ["--out", str(folder / "new"), *begun, *where], folder / "new")
    return [figure for pair in zip(again, new, strict=True) for figure in pair]


def _measured(local: LocalWeb, arguments: Sequence[str], session: Path) -> list[str]:
    """Seconds to the first request, and MiB of the largest rank; the crawl is then asked to stop."""
    before = len(local.log)
    began = time.monotonic()
    crawl = subprocess.Popen(
        [sys.executable, "-m", "crawler", "crawl", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(local.log) == before:
        if crawl.poll() is not None:
            sys.exit(f"resume: the crawl ended by itself with exit code {crawl.returncode}")
        time.sleep(0.01)
    seconds = local.log[before][0] - began
    crawl.send_signal(signal.SIGTERM)
    if crawl.wait():
        sys.exit(f"resume: the crawl ended with exit code {crawl.returncode}")
    peak = max(entry["report"]["peak_rss"] for entry in Session.open(session).epochs[-1]["ranks"])
    return [f"{seconds:.1f}", f"{peak / (1 << 20):.0f}"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--save", action="store_true", help="keep the table in docs/resuming.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
