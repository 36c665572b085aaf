"""Run under mpiexec by test_exchange.py: every rank writes to every other, and to itself, and checks what it gets."""

import random
import sys
from collections import defaultdict

from mpi4py import MPI

from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Facts, Want
from crawler.politeness.robots.rules import Rules

LETTERS = 300
LARGE_BYTES = 1_000_000


def rules_of(size: int) -> Rules:
    return Rules(packed=bytes(range(250)) * (size // 250))


def check_order(comm: MPI.Intracomm) -> None:
    """Random messages arrive once, and in order from each sender."""
    mailbox = Mailbox(comm)
    dice = random.Random(comm.rank)
    written: dict[int, int] = defaultdict(int)
    read: dict[int, int] = defaultdict(int)
    while sum(read.values()) < LETTERS * comm.size or sum(written.values()) < LETTERS * comm.size:
        for _ in range(dice.randrange(4)):
            to = dice.randrange(comm.size)
            if written[to] < LETTERS:
                mailbox.send(to, Want(f"{comm.rank}-{to}", "site", written[to]))
                written[to] += 1
        if dice.random() < 0.7:
            mailbox.dispatch()
        for _ in range(dice.randrange(20)):
            item = mailbox.next()
            if item is None:
                break
            sender, message = item
            assert message == Want(f"{sender}-{comm.rank}", "site", read[sender])
            read[sender] += 1
        if sum(written.values()) == LETTERS * comm.size:
            mailbox.dispatch()
    assert mailbox.sent == mailbox.received == LETTERS * comm.size
    assert mailbox.next() is None
    assert mailbox.is_idle
    mailbox.close()


def check_large(comm: MPI.Intracomm) -> None:
    """Messages that MPI does not buffer go through, though all ranks write at once and then only look."""
    mailbox = Mailbox(comm)
    for to in range(comm.size):
        mailbox.send(to, Facts(f"http://{comm.rank}.example", rules=rules_of(LARGE_BYTES)))
    mailbox.dispatch()
    senders: list[int] = []
    while len(senders) < comm.size:
        mailbox.dispatch()
        if (item := mailbox.next()) is not None:
            sender, message = item
            assert message == Facts(f"http://{sender}.example", rules=rules_of(LARGE_BYTES))
            senders.append(sender)
    assert sorted(senders) == list(range(comm.size))
    mailbox.close()


def check_close(comm: MPI.Intracomm) -> None:
    """What nobody reads, be it large, is under way no more after the end; what was not sent is not waited for."""
    for _ in range(3):
        mailbox = Mailbox(comm)
        for number in range(20 + comm.rank):
            size = LARGE_BYTES if number % 7 == 0 else 0
            mailbox.send((comm.rank + number) % comm.size, Facts("http://a.example", rules=rules_of(size)))
            if number % 3 == 0:
                mailbox.dispatch()
        mailbox.close()


def main() -> None:
    comm = MPI.COMM_WORLD
    check_order(comm)
    check_large(comm)
    check_close(comm)
    assert not comm.Iprobe()
    print(f"rank {comm.rank} of {comm.size} agrees", flush=True)


try:
    main()
except BaseException:
    import traceback

    traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    MPI.COMM_WORLD.Abort(1)
