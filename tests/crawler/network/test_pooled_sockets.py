"""Kept connections that the peer has closed."""

import socket

from crawler.network.pooled_sockets import PooledSockets


def test_a_connection_stands_until_the_peer_closes_it() -> None:
    kept = PooledSockets()
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as ours,
    ):
        theirs, _ = listening.accept()
        kept.opened(ours.getsockname(), ours.fileno())
        assert not kept.is_closed(ours.getsockname())
        theirs.sendall(b"unasked")
        assert not kept.is_closed(ours.getsockname()), "what HTTP/2 and TLS say unasked is no end"
        theirs.close()
        assert kept.is_closed(ours.getsockname())


def test_a_port_that_is_used_again_is_the_new_connection() -> None:
    kept = PooledSockets()
    old, old_peer = socket.socketpair()
    new, new_peer = socket.socketpair()
    place = ("127.0.0.1", 40000)
    kept.opened(place, old.fileno())
    old_peer.close()
    assert kept.is_closed(place)
    kept.opened(place, new.fileno())
    assert not kept.is_closed(place)
    for one in (old, new, new_peer):
        one.close()
    assert kept.is_closed(place), "a socket that is no more stands for no connection"


def test_what_nobody_has_opened_is_left_to_libcurl() -> None:
    assert not PooledSockets().is_closed(("127.0.0.1", 40000))
