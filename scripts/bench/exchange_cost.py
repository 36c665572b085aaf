"""What ranks cost each other: bytes and CPU of a URL that is sent, and CPU of a superstep in which nothing is.

URLs that all ranks know travel as numbers, here of a table of a million; others as text, here those of the
pages of a WARC file.  An empty superstep is its exchanges alone: ranks meet, ask each other about no documents, send no
URLs, and tell each other their states.  Its CPU is a rank's, user and system; what it waits asleep costs none.

    python -m scripts.bench.exchange_cost WEB.warc.gz             print the tables
    python -m scripts.bench.exchange_cost WEB.warc.gz --save      and keep them in docs/crawl-cases.md

Reads the clock: it measures CPU.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType

from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.verdict import STATUS_NUMBERS, statuses_from
from crawler.exchange.wire_format import Wire, encode_numbered
from crawler.launch.start_ranks import find_mpiexec, set_mpi_up
from crawler.process.mpi_wait import sleeping_wait
from crawler.urls.batch import UrlBatch
from crawler.urls.batch_columns import BatchColumns
from crawler.urls.outgoing import NOTHING_OUTGOING
from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from sessions.schema import NOFOLLOW
from sessions.url import canonical, url_hashes

_TABLE_URLS = 1_000_000
_BATCHES = (1_000, 10_000, 100_000)
_RANKS = (2, 4, 8, 16)
_SUPERSTEPS = 200
_ROUNDS = 5
_SEED = 1


def main() -> None:
    options = _options()
    if options.as_rank:
        _meet_often()
        return
    texts = table(
        ["URLs at once", "as", "text B/URL", "wire B/URL", "of the text", "µs sent", "µs received"], _urls(options.web)
    )
    steps = table(
        ["K", "empty superstep, CPU µs of a rank"], [[str(ranks), f"{_superstep(ranks):.0f}"] for ranks in _RANKS]
    )
    machine = f"Machine: {this_machine()}; its load meanwhile {os.getloadavg()[0]:.0f}.\n"
    text = "\n".join((machine, texts, steps))
    print(text, end="")
    if options.save:
        keep("crawl-cases.md", "exchange_cost", text)


def _urls(web: Path) -> list[list[str]]:
    """Rows of what URLs cost, known ones and others."""
    dice = np.random.default_rng(_SEED)
    everything = sorted(_urls_of(web))
    rows = []
    for count in _BATCHES:
        numbers = np.sort(dice.choice(_TABLE_URLS, count, replace=False))
        known = _batch(dice, [f"http://known.example/{number}" for number in numbers])
        columns = BatchColumns.of(known)
        [(data, _)] = encode_numbered(columns, numbers)
        seconds = _least(lambda columns=columns, numbers=numbers: encode_numbered(columns, numbers))
        rows.append(_row(count, "numbers", None, len(data), seconds, None))
    for count in _BATCHES:
        if count <= len(everything):
            batch = _batch(dice, sorted(dice.choice(everything, count, replace=False).tolist()))
            wire = Wire()
            data, _ = wire.encode(batch)
            sent = _least(lambda wire=wire, batch=batch: wire.encode(batch))
            received = _least(lambda wire=wire, data=data: wire.decode(data))
            rows.append(_row(count, "text", sum(map(len, batch.urls)), len(data), sent, received))
    return rows


def _row(count: int, way: str, text: int | None, wire: int, sent: float, received: float | None) -> list[str]:
    return [
        f"{count:,}",
        way,
        f"{text / count:.1f}" if text else "",
        f"{wire / count:.2f}",
        f"{100 * wire / text:.1f}%" if text else "",
        f"{1e6 * sent / count:.2f}",
        f"{1e6 * received / count:.2f}" if received is not None else "",
    ]


def _batch(dice: np.random.Generator, urls: list[str]) -> UrlBatch:
    """URLs as they are found: most some links deep, few behind redirects, some nofollow."""
    count = len(urls)
    depths = np.minimum(1 + dice.poisson(4, count), 20).astype(np.uint16)
    hops = (dice.random(count) < 0.02).astype(np.uint8)
    flags = np.where(dice.random(count) < 0.03, NOFOLLOW, 0).astype(np.uint8)
    return UrlBatch(urls, url_hashes(urls), depths, hops, flags)


def _urls_of(web: Path) -> set[str]:
    with web.open("rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=False)
        return {url for record in records if (url := canonical(record.headers.get("WARC-Target-URI", "")))}


def _least(work: Callable[[], Any]) -> float:
    """CPU seconds, the least of several rounds."""
    taken = []
    for _ in range(_ROUNDS):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return min(taken)


def _superstep(ranks: int) -> float:
    """CPU microseconds of an empty superstep, the mean of the ranks."""
    set_mpi_up()
    mpiexec = find_mpiexec()
    if mpiexec is None:
        raise SystemExit("there is no mpiexec on the path")
    command = [mpiexec, "-n", str(ranks), sys.executable, "-P", "-m", "scripts.bench.exchange_cost", "--as-rank"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT).stdout
    return float(json.loads(told.strip().splitlines()[-1]))


def _meet_often() -> None:
    """As one of the ranks: meet the others in empty supersteps, and have rank 0 print what one takes."""
    from mpi4py import MPI

    exchange = LinkExchange(MPI.COMM_WORLD)
    [mine] = statuses_from(np.zeros((1, STATUS_NUMBERS), np.int64))
    no_questions = [b""] * exchange.ranks
    for number in range(2 * _SUPERSTEPS):
        if number == _SUPERSTEPS:  # what is made at first use has been made
            began = process_time()
        sleeping_wait(MPI.COMM_WORLD.Ibarrier())
        exchange.ask(no_questions, lambda asked: no_questions)
        exchange.swap(NOTHING_OUTGOING)
        exchange.states(mine)
    all_took = exchange.gather(1e6 * (process_time() - began) / _SUPERSTEPS)
    if all_took is not None:
        print(json.dumps(sum(all_took) / len(all_took)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path, nargs="?", help="a WARC file whose URLs are sent as text")
    parser.add_argument("--as-rank", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help="keep the tables in docs/crawl-cases.md")
    options = parser.parse_args()
    if options.web is None and not options.as_rank:
        parser.error("name a WARC file")
    return options


if __name__ == "__main__":
    main()
