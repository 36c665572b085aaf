"""The resolver, against a name server on the loopback; its cache's clock is one that the tests turn."""

import select
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from crawler.network.dns_resolver import Addresses, Resolver
from tests.crawler.support.dns_server import (
    AAAA,
    CNAME,
    NXDOMAIN,
    REFUSED,
    SERVFAIL,
    A,
    Answering,
    DnsServer,
    Record,
    Reply,
    table,
)

PATIENCE_POLLS = 2000
DAY = 86400.0


class Clock:
    """A clock that stands still unless it is turned."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


class Bench:
    """A resolver with the epoll that drives it; ``answers`` by name, in the order in which they came."""

    def __init__(self, server: DnsServer | None, **settings: Any) -> None:
        self.clock = Clock()
        self.epoll = select.epoll()
        self.watched: set[int] = set()
        servers = (server.address,) if server else ()
        self.resolver = Resolver(self.clock, self.watch, **({"servers": servers} | settings))
        self.answers: list[tuple[str, Addresses]] = []

    def watch(self, descriptor: int, reads: bool, writes: bool) -> None:
        if descriptor in self.watched:
            self.epoll.unregister(descriptor)
            self.watched.remove(descriptor)
        if reads or writes:
            self.epoll.register(descriptor, reads * select.EPOLLIN | writes * select.EPOLLOUT)
            self.watched.add(descriptor)

    def ask(self, *names: str) -> None:
        for name in names:
            self.resolver.resolve(name, lambda answer, name=name: self.answers.append((name, answer)))

    def drive(self, count: int) -> None:
        """Until so many answers have come."""
        for _ in range(PATIENCE_POLLS):
            if len(self.answers) >= count:
                return
            for descriptor, events in self.epoll.poll(0.01):
                reads, writes = bool(events & ~select.EPOLLOUT), bool(events & select.EPOLLOUT)
                self.resolver.process(descriptor, reads=reads, writes=writes)
            self.resolver.process()
        raise AssertionError(f"{count - len(self.answers)} answers have not come")

    def __call__(self, name: str) -> tuple[tuple[str, ...], float]:
        """A name's addresses, and for how many seconds they hold."""
        before = len(self.answers)
        self.ask(name)
        self.drive(before + 1)
        answer = self.answers[-1][1]
        return answer.ips, answer.until - self.clock.time

    def close(self) -> None:
        self.resolver.close()
        self.epoll.close()


Benches = Callable[..., tuple[Bench, DnsServer]]


@pytest.fixture
def benches() -> Iterator[Benches]:
    """Makes a resolver with a server of its own: ``benches(answering, timeout=1.0)``."""
    made: list[tuple[Bench, DnsServer]] = []

    def make(answer: Answering, **settings: Any) -> tuple[Bench, DnsServer]:
        server = DnsServer(answer).__enter__()
        made.append((Bench(server, **settings), server))
        return made[-1]

    yield make
    for bench, server in made:
        bench.close()
        server.__exit__(None, None, None)


def test_addresses_come_in_the_order_of_the_answer(benches: Benches) -> None:
    ips = ("192.0.2.9", "192.0.2.1", "192.0.2.5", "127.0.0.1")
    resolve, server = benches(table({"a.example": ips}))
    assert resolve("a.example") == (ips, 60.0)
    assert server.queries == [("a.example", A)]


def test_an_address_told_twice_counts_once(benches: Benches) -> None:
    resolve, _ = benches(table({"a.example": ("192.0.2.9", "192.0.2.1", "192.0.2.9")}))
    assert resolve("a.example")[0] == ("192.0.2.9", "192.0.2.1")


def test_ipv6_is_asked_for_only_if_there_is_no_ipv4(benches: Benches) -> None:
    resolve, server = benches(table({"both.example": ("2001:db8::1", "192.0.2.1"), "six.example": ("2001:db8::6",)}))
    assert resolve("both.example")[0] == ("192.0.2.1",)
    assert resolve("six.example")[0] == ("2001:db8::6",)
    assert server.queries == [("both.example", A), ("six.example", A), ("six.example", AAAA)]


