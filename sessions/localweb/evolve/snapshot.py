"""A web as it stands in a WARC file, in the few facts that evolution decides by: URLs, sites, links, a date.

One pass reads every record and keeps no body, so memory is bounded by the number of URLs and links.
"""

import gzip
import re
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sessions.localweb.evolve.html_edit import is_editable, take_apart
from sessions.localweb.generate.link_graph import Ints
from sessions.localweb.serve.response import Response, read_response
from sessions.localweb.web_files import seeds_path
from sessions.progress import Progress
from sessions.storage.warc_index import Index, IndexEntry
from sessions.url import canonical, join, percent_encoded, site_of

Flags = npt.NDArray[np.bool_]

BORN_HEADER = "X-Cutweb-Born"
"""Response header of a page that evolution made: the day it was born."""
_NO_DATE = 1_704_067_200.0  # 2024-01-01T00:00:00Z, the day of every web that `make_web` invents
_HTML = re.compile(rb"\s*(?:text/html|application/xhtml\+xml)\b", re.IGNORECASE)
_DISALLOW = re.compile(rb"^\s*disallow\s*:\s*(/[^\s*$#]*)", re.IGNORECASE | re.MULTILINE)
_GZIP = (b"gzip", b"x-gzip")


@dataclass
class Snapshot:
    """What stands in a WARC file.  Record r answers for ``urls[r]``; numbers from ``len(entries)`` on are other URLs.

    ``site[r]`` is a number in ``sites``.  ``is_page``: 200 with HTML; ``is_editable``: a page that can be changed;
    ``is_hub``: an editable one that can lead a crawler on; ``is_born``: evolution made it.  ``targets[r]`` are the
    distinct URLs it links to (a redirect: where it leads); of those, ``is_loose[r]`` can be taken out and
    ``is_followed[r]`` lead a crawler on.  ``date`` is the newest record's, in seconds since 1970, ``html_bytes`` the
    size of all pages, decoded, and ``gzipped`` the number of pages stored compressed.
    """

    urls: list[str]
    entries: list[IndexEntry]
    sites: list[str]
    site: Ints
    date: float
    seeds: list[str] = field(default_factory=list)
    targets: list[Ints] = field(default_factory=list)
    is_loose: list[Flags] = field(default_factory=list)
    is_followed: list[Flags] = field(default_factory=list)
    is_page: Flags = field(default_factory=lambda: np.zeros(0, bool))
    is_editable: Flags = field(default_factory=lambda: np.zeros(0, bool))
    is_hub: Flags = field(default_factory=lambda: np.zeros(0, bool))
    is_born: Flags = field(default_factory=lambda: np.zeros(0, bool))
    html_bytes: int = 0
    gzipped: int = 0


def take_snapshot(path: Path, index: Index, progress: Progress) -> Snapshot:
    """Read every record of an indexed WARC file once.

    Raises OSError if a file cannot be read and ValueError if it has no page at all.
    """
    snapshot = _Reading(index).read(progress)
    if not snapshot.is_page.any():
        raise ValueError(f"{path}: no HTML page to evolve from")
    snapshot.seeds = _seeds(path, index, snapshot)
    return snapshot


def decoded(response: Response) -> bytes | None:
    """A response's body without its content encoding; None where that is broken, or neither gzip nor none."""
    encoding = response.header(b"content-encoding").strip().lower()
    if encoding in (b"", b"identity"):
        return response.body
    if encoding not in _GZIP:
        return None
    try:
        return gzip.decompress(response.body)
    except (zlib.error, OSError, EOFError):
        return None


