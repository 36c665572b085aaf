"""Guarded loads of the network: pages fetched over one kept connection, plain and with TLS."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from crawler.network.curl_transfer import NetworkSettings
from crawler.network.curl_web import CurlWeb
from crawler.network.web import Endpoint, Request, Response
from tests.guard.packed_pages import HOST

FETCHED = 40


@contextmanager
def fetches(folder: Path) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """Fetch `FETCHED` pages one after the other: from a plain server, and over TLS."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "tests.guard.answering", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        plain, secure = (Endpoint("127.0.0.1", int(server.stdout.readline())) for _ in range(2))
        settings = NetworkSettings(user_agent="guard/1.0", allow_net=("127.0.0.0/8",), ca_cert=folder / "ca.pem")
        with closing(CurlWeb(settings)) as web:
            yield partial(_fetch_all, web, "http", plain), partial(_fetch_all, web, "https", secure)


def _fetch_all(web: CurlWeb, scheme: str, endpoint: Endpoint) -> None:
    for number in range(FETCHED):
        web.start(Request(f"{scheme}://{HOST}/{number}", None, endpoint))
        (response,) = _awaited(web)
        assert (response.status, response.error) == (200, "")


def _awaited(web: CurlWeb) -> list[Response]:
    while not (responses := [found for found in web.wait(web.now() + 1.0) if isinstance(found, Response)]):
        pass
    return responses