def test_aliases_are_followed_and_the_shortest_life_counts(benches: Benches) -> None:
    chain = [
        Record(CNAME, "b.example", 500),
        Record(CNAME, "c.example", 100, "b.example"),
        Record(A, "192.0.2.1", 900, "c.example"),
    ]
    resolve, _ = benches(table({"a.example": Reply(chain)}))
    assert resolve("a.example") == (("192.0.2.1",), 100.0)


@pytest.mark.parametrize(
    ("ttls", "seconds"), [([0], 30.0), ([29], 30.0), ([31, 100], 31.0), ([DAY - 1], DAY - 1), ([10**7], DAY)]
)
def test_lives_are_neither_too_short_nor_too_long(benches: Benches, ttls: list[int], seconds: float) -> None:
    records = [Record(A, f"192.0.2.{number}", int(ttl)) for number, ttl in enumerate(ttls)]
    resolve, _ = benches(table({"a.example": Reply(records)}))
    assert resolve("a.example")[1] == seconds


def test_what_is_known_is_not_asked_again_until_its_time_is_up(benches: Benches) -> None:
    resolve, server = benches(table({"a.example": Reply([Record(A, "192.0.2.1", 0)])}))
    resolve("a.example")
    resolve.clock.time += 29.9
    assert resolve("a.example") == (("192.0.2.1",), pytest.approx(0.1))
    assert len(server.queries) == 1
    resolve.clock.time += 0.1
    assert resolve("a.example") == (("192.0.2.1",), 30.0)
    assert len(server.queries) == 2


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (Reply(code=NXDOMAIN), 300.0),
        (Reply(), 300.0),
        (Reply(code=SERVFAIL), 30.0),
        (Reply(code=REFUSED), 30.0),
        (Reply(raw=b""), 30.0),
        (Reply(raw=b"\x81\x80\x00\x01\x00\x05\x00\x00\x00\x00"), 30.0),
        (Reply(raw=b"\xff" * 400), 30.0),
        (None, 30.0),
    ],
    ids=["nxdomain", "no data", "servfail", "refused", "empty", "malformed", "garbage", "silence"],
)
def test_names_without_addresses_are_remembered_too(benches: Benches, reply: Reply | None, seconds: float) -> None:
    resolve, server = benches(table({"a.example": reply}), timeout=0.2)
    assert resolve("a.example") == ((), seconds)
    asked = len(server.queries)
    assert resolve("a.example") == ((), seconds)
    assert len(server.queries) == asked


@pytest.mark.parametrize("raw", [b"\x81\x80" + b"\1" * 8, b"\xff" * 40, b"\x81\x80\0\1\0\5\0\0\0\0"])
def test_names_asked_for_beside_one_with_a_malformed_answer_are_found(benches: Benches, raw: bytes) -> None:
    good = {f"good{number}.example": ("192.0.2.1",) for number in range(20)}
    bad = {f"bad{number}.example": Reply(raw=raw) for number in range(3)}
    resolve, _ = benches(table(good | bad))
    resolve.ask(*list(good)[:10], *bad, *list(good)[10:])
    resolve.drive(23)
    assert {name: answer.ips for name, answer in resolve.answers} == good | dict.fromkeys(bad, ())


def test_an_answer_too_long_for_a_datagram_comes_over_tcp(benches: Benches) -> None:
    ips = [f"192.0.2.{number}" for number in range(200)]
    resolve, server = benches(table({"a.example": Reply([Record(A, ip) for ip in ips], is_truncated=True)}))
    assert resolve("a.example")[0] == tuple(ips)
    assert server.queries == [("a.example", A)] * 2


def test_a_name_is_asked_for_once_however_many_want_it(benches: Benches) -> None:
    resolve, server = benches(table({"a.example": ("192.0.2.1",), "b.example": ("192.0.2.2",)}))
    resolve.ask("a.example", "a.example", "b.example", "a.example")
    resolve.drive(4)
    assert sorted((name, answer.ips[0]) for name, answer in resolve.answers) == [
        ("a.example", "192.0.2.1"),
        ("a.example", "192.0.2.1"),
        ("a.example", "192.0.2.1"),
        ("b.example", "192.0.2.2"),
    ]
    assert sorted(server.queries) == [("a.example", A), ("b.example", A)]