class _Reading:
    def __init__(self, index: Index) -> None:
        self._urls = list(index.entries)
        self._number = {url: number for number, url in enumerate(self._urls)}
        names = [site_of(url) for url in self._urls]
        sites = list(dict.fromkeys(names))
        of_site = {site: number for number, site in enumerate(sites)}
        entries = list(index.entries.values())
        site = np.array([of_site[name] for name in names], np.int64)
        self._web = Snapshot(self._urls, entries, sites, site, _seconds(index.newest))
        self._forbidden: dict[int, list[str]] = {}

    def read(self, progress: Progress) -> Snapshot:
        web = self._web
        count = len(web.entries)
        web.is_page, web.is_editable, web.is_hub, web.is_born = (np.zeros(count, bool) for _ in range(4))
        for record, entry in enumerate(web.entries):
            progress("reading", record, count)
            try:
                self._take(record, read_response(entry))
            except ValueError:
                self._link(record, {})  # no HTTP response: it is served as an error, and copied as it is
        for record in np.flatnonzero(web.is_hub).tolist():
            path = "/" + web.urls[record].split("/", 3)[3]
            forbidden = self._forbidden.get(int(web.site[record]), [])
            web.is_hub[record] = not any(path.startswith(prefix) for prefix in forbidden)
        return web

    def _take(self, record: int, response: Response) -> None:
        web = self._web
        url = web.urls[record]
        if 300 <= response.status < 400:
            target = join(url, [percent_encoded(response.header(b"location"))])[0]
            self._link(record, {target: (False, True)} if target else {})
        elif response.status == 200 and _HTML.match(response.header(b"content-type")):
            web.is_page[record] = True
            web.is_born[record] = bool(response.header(BORN_HEADER.lower().encode()))
            self._take_page(record, response)
        else:
            if url.endswith("/robots.txt") and url.count("/") == 3:
                prefixes = _DISALLOW.findall(response.body[: 1 << 19])
                self._forbidden[int(web.site[record])] = [prefix.decode("latin-1") for prefix in prefixes]
            self._link(record, {})

    def _take_page(self, record: int, response: Response) -> None:
        web = self._web
        html = decoded(response)
        links: dict[str, tuple[bool, bool]] = {}
        if html is not None:
            web.html_bytes += len(html)
            web.gzipped += html is not response.body
            web.is_editable[record] = is_editable(html)
            markup = take_apart(web.urls[record], html)
            web.is_hub[record] = web.is_editable[record] and not markup.is_mute
            for anchor in markup.anchors:
                is_loose, is_followed = links.get(anchor.target, (True, False))
                links[anchor.target] = is_loose and anchor.is_loose, is_followed or anchor.is_followed
        self._link(record, links)

    def _link(self, record: int, links: dict[str, tuple[bool, bool]]) -> None:
        """Note the links of a record, each of which can be taken out, and is followed, or not."""
        assert record == len(self._web.targets)
        self._web.targets.append(np.array([self._number_of(url) for url in links], np.int64))
        flags = np.array(list(links.values()), bool).reshape(-1, 2)
        self._web.is_loose.append(flags[:, 0].copy())
        self._web.is_followed.append(flags[:, 1].copy())

    def _number_of(self, url: str) -> int:
        number = self._number.setdefault(url, len(self._urls))
        if number == len(self._urls):
            self._urls.append(url)
        return number


def _seeds(path: Path, index: Index, snapshot: Snapshot) -> list[str]:
    """Where a crawl of the web starts: its seeds file, or its root pages and the best hub of every site without one."""
    try:
        listed = seeds_path(path).read_text().split()
    except (OSError, UnicodeDecodeError):
        listed = []
    seeds = [url for url in map(canonical, listed) if url in index.entries]
    if not seeds:
        seeds = index.roots()
        with_root = {site_of(url) for url in seeds}
        pages = np.flatnonzero(snapshot.is_page).tolist()
        pages.sort(key=lambda page: (not snapshot.is_hub[page], -len(snapshot.targets[page])))
        best = {snapshot.site[page]: snapshot.urls[page] for page in reversed(pages)}
        seeds += [url for site, url in sorted(best.items()) if snapshot.sites[site] not in with_root]
    return list(dict.fromkeys(seed for seed in seeds if seed))


def _seconds(date: str) -> float:
    try:
        return datetime.fromisoformat(date).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return _NO_DATE
