"""A plain breadth-first search over the links of a made web: what any crawl of it must find.

It shares no code with the crawler but URL identity: links are found by another parser, one page at a time.
"""

from collections import deque
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib import robotparser
from urllib.parse import urljoin, urlsplit

from fastwarc.warc import ArchiveIterator, WarcRecordType

from sessions.localweb.generate.make import MadeWeb
from sessions.url import canonical, origin_of

_ATTRIBUTES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
_RELATIONS = {"next", "prev", "previous", "canonical"}
_AGENT = "cutweb"


def pages_by_search(made: MadeWeb) -> set[str]:
    """Every URL that is asked for: reached from the seeds by links and redirects, and allowed by robots.txt."""
    return set(_reached(made.path, tuple(made.seeds)))


@cache  # many tests crawl the same web
def _reached(path: Path, seeds: tuple[str, ...]) -> frozenset[str]:
    records = _records(path)
    reached = {url: None for url in seeds if _is_allowed(url, records)}
    queue = deque(reached)
    while queue:
        url = queue.popleft()
        for target in _targets(url, records):
            if target not in reached and _is_allowed(target, records):
                reached[target] = None
                queue.append(target)
    return frozenset(reached)


def _records(path: Path) -> dict[str, tuple[int, dict[str, str], bytes]]:
    with path.open("rb") as stream:
        return {
            record.headers["WARC-Target-URI"]: (
                record.http_headers.status_code,
                {name.lower(): value for name, value in record.http_headers.items()},
                record.reader.read(),
            )
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response)
        }


def _is_allowed(url: str, records: dict[str, tuple[int, dict[str, str], bytes]]) -> bool:
    _, _, body = records.get(origin_of(url) + "/robots.txt", (404, {}, b""))
    rules = robotparser.RobotFileParser()
    rules.parse(body.decode().splitlines())
    return rules.can_fetch(_AGENT, url)


def _targets(url: str, records: dict[str, tuple[int, dict[str, str], bytes]]) -> list[str]:
    status, headers, body = records.get(url, (404, {}, b""))
    if 300 <= status < 400:
        found = [headers["location"]]
        base = url
    elif status == 200:
        parser = _Links()
        parser.feed(body.decode("latin-1"))
        found, base = parser.found, urljoin(url, parser.base or url)
    else:
        return []
    targets = (canonical(urljoin(base, reference)) for reference in found if urlsplit(reference).scheme in _SCHEMES)
    return [target for target in targets if target is not None]


_SCHEMES = {"", "http", "https"}


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        reference = values.get(_ATTRIBUTES.get(tag, "href"))
        if reference is None:
            return
        if tag == "base":
            self.base = self.base or reference
        elif tag in _ATTRIBUTES or (tag == "link" and not _RELATIONS.isdisjoint((values.get("rel") or "").split())):
            self.found.append(reference)
