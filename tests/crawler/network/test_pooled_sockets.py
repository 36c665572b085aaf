"""What goes wrong with connections: what libcurl's errors mean, and when a kept one is dead."""

import socket

import pycurl
import pytest

from crawler.network.curl_errors import CURL_ERRORS, curl_error
from crawler.network.pooled_sockets import PooledSockets
from crawler.network.web import ERROR_KINDS

NAMED_BY_PYCURL = {
    (code, name.removeprefix("E_"))
    for name, code in vars(pycurl).items()
    if name.startswith("E_") and not name.startswith("E_MULTI_") and 0 < code < 1000
}
NEWER_THAN_PYCURL = range(92, 102)
RENAMED = {8: "FTP_WEIRD_SERVER_REPLY", 49: "TELNET_OPTION_SYNTAX", 85: "RTSP_CSEQ_ERROR"}


def test_every_code_is_there_under_its_name() -> None:
    assert list(CURL_ERRORS) == list(range(1, 102))
    for code, error in CURL_ERRORS.items():
        is_known = (code, RENAMED.get(code, error.name)) in NAMED_BY_PYCURL
        assert is_known or error.name == f"OBSOLETE{code}" or code in NEWER_THAN_PYCURL, error
    assert {code for code, _ in NAMED_BY_PYCURL} <= set(CURL_ERRORS)


def test_every_error_of_the_network_is_one_of_the_seam() -> None:
    assert {error.kind for error in CURL_ERRORS.values()} <= set(ERROR_KINDS)


@pytest.mark.parametrize("code", [7, 16, 18, 28, 35, 52, 55, 56, 92, 102, 9999])
def test_what_may_have_been_chance_is_tried_again(code: int) -> None:
    assert not curl_error(code).is_hopeless


@pytest.mark.parametrize("code", [1, 3, 8, 60, 61, 100])
def test_what_lies_in_the_answer_is_not(code: int) -> None:
    assert curl_error(code).is_hopeless


# Kept connections that the peer has closed.


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
