"""How the tests of the network look up, ask and wait."""

from collections.abc import Callable
from urllib.parse import urlsplit

from crawler.network.curl_web import CurlWeb
from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from sessions.url import origin_of

PATIENCE = 20.0

Networks = Callable[..., CurlWeb]


def found(network: CurlWeb, *origins: str) -> list[Found]:
    """Look all up at once; the answers in order of the questions."""
    for number, origin in enumerate(origins):
        network.look_up(Lookup(origin, number))
    answers: list[Found] = []
    until = network.now() + PATIENCE
    while len(answers) < len(origins):
        answers += [one for one in network.wait(until) if isinstance(one, Found)]
        assert network.now() < until
    return sorted(answers, key=lambda answer: int(answer.lookup.purpose))


def responses(network: CurlWeb, *urls: str) -> list[Response]:
    """Look all up, then fetch all at once; the responses in order of the requests."""
    answers = found(network, *map(origin_of, urls))
    assert [answer.error for answer in answers] == [""] * len(urls)
    for number, (url, answer) in enumerate(zip(urls, answers, strict=True)):
        network.start(Request(url, number, answer.endpoints[0]))
    assert network.in_flight == len(urls)
    return sorted(awaited(network, len(urls)), key=lambda response: int(response.request.purpose))


def awaited(network: CurlWeb, count: int = 1) -> list[Response]:
    """So many responses, in the order in which they come."""
    done: list[Response] = []
    until = network.now() + PATIENCE
    while len(done) < count:
        done += [one for one in network.wait(until) if isinstance(one, Response)]
        assert network.now() < until
    return done


def fetched(network: CurlWeb, url: str) -> Response:
    """What comes of one URL."""
    (response,) = responses(network, url)
    return response


def to(url: str, purpose: object = None, body_limit: int | None = None, headers: tuple[str, ...] = ()) -> Request:
    """A request for a URL whose host is an IPv4 address, to that address."""
    parts = urlsplit(url)
    return Request(url, purpose, Endpoint(parts.hostname or "", parts.port or 80), body_limit, headers)
