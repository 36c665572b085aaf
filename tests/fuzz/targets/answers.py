"""Answers over real sockets: whatever a server sends, the transfer ends within its limits, and can be recorded."""

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import strategies as st

from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.web import ERROR_KINDS, Endpoint, Request, Response
from crawler.pages.link_finder import LinkFinder
from crawler.pages.response_reader import read, references_in
from tests.fuzz.answering import CLOSE, KEEP, RESET, SILENCE, AnsweringServer
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import made_web
from tests.fuzz.target import Check, Target
from tests.fuzz.targets.records import come_back

Answer = tuple[bytes, tuple[int, ...], str]
"""What is sent, the sizes of the pieces in which it is, and what becomes of the connection."""

BODY_LIMIT, HEADER_LIMIT = 1 << 16, 1 << 13
TIMEOUT, IDLE_SECONDS = 1.0, 0.1
PATIENCE_SECONDS = 20.0
"""The limits are on wall time, which on a busy machine is long."""
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
HEADS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<a href=/x>a page</a>",
    CHUNKED + b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Trailer: x\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>until the end",
    b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nSet-Cookie: a=b\r\n\r\n",
]
TOKENS = [
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b"\0",
        b" ",
        b":",
        b"\xff",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
    ),
    *(
        b"HTTP/1.1 101 Switching Protocols\r\n",
        b"HTTP/2 200\r\n",
        b"HTTP/0.9",
        b"ICY 200\r\n",
        b"HTTP/1.1 000 ",
        b"1" * 20,
    ),
    *(
        b"Content-Length: ",
        b"Content-Length: -1\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Content-Length: 3\r\n",
    ),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: identity\r\n",
        b"0\r\n\r\n",
    ),
    *(
        b"Content-Encoding: gzip\r\n",
        b"Connection: keep-alive\r\n",
        b"Connection: upgrade\r\nUpgrade: h2c\r\n",
        b"ffffffffffff\r\n",
    ),
    *(
        b"Location: \r\n",
        b"Refresh: 0;url=/\r\n",
        b'Alt-Svc: h3=":1"\r\n',
        b"X: " + b"v" * 2000 + b"\r\n",
        b"\r\n\tfolded",
    ),
    *(
        b"Set-Cookie: x\r\n",
        b"Strict-Transport-Security: max-age=9\r\n",
        b"5\r\nhello\r\n",
        b"-5\r\n",
        b"5;" + b"e" * 5000 + b"\r\n",
    ),
]


@contextmanager
def opened() -> Iterator[Check]:
    """A network with small limits, and a server for it."""
    settings = NetworkSettings(
        user_agent="fuzz/1.0",
        connections=4,
        timeout=TIMEOUT,
        idle_timeout=IDLE_SECONDS,
        speed_window=TIMEOUT,
        body_limit=BODY_LIMIT,
        header_limit=HEADER_LIMIT,
    )
    network = CurlWeb(settings)
    with AnsweringServer() as server:

        def check(answer: Answer) -> str:
            server.answer, server.ending = _pieces(answer[0], answer[1]), answer[2]
            response = _fetched(network, server.port)
            _is_within_limits(response)
            if not response.status:
                return response.error
            _can_be_taken_in(response)
            return f"{response.status // 100}xx" + (f" {response.error}" if response.error else "")

        try:
            yield check
        finally:
            network.close()


def _pieces(data: bytes, sizes: tuple[int, ...]) -> list[bytes]:
    pieces = []
    for size in sizes:
        pieces.append(data[:size])
        data = data[size:]
    return [piece for piece in (*pieces, data) if piece]


def _fetched(network: CurlWeb, port: int) -> Response:
    network.start(Request(f"http://127.0.0.1:{port}/page", "purpose", Endpoint("127.0.0.1", port)))
    until = network.now() + PATIENCE_SECONDS
    came = network.wait(until)
    assert len(came) == 1, f"{len(came)} responses within {PATIENCE_SECONDS} s"
    assert network.in_flight == 0
    (response,) = came
    assert isinstance(response, Response)
    return response


def _is_within_limits(response: Response) -> None:
    assert response.request.purpose == "purpose"
    assert response.error in ("", *ERROR_KINDS)
    assert len(response.body) <= BODY_LIMIT
    assert sum(map(len, response.head)) <= HEADER_LIMIT
    if response.status:
        assert 200 <= response.status <= 999
        assert response.head
        assert response.truncated or not response.error
    else:
        assert response.error
        assert not response.head
        assert not response.body


def _can_be_taken_in(response: Response) -> None:
    reading = read(response, 1 << 20)
    references = references_in(response, reading, LinkFinder())
    if references is not None:
        references.targets()
    come_back(response)


def _inputs() -> st.SearchStrategy[Answer]:
    whole = [kept.head + kept.body for kept in made_web() if len(kept.body) < 20_000][:10]
    return st.tuples(
        mutated([*HEADS, *HEADS, *whole], TOKENS, longest=1 << 17),
        st.lists(st.integers(1, 200), max_size=4).map(tuple),
        st.sampled_from([CLOSE] * 12 + [RESET] * 3 + [KEEP] * 2 + [SILENCE]),
    )


TARGET = Target("answers", st.deferred(_inputs), opened, share=0.03)
