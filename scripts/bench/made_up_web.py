"""A web that is made up as it is asked for, and whose clock is the CPU time of the rank that crawls it."""

from collections.abc import Callable
from time import process_time

import numpy as np

from crawler.network.prompt_web import PromptWeb
from crawler.network.web import Endpoint, Found, Lookup, Request, Response
from sessions.url import url_hash

_LINKS, _SITES = 60, 500
_OLD_PAGES = 1 << 14
_HEAD = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html; charset=utf-8\r\n"]
_WORDS = b"<p>" + b"a page has words between its links, and these are some of them; " * 4

Watching = Callable[[int, float], None]
"""What wants to know, at each look at the network, how many pages came at the look before, and the seconds since."""


class MadeUpWeb(PromptWeb):
    """A web in which each page has some dozens of links, half of them to pages that nobody has linked to.

    ``respond`` makes what is answered.  What making pages takes is no part of the time.  Reads the clock: that of the
    process's CPU.
    """

    def __init__(self, respond: Callable[[Request], Response] | None = None) -> None:
        super().__init__()
        self._watching: Watching = lambda pages, seconds: None
        self._respond = respond or _response
        self._aside = 0.0
        self._found: list[Found] = []
        self._left_at = self.now()
        self._read = 0

    def now(self) -> float:
        return process_time() - self._aside

    def pass_time(self, seconds: float) -> None:
        """Let time pass in which nothing happens."""
        self._aside -= seconds

    def watch(self, watching: Watching) -> None:
        """From now on tell this one."""
        self._watching, self._left_at, self._read = watching, self.now(), 0

    def look_up(self, lookup: Lookup) -> None:
        self._found.append(Found(lookup, (Endpoint("192.0.2.1", 80),), seconds=1e9))

    def wait(self, until: float) -> list[Response | Found]:
        began = process_time()
        self._watching(self._read, began - self._aside - self._left_at)
        found, self._found = self._found, []
        responses = [self._respond(request) for request in self.cancel()]
        self._read = sum(response.status == 200 for response in responses)
        self._aside += process_time() - began
        self._left_at = self.now()
        return [*found, *responses]


def _response(request: Request) -> Response:
    if request.url.endswith("/robots.txt"):
        return Response(request, 404, [b"HTTP/1.1 404 Not Found\r\n"])
    drawn = np.random.default_rng(url_hash(request.url)).integers(0, 1 << 40, _LINKS)
    drawn[::2] %= _OLD_PAGES
    links = b"".join(
        b'%s<a href="http://s%d.example/some/path/%d.html">x</a>' % (_WORDS, number % _SITES, number)
        for number in drawn.tolist()
    )
    return Response(request, 200, list(_HEAD), b"<!doctype html><title>page</title>" + links)
