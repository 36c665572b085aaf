"""Run under mpiexec by test_duplicates.py: ranks take in pages of few contents, and commit a session."""

import sys
from pathlib import Path

from mpi4py import MPI

from crawler.exchange.link_exchange import LinkExchange
from crawler.intake.comparisons import PageComparisons
from sessions.writing.commit import claim, commit
from tests.crawler.support.documents import waiting_pages
from tests.crawler.support.intake_ranks import RUN, Taker, html

PAGES, CONTENTS, SUPERSTEPS = 800, 400, 4


def main() -> None:
    comm = MPI.COMM_WORLD
    path, content_memory = Path(sys.argv[1]), int(sys.argv[2])
    header = {}
    if comm.rank == 0:
        header = claim(path, run=RUN, ranks=comm.size, assignment="page-hash", configuration={})
    comm.Barrier()
    exchange = LinkExchange(comm)
    waiting = waiting_pages(path.with_suffix(f".scratch-{comm.rank}"), content=content_memory)
    taker = Taker(path, comm.rank, comm.size, PageComparisons(waiting))
    pages = [
        html(f"http://a.example/{number}", b"<a href=/linked-%d>" % (number % CONTENTS)) for number in range(PAGES)
    ]
    for superstep in range(SUPERSTEPS):
        of_step = pages[superstep::SUPERSTEPS] if superstep % 2 else []
        taker.superstep(exchange, of_step, wants_all=superstep == SUPERSTEPS - 1)
        taker.discovery.settle()
        taker.discovery.receive(exchange.swap(taker.discovery.outgoing()))
    taker.save_frontier()
    entries = exchange.gather(taker.recorder.close_epoch() | {"report": taker.report()})
    taker.recorder.close()
    if entries is not None:
        commit(path, header, 1, entries, {"reason": "max-pages", "seconds": 1.0})


try:
    main()
except BaseException:
    import traceback

    traceback.print_exc()
    MPI.COMM_WORLD.Abort(1)