def test_only_so_many_are_asked_for_at_once(benches: Benches) -> None:
    names = [f"n{number}.example" for number in range(50)]
    silent: dict[str, None] = dict.fromkeys(names[:7])
    resolve, server = benches(table(dict.fromkeys(names, ("192.0.2.1",)) | silent), at_once=7, timeout=3600.0)
    resolve.ask(*names)
    resolve.resolver.process()
    assert len(resolve.resolver._asked) == 7
    assert len(resolve.resolver._waiting) == 43
    resolve.resolver._channels[0].cancel()
    resolve.drive(50)
    assert len(server.queries) <= 50
    assert sum(bool(answer.ips) for _, answer in resolve.answers) == 43


def test_a_name_that_takes_too_long_is_given_up_and_a_late_answer_changes_nothing(benches: Benches) -> None:
    resolve, _ = benches(table({"a.example": None}), timeout=600.0)
    resolve.ask("a.example")
    resolve.resolver.process()
    assert resolve.answers == []
    resolve.clock.time += 599.0
    resolve.resolver.process()
    assert resolve.answers == []
    resolve.clock.time += 1.0
    assert resolve.resolver.next_time() == pytest.approx(resolve.clock.time)
    resolve.resolver.process()
    assert [answer.ips for _, answer in resolve.answers] == [()]
    resolve.resolver._channels[0].cancel()
    resolve.resolver.process()
    assert len(resolve.answers) == 1


def test_there_is_nothing_to_wait_for_when_nothing_is_asked(benches: Benches) -> None:
    resolve, _ = benches(table({"a.example": ("192.0.2.1",)}))
    assert resolve.resolver.next_time() is None
    resolve.ask("a.example")
    next_time = resolve.resolver.next_time()
    assert next_time is not None
    assert next_time <= resolve.clock.time + 10.0
    resolve.drive(1)
    assert resolve.resolver.next_time() is None


def test_the_memory_for_answers_is_bounded(benches: Benches) -> None:
    names = [f"n{number}.example" for number in range(20)]
    resolve, server = benches(table({name: Reply([Record(A, "192.0.2.1", 0)]) for name in names}), remembered=10)
    for name in names:
        resolve(name)
    assert len(resolve.resolver._cache) == 10
    resolve(names[19])
    assert len(server.queries) == 20
    resolve(names[0])
    assert len(server.queries) == 21


@pytest.mark.parametrize("name", ["a..b", "x" * 64 + ".example", "[::1]", "a" * 300, "caf\u00e9.example", "a b", "\0"])
def test_what_is_no_name_has_no_address(benches: Benches, name: str) -> None:
    resolve, _ = benches(table({}))
    assert resolve(name)[0] == ()


@pytest.mark.parametrize("name", ["localhost", "www.localhost"])
def test_localhost_is_this_machine_and_nobody_is_asked(benches: Benches, name: str) -> None:
    resolve, server = benches(table({name: ("192.0.2.1",)}))
    assert set(resolve(name)[0]) <= {"127.0.0.1", "::1"}
    assert server.queries == []


def test_thousands_of_names_without_an_answer_need_no_stack(benches: Benches) -> None:
    resolve, _ = benches(table({}), at_once=1)
    resolve.ask(*[f"n{number}..example" for number in range(5000)])
    resolve.drive(5000)


def test_another_server_is_asked_if_one_is_silent(benches: Benches) -> None:
    _, silent = benches(lambda _name, _kind: None)
    _, server = benches(table({"a.example": ("192.0.2.1",)}))
    both = Bench(None, servers=(silent.address, server.address), timeout=1.0)
    try:
        assert both("a.example")[0] == ("192.0.2.1",)
    finally:
        both.close()


def test_who_waits_when_it_is_closed_is_not_called(benches: Benches) -> None:
    resolve, _ = benches(table({"a.example": None}), timeout=600.0)
    resolve.ask("a.example", "b.example")
    resolve.close()
    resolve.resolver.close()
    assert resolve.answers == []


@pytest.mark.parametrize("timeout", [1e-9, 0.001, 1e6, 1e12])
def test_any_time_limit_is_one(benches: Benches, timeout: float) -> None:
    resolve, _ = benches(table({"a.example": ("192.0.2.1",)}), timeout=timeout)
    resolve.ask("a.example")
    assert resolve.resolver.next_time() is not None
    resolve.clock.time += timeout
    resolve.resolver.process()
    assert len(resolve.answers) == 1
