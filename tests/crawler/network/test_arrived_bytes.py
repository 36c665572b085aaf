"""What arrives at sockets, as the kernel counts it."""

import socket
from collections.abc import Iterator
from math import inf

import pytest

from crawler.network.arrived_bytes import ArrivedBytes
from crawler.network.bandwidth import Bandwidth

FRAME = 66


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_bytes_are_counted_before_anybody_reads_them_and_once(listener: socket.socket) -> None:
    bandwidth = Bandwidth()
    arrived = ArrivedBytes(bandwidth)
    with socket.socket() as client:
        arrived.opened(client.fileno())
        client.connect(listener.getsockname())
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"x" * 10_000)
            while len(client.recv(10_000, socket.MSG_PEEK)) < 10_000:
                pass
            arrived.look(client.fileno())
            first = bandwidth.received
            assert 10_000 + 2 * FRAME <= first <= 10_000 + 20 * FRAME
            arrived.look(client.fileno())
            assert bandwidth.received == first
            peer.sendall(b"x" * 500)
            client.recv(10_000)
            client.recv(500)
            arrived.look(client.fileno())
            assert first + 500 + FRAME <= bandwidth.received <= first + 500 + 3 * FRAME
        arrived.close()
        client.getpeername()  # still open


def test_a_descriptor_that_is_used_again_counts_from_nothing(listener: socket.socket) -> None:
    bandwidth = Bandwidth()
    arrived = ArrivedBytes(bandwidth)
    numbers = set()
    for size in (5000, 100):
        with socket.socket() as client:
            numbers.add(client.fileno())
            arrived.opened(client.fileno())
            client.connect(listener.getsockname())
            peer, _ = listener.accept()
            with peer:
                peer.sendall(b"x" * size)
                client.recv(1)
                arrived.look(client.fileno())
    assert len(numbers) == 1
    assert 5100 <= bandwidth.received <= 5100 + 20 * FRAME
    arrived.look(numbers.pop())  # closed by now
    arrived.look(12345)  # never seen
    arrived.close()


def test_the_kernel_keeps_little_where_the_rate_is_low() -> None:
    def buffer_at(rate: float) -> int:
        with socket.socket() as client:
            counted = ArrivedBytes(Bandwidth(rate))
            counted.opened(client.fileno())
            counted.close()
            return client.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)

    with socket.socket() as untouched:
        usual = untouched.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    assert buffer_at(inf) == buffer_at(100_000_000.0) == usual
    assert buffer_at(10_000.0) == 2 * (32 << 10)  # the kernel doubles it, for its own ends
