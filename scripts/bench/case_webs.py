"""The webs that `scripts.bench.crawl_cases` crawls, each served at a port of its own while cases are measured."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from scripts.bench.nginx_server import served_by_nginx
from scripts.shared.page_server import PageServer
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.response import read_response
from sessions.localweb.web_files import seeds_path
from sessions.storage.warc_index import build_index

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
LATENCY_SECONDS = 0.1


class Served(NamedTuple):
    """A web that answers: the list of its seeds, and what tells a crawl to go there."""

    seeds: Path
    arguments: list[str]


class CaseWeb(NamedTuple):
    """A web by name; ``serve`` makes it in a folder if it is not there and serves it from a port (and the next)."""

    name: str
    serve: Callable[[Path, int], Iterator[Served | None]]

    @contextmanager
    def served(self, folder: Path, port: int) -> Iterator[Served | None]:
        """Serve it; None if what it is made of is not here."""
        yield from self.serve(folder, port)


def _invented(name: str, *, keeps_connections: bool = True, **numbers: object) -> CaseWeb:
    """A made web, with TLS if its URLs are https."""

    def serve(folder: Path, port: int) -> Iterator[Served | None]:
        web = _made(folder / f"{name}.warc.gz", numbers)
        tls_port = port + 1 if numbers.get("https") else None
        with served_by_nginx(
            [web], folder / f"nginx-{name}", port, tls_port=tls_port, keeps_connections=keeps_connections
        ) as exported:
            yield Served(seeds_path(web), exported.crawl_options)

    return CaseWeb(name, serve)


def _recorded(name: str, file: str) -> CaseWeb:
    """A real crawl: every page that was recorded is a seed."""

    def serve(folder: Path, port: int) -> Iterator[Served | None]:
        warc = SHARED / file
        if not warc.exists():
            print(f"{name} is left out: {file} is not in shared/data beside the checkout", file=sys.stderr)
            yield None
            return
        urls = build_index([warc]).answers()
        seeds = folder / f"{name}.seeds.txt"
        seeds.write_text("".join(f"{url.replace('https://', 'http://', 1)}\n" for url in urls))
        with served_by_nginx([warc], folder / f"nginx-{name}", port, http_for_https=True) as exported:
            yield Served(seeds, [*exported.crawl_options, "--max-depth", "0"])

    return CaseWeb(name, serve)


def _late(name: str, **numbers: object) -> CaseWeb:
    """A made web all of whose answers come after `LATENCY_SECONDS`."""

    def serve(folder: Path, port: int) -> Iterator[Served | None]:
        web = _made(folder / f"{name}.warc.gz", numbers)
        bodies = {url: read_response(entry).body for url, entry in build_index([web]).answers().items()}
        answer = lambda host, path: bodies.get(f"http://{host}{path}")  # noqa: E731
        with PageServer(answer, delay=LATENCY_SECONDS) as server:
            yield Served(seeds_path(web), ["--connect-to", f"::127.0.0.1:{server.port}"])

    return CaseWeb(name, serve)


def _made(web: Path, numbers: dict[str, object]) -> Path:
    if not web.exists():
        print(f"inventing {web.name} ...", file=sys.stderr)
        make_web(web, **numbers)  # type: ignore[arg-type]
    return web


_PAGES: dict[str, object] = {"sites": 200, "pages": 20_000, "seed": 1, "links": 60.0, "page_kb": 22.0, "gzip": True}

WEBS = [
    _invented("generated", **_PAGES),
    _invented("tls", https=True, **_PAGES),
    _invented("tls-closing", https=True, keeps_connections=False, **_PAGES),
    _invented("single-pages", **_PAGES | {"sites": 20_000, "robots": 1.0}),
    _late("late", **_PAGES | {"sites": 2_000, "pages": 10_000, "gzip": False}),
    _recorded("uci", "uci.warc.gz"),
    _recorded("sites-2022", "sites-2022-01-01.warc.gz"),
]
