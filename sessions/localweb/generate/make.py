"""Making a web: a WARC file full of invented pages, and the list of the sites' root pages to start from.

The same numbers and seed give the same web, byte for byte, but for the record ids that WARC demands.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from isal import igzip_lib
from xxhash import xxh3_64_hexdigest

from sessions.localweb.generate.html import PageWriter, draw_sizes
from sessions.localweb.generate.link_graph import Links, draw_links, grow_trees, site_sizes
from sessions.localweb.generate.roles import (
    DELAY_SECONDS,
    Ghosts,
    Roles,
    cast_roles,
    draw_ghosts,
    link_ghosts,
    outgoing_links,
)
from sessions.localweb.generate.urls import Addresses, name_everything
from sessions.localweb.web_files import seeds_path, whole_web
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile
from sessions.url import domain_of

DELAY_HEADER = "X-Cutweb-Delay"
_FETCHED = 1_704_067_200.0  # 2024-01-01T00:00:00Z
_GZIP_LEVEL = 3
_STATUSES = ("301 Moved Permanently", "302 Found", "301 Moved Permanently", "307 Temporary Redirect")
_LAST_MODIFIED = "Mon, 01 Jan 2024 00:00:00 GMT"


@dataclass(frozen=True)
class MadeWeb:
    """What was made.

    ``pages`` answer 200 with HTML; ``redirects`` and ``robots`` (robots.txt files) come on top; ``missing`` URLs are
    linked but do not exist.  ``links`` counts distinct (page, URL) pairs without self-links, those that lead to
    redirects and missing URLs among them, ``links_inside`` those of them within a site; link elements of the
    head are not counted.  ``html_bytes`` is the pages' size decoded, ``body_bytes`` as stored and sent.
    """

    path: Path
    seeds_path: Path
    seeds: list[str]
    sites: int
    domains: int
    pages: int
    redirects: int
    missing: int
    robots: int
    links: int
    links_inside: int
    html_bytes: int
    body_bytes: int


def make_web(
    path: Path,
    *,
    sites: int,
    pages: int,
    seed: int,
    links: float = 30.0,
    page_kb: float = 15.0,
    gzip: bool = False,
    robots: float = 0.0,
    skew: float = 1.0,
    https: bool = False,
) -> MadeWeb:
    """Invent a web and write it to a new WARC file, with its seeds beside it (see `seeds_path`).

    ``links`` is the mean number of links of a page, ``page_kb`` the mean size of a page in kB of 1000 bytes; with
    ``gzip`` bodies are stored and served compressed; ``robots`` is the share of sites that have a robots.txt.
    With ``https`` that is the scheme of all URLs.
    The sizes of sites fall off as 1 / rank ** ``skew``; with 0 they are all the same.
    Every page can be reached from the seeds.  Raises ValueError for impossible numbers and FileExistsError if
    either file exists; then, as after any failure, nothing is left behind.
    """
    _check(sites, pages, seed, links, page_kb, robots)
    seeds: list[str] = []
    with whole_web(path, seeds) as temporary:
        made = _Making(sites, pages, seed, links, page_kb, gzip, robots, skew, https).write(temporary, path)
        seeds += made.seeds
    return made


def _check(sites: int, pages: int, seed: int, links: float, page_kb: float, robots: float) -> None:
    if sites < 1:
        raise ValueError(f"a web has at least one site, not {sites}")
    if pages < sites:
        raise ValueError(f"{pages} pages are too few for {sites} sites: each has at least its root page")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    if not 1 <= links <= 10_000:
        raise ValueError(f"the mean number of links must be between 1 and 10000, but is {links:g}")
    if not 1 <= page_kb <= 10_000:
        raise ValueError(f"the mean page size must be between 1 and 10000 kB, but is {page_kb:g}")
    if not 0 <= robots <= 1:
        raise ValueError(f"the share of sites with a robots.txt must be between 0 and 1, but is {robots:g}")


class _Making:
    """Everything about a web that is decided before its first page is written."""

    def __init__(
        self,
        sites: int,
        pages: int,
        seed: int,
        links: float,
        page_kb: float,
        gzip: bool,
        robots: float,
        skew: float,
        https: bool,
    ) -> None:
        rng = np.random.default_rng(seed)
        self._gzip = gzip
        self._scheme = "https" if https else "http"
        trees = grow_trees(site_sizes(sites, pages, rng, skew), rng)
        self._roles: Roles = cast_roles(trees, rng)
        self._ghosts: Ghosts = draw_ghosts(trees, rng)
        self._addresses: Addresses = name_everything(trees, self._roles, self._ghosts, rng, self._scheme)
        drawn = draw_links(trees, outgoing_links(self._roles, links, rng), rng)
        self._links = _merged(drawn, link_ghosts(trees, self._roles, self._ghosts, rng))
        self._roots = trees.start[:-1].tolist()
        self._robots = rng.permutation(sites)[: round(robots * sites)].tolist()
        sizes = draw_sizes(pages, page_kb, rng)
        self._pages = PageWriter(trees, self._addresses, self._links, self._roles, sizes, seed)

    def write(self, temporary: Path, path: Path) -> MadeWeb:
        warc = WarcFile(temporary)
        html_bytes = body_bytes = 0
        try:
            for site in self._robots:
                warc.append(self._robots_txt(site))
            for page in range(len(self._roles.original)):
                html = self._pages.html(page)
                exchange = self._page(page, html)
                warc.append(exchange)
                html_bytes += len(html)
                body_bytes += len(exchange.body)
            for redirect in range(self._ghosts.redirects):
                warc.append(self._redirect(redirect))
        finally:
            warc.close()
        links, inside = self._count_links()
        hosts = self._addresses.host
        return MadeWeb(
            path=path,
            seeds_path=seeds_path(path),
            seeds=[self._addresses.url[root] for root in self._roots],
            sites=len(hosts),
            domains=len({domain_of(host) for host in hosts}),
            pages=len(self._roles.original),
            redirects=self._ghosts.redirects,
            missing=len(self._ghosts.site) - self._ghosts.redirects,
            robots=len(self._robots),
            links=links,
            links_inside=inside,
            html_bytes=html_bytes,
            body_bytes=body_bytes,
        )

    def _page(self, page: int, html: bytes) -> Exchange:
        charset = "" if page in self._roles.in_meta else f"; charset={self._pages.charset(page)}"
        headers = [f"Content-Type: text/html{charset}"]
        if page % 2:
            headers += [f"Last-Modified: {_LAST_MODIFIED}", f'ETag: "{xxh3_64_hexdigest(html)}"']
        if page in self._roles.slow:
            headers.append(f"{DELAY_HEADER}: {DELAY_SECONDS}")
        return self._exchange(self._addresses.url[page], "200 OK", headers, html)

    def _redirect(self, redirect: int) -> Exchange:
        target = int(self._ghosts.leads_to[redirect])
        addresses = self._addresses
        own = len(self._roles.original) + redirect
        is_near = addresses.site[own] == addresses.site[target] and redirect % 2
        location = addresses.path[target] if is_near else addresses.url[target]
        body = f'<html><body><h1>Moved</h1><a href="{location}">here</a></body></html>\n'.replace("&", "&amp;").encode()
        headers = [f"Location: {location}", "Content-Type: text/html"]
        return self._exchange(addresses.url[own], _STATUSES[redirect % len(_STATUSES)], headers, body)

    def _robots_txt(self, site: int) -> Exchange:
        body = b"# made by cutweb\nUser-agent: *\nDisallow: /private/\n"
        url = f"{self._scheme}://{self._addresses.host[site]}/robots.txt"
        return self._exchange(url, "200 OK", ["Content-Type: text/plain"], body)

    def _exchange(self, url: str, status: str, headers: list[str], body: bytes) -> Exchange:
        if self._gzip:
            body = igzip_lib.compress(body, _GZIP_LEVEL, flag=igzip_lib.COMP_GZIP)
            headers = [*headers, "Content-Encoding: gzip"]
        lines = (f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", "")
        return Exchange(url=url, fetched=_FETCHED, response_head="\r\n".join(lines).encode(), body=body)

    def _count_links(self) -> tuple[int, int]:
        """Links of all pages and those within a site, a copy's being those of its original, without self-links."""
        pages = len(self._roles.original)
        bounds = self._links.bounds(pages)
        site = np.array(self._addresses.site)
        copies = np.flatnonzero(self._roles.original != np.arange(pages))
        links = len(self._links.source)
        inside = int(np.count_nonzero(site[self._links.source] == site[self._links.target]))
        for copy in copies.tolist():
            original = self._roles.original[copy]
            targets = self._links.target[bounds[original] : bounds[original + 1]]
            targets = targets[targets != copy]
            links += len(targets)
            inside += int(np.count_nonzero(site[targets] == site[copy]))
        return links, inside


def _merged(first: Links, second: Links) -> Links:
    source = np.concatenate((first.source, second.source))
    target = np.concatenate((first.target, second.target))
    order = np.argsort(source, kind="stable")
    return Links(source[order], target[order])
