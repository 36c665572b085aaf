"""Run under mpiexec by test_exchange.py: every rank sends every other a batch and checks what it gets."""

import sys

import numpy as np
from mpi4py import MPI

from crawler.exchange.announcements import Announcements
from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.verdict import Status
from crawler.network.web import ERROR_KINDS
from crawler.urls.batch import UrlBatch, empty_batch
from sessions.url import url_hashes
from tests.crawler.support.batches import outgoing_of


def batch_from_to(source: int, target: int, count: int) -> UrlBatch:
    urls = sorted(f"http://site{number % 7}.example/from{source}/to{target}/page{number}" for number in range(count))
    numbers = np.arange(count)
    return UrlBatch(
        urls,
        url_hashes(urls),
        (numbers % 1000).astype(np.uint16),
        (numbers % 10).astype(np.uint8),
        (numbers % 3).astype(np.uint8),
    )


def check_swaps(exchange: LinkExchange, most: int) -> None:
    random = np.random.default_rng(20040619)  # the same on every rank, so that all know all counts
    for superstep in range(6):
        counts = random.integers(0, most, (exchange.ranks, exchange.ranks)) * (superstep % 3 != 1)
        np.fill_diagonal(counts, 0)
        outgoing = [
            batch_from_to(exchange.rank, target, int(count)) if count else empty_batch()
            for target, count in enumerate(counts[exchange.rank])
        ]
        exchange.arrive()
        while not exchange.all_have_arrived():
            pass
        received = exchange.swap(outgoing_of(outgoing))
        expected = [
            batch_from_to(source, exchange.rank, int(counts[source, exchange.rank])) for source in range(exchange.ranks)
        ]
        for batch, its in zip(received, [batch for batch in expected if len(batch)], strict=True):
            assert batch.urls == its.urls
            for column in ("hashes", "depths", "hops", "flags"):
                assert np.array_equal(getattr(batch, column), getattr(its, column)), column


def check_questions(exchange: LinkExchange, most: int) -> None:
    """Every rank asks some others, of which one asks nobody; at last nobody asks."""

    def question(asker: int, asked: int) -> bytes:
        return b"%d asks %d " % (asker, asked) * ((asker * 7 + asked) % most) if asker else b""

    def answer(received: list[memoryview]) -> list[bytes]:
        assert [bytes(one) for one in received] == [question(asker, exchange.rank) for asker in range(exchange.ranks)]
        return [b"%d answers: " % exchange.rank + bytes(one)[:20] for one in received]

    ranks = range(exchange.ranks)
    answers = exchange.ask([question(exchange.rank, asked) for asked in ranks], answer)
    if any(question(asker, asked) for asker in ranks for asked in ranks):
        assert answers == [b"%d answers: " % rank + question(exchange.rank, rank)[:20] for rank in ranks]
    else:
        assert answers is None
    assert exchange.ask([b"" for _ in ranks], answer) is None


def check_counts(exchange: LinkExchange, comm: MPI.Intracomm) -> None:
    """Nothing is lost on the way, and what travels is not much longer than the URLs."""
    assert sum(comm.allgather(exchange.sent_urls)) == sum(comm.allgather(exchange.received_urls))
    assert exchange.rank not in exchange.last_sent.receivers
    assert (exchange.wire_bytes > 0) == (exchange.sent_urls > 0)
    assert exchange.wire_bytes <= exchange.sent_bytes + 64 * exchange.messages + 20 * exchange.sent_urls


def check_states(exchange: LinkExchange) -> None:
    fields = {name: exchange.rank + number for number, name in enumerate(Status._fields[:-1])}
    mine = Status(**fields, errors=tuple(range(exchange.rank, exchange.rank + len(ERROR_KINDS))))
    states = exchange.states(mine)
    assert states[exchange.rank] == mine
    assert [state.queued for state in states] == list(range(exchange.ranks))


def check_sums(exchange: LinkExchange) -> None:
    mine = np.array([[exchange.rank, 1], [10, 1 << 40]], np.int64)
    over_all, before = exchange.sums(mine)
    ranks, rank = exchange.ranks, exchange.rank
    assert over_all.tolist() == [[ranks * (ranks - 1) // 2, ranks], [10 * ranks, ranks << 40]]
    assert before.tolist() == [[rank * (rank - 1) // 2, rank], [10 * rank, rank << 40]]


def check_union(exchange: LinkExchange) -> None:
    ranks, rank = exchange.ranks, exchange.rank
    assert exchange.union(np.empty(0, np.int64)).tolist() == []
    assert exchange.union(np.arange(rank + 1, dtype=np.int64) * 5).tolist() == [5 * number for number in range(ranks)]
    alone = np.array([1 << 40] if rank == ranks - 1 else [], np.int64)
    assert exchange.union(alone).tolist() == [1 << 40]


class Word:
    """A topic that rank 0 has news of, once."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.heard: list[bytes] = []

    def news(self) -> bytes:
        return b"from rank %d" % self.rank

    def hear(self, news: bytes) -> None:
        self.heard.append(news)


def check_announcements(exchange: LinkExchange) -> None:
    word = Word(exchange.rank)
    announcements = Announcements([word])
    assert exchange.rank or announcements.look()
    announcements.spread(exchange)
    assert word.heard == [b"from rank 0"]


def main() -> None:
    comm = MPI.COMM_WORLD
    for round_bytes in (int(sys.argv[1]), 1 << 28):
        exchange = LinkExchange(comm, round_bytes=round_bytes)
        assert not exchange.all_have_arrived(), "nobody has arrived yet"
        check_swaps(exchange, int(sys.argv[2]))
        check_questions(exchange, int(sys.argv[2]))
        check_counts(exchange, comm)
        check_states(exchange)
        check_sums(exchange)
        check_announcements(exchange)
    gathered = exchange.gather(f"rank {comm.rank}")
    assert gathered == ([f"rank {rank}" for rank in range(comm.size)] if comm.rank == 0 else None)
    print(f"rank {comm.rank} of {comm.size} agrees", flush=True)


try:
    main()
except BaseException:
    import traceback

    traceback.print_exc()
    MPI.COMM_WORLD.Abort(1)
