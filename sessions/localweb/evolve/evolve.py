"""An evolving web: from a web as it stands in a WARC file, the same web some days later, in another WARC file.

`snapshot` reads what there is, `turnover` decides who lives, `rewiring` who links to whom, at the `rates` that studies
of the web found; then the file is written in one more pass: what did not change as it stands, what was edited with
`html_edit`, what is new by `new_pages`.  The same file, days, rates and seed give the same web, byte for byte but for
the record ids.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path

import numpy as np
from isal import igzip_lib
from xxhash import xxh3_64_hexdigest, xxh3_64_intdigest

from sessions.localweb.evolve.html_edit import Revision, revised
from sessions.localweb.evolve.new_pages import Newsroom
from sessions.localweb.evolve.rates import Rates
from sessions.localweb.evolve.rewiring import Rewiring, rewire
from sessions.localweb.evolve.snapshot import BORN_HEADER, Snapshot, decoded, take_snapshot
from sessions.localweb.evolve.turnover import DAY, Turnover, turn_over
from sessions.localweb.serve.response import Response, read_response
from sessions.localweb.web_files import seeds_path, whole_web
from sessions.progress import Progress
from sessions.storage.warc import Exchange, Members
from sessions.storage.warc_file import WarcFile
from sessions.storage.warc_index import IndexEntry, build_index, read_stored

LONGEST_DAYS = 3650
_GZIP_LEVEL = 3
_GZIP_MAGIC = b"\x1f\x8b"
_MOST_TEXTS = 60
_VALIDATORS = (b"etag", b"last-modified")


@dataclass(frozen=True)
class EvolvedWeb:
    """What happened, in pages (200, HTML) where nothing else is said.

    ``pages`` are there now, ``born`` of them new, ``gone`` are those that are not any more.  ``edited`` pages have
    another body, ``relinked`` of them for nothing but a link that new or lost pages need.  ``links_added`` and
    ``links_removed`` count distinct (page, URL) pairs of pages that are in both webs, ``links_born`` those of new
    pages and ``links_gone`` those of gone ones.  ``unreached`` pages cannot be reached from the seeds over links (those
    marked nofollow left out), as ``unreached_before`` could not before.  ``copied`` records of any kind stand as they
    were.  ``date`` is that of what is new, in seconds since 1970.
    """

    path: Path
    seeds_path: Path
    seeds: list[str]
    date: float
    pages: int
    born: int
    gone: int
    edited: int
    relinked: int
    links_added: int
    links_removed: int
    links_born: int
    links_gone: int
    sites: int
    new_sites: int
    gone_sites: int
    unreached: int
    unreached_before: int
    copied: int
    warnings: list[str]


def evolve_web(
    source: Path, path: Path, *, days: int, seed: int, rates: Rates | None = None, progress: Progress = lambda *_: None
) -> EvolvedWeb:
    """Write the web of the WARC file ``source`` as it is ``days`` days later to a new WARC file and its seeds file.

    ``source`` may be any WARC file that can be served.  Its seeds are those of the file beside it (see `seeds_path`)
    or, without one, its root pages and a page of every site that has none.  What changes gets new validators, and
    the date of the newest record of ``source`` and ``days`` days.  Raises ValueError for impossible numbers or if
    there are no pages, OSError if a file cannot be read or written, and FileExistsError if one to be written exists;
    then, as after any failure, nothing is left behind.
    """
    if not 1 <= days <= LONGEST_DAYS:
        raise ValueError(f"the number of days must be between 1 and {LONGEST_DAYS}, but is {days}")
    if seed < 0:
        raise ValueError(f"the seed must not be negative, but is {seed}")
    seeds: list[str] = []
    with whole_web(path, seeds) as temporary:
        index = build_index([source])
        web = take_snapshot(source, index, progress)
        evolving = _Evolving(web, rates or Rates(), days, seed)
        seeds += evolving.seeds()
        evolving.write(temporary, progress)
    return evolving.summary(path, index.warnings)


class _Evolving:
    def __init__(self, web: Snapshot, rates: Rates, days: int, seed: int) -> None:
        rng = np.random.default_rng((seed, max(0, int(web.date))))
        self._web = web
        self._seed = seed
        self._date = web.date + days * DAY
        self._turnover: Turnover = turn_over(web, rates, days, rng)
        self._plan: Rewiring = rewire(web, self._turnover, rates, days, rng)
        pages = int(np.count_nonzero(web.is_page))
        self._newsroom = Newsroom(seed, web.html_bytes / pages)
        self._is_gzip = web.gzipped * 2 > pages

    def seeds(self) -> list[str]:
        return [self._url(seed) for seed in self._plan.seeds]

    def write(self, temporary: Path, progress: Progress) -> None:
        warc = WarcFile(temporary)
        try:
            records = np.flatnonzero(self._turnover.lives).tolist()
            for written, record in enumerate(records):
                progress("writing", written, len(records))
                if self._plan.is_revised(record):
                    warc.append(self._edited(record))
                else:
                    self._copy(record, warc)
            for born in range(len(self._turnover.born_urls)):
                warc.append(self._born(born))
        finally:
            warc.close()

    def _copy(self, record: int, warc: WarcFile) -> None:
        """A record as it stands; where one had its body from another, which may change, both in one."""
        entry: IndexEntry = self._web.entries[record]
        if entry.head == entry.body:
            stored = read_stored(entry.head)
            is_member = stored.startswith(_GZIP_MAGIC)
            member = stored if is_member else igzip_lib.compress(stored, _GZIP_LEVEL, flag=igzip_lib.COMP_GZIP)
            warc.append_members(Members(member, b""))
            return
        response = read_response(entry)
        head = response.head + b"\r\n"
        warc.append(Exchange(self._web.urls[record], self._web.date, head, response.body))

    def _edited(self, record: int) -> Exchange:
        url = self._url(record)
        rng = self._rng_of(url)
        response = read_response(self._web.entries[record])
        html = decoded(response)
        assert html is not None, "only what can be decoded is edited"
        revision = Revision(
            cut=frozenset(self._url(target) for target in self._plan.cut.get(record, np.zeros(0, np.int64)).tolist()),
            swapped=[self._url(target) for target in self._plan.drawn.get(record, ())],
            listed=self._titled(self._plan.listed.get(record, ())),
            texts=rng.random(min(int(self._plan.edits[record]), _MOST_TEXTS)).tolist(),
        )
        new = revised(url, html, revision, lambda length: self._newsroom.sentences(length, rng))
        return self._exchange(url, response, new, is_gzip=html is not response.body)

    def _born(self, born: int) -> Exchange:
        number = len(self._web.urls) + born
        url = self._url(number)
        links = self._titled([*self._plan.drawn[number], *self._plan.listed.get(number, ())])
        host = self._turnover.sites[self._turnover.born_sites[born]]
        day = datetime.fromtimestamp(self._date, UTC).date().isoformat()
        html = self._newsroom.page(number, host, day, links, self._rng_of(url))
        headers = [(b"Content-Type", b"text/html; charset=utf-8"), (BORN_HEADER.encode(), day.encode())]
        if self._is_gzip:
            headers.append((b"Content-Encoding", b"gzip"))
        return self._exchange(url, Response(200, b"OK", tuple(headers), b""), html, is_gzip=self._is_gzip)

    def _exchange(self, url: str, response: Response, html: bytes, *, is_gzip: bool) -> Exchange:
        """``response`` with another body and new validators."""
        body = igzip_lib.compress(html, _GZIP_LEVEL, flag=igzip_lib.COMP_GZIP) if is_gzip else html
        kept = [header for header in response.headers if header[0].lower() not in _VALIDATORS]
        kept.append((b"Last-Modified", formatdate(self._date, usegmt=True).encode()))
        kept.append((b"ETag", f'"{xxh3_64_hexdigest(html)}"'.encode()))
        head = replace(response, headers=tuple(kept), body=body).head + b"\r\n"
        return Exchange(url=url, fetched=self._date, response_head=head, body=body)

    def _rng_of(self, url: str) -> np.random.Generator:
        return np.random.default_rng((self._seed, max(0, int(self._date)), xxh3_64_intdigest(url.encode())))

    def _url(self, number: int) -> str:
        born = number - len(self._web.urls)
        return self._turnover.born_urls[born] if born >= 0 else self._web.urls[number]

    def _titled(self, numbers: Iterable[int]) -> list[tuple[str, str]]:
        return [(self._url(number), self._newsroom.title(number)) for number in numbers]

    def summary(self, path: Path, warnings: list[str]) -> EvolvedWeb:
        web, turnover, plan = self._web, self._turnover, self._plan
        pages = np.flatnonzero(web.is_page).tolist()
        gone = [page for page in pages if not turnover.lives[page]]
        edited = [page for page in pages if plan.is_revised(page)]
        old_sites = len(web.sites)
        return EvolvedWeb(
            path=path,
            seeds_path=seeds_path(path),
            seeds=self.seeds(),
            date=self._date,
            pages=len(pages) - len(gone) + len(turnover.born_urls),
            born=len(turnover.born_urls),
            gone=len(gone),
            edited=len(edited),
            relinked=sum(not plan.edits[page] for page in edited),
            links_added=sum(len(plan.added(page).difference(web.targets[page].tolist())) for page in edited),
            links_removed=sum(len(set(cut.tolist()) - plan.added(page)) for page, cut in plan.cut.items()),
            links_born=sum(len(plan.added(len(web.urls) + born)) for born in range(len(turnover.born_urls))),
            links_gone=sum(len(web.targets[page]) for page in gone),
            sites=len({*web.site[turnover.lives].tolist(), *turnover.born_sites}),
            new_sites=len({site for site in turnover.born_sites if site >= old_sites}),
            gone_sites=old_sites - int(np.count_nonzero(turnover.site_lives[:old_sites])),
            unreached=plan.unreached,
            unreached_before=plan.unreached_before,
            copied=int(np.count_nonzero(turnover.lives)) - len(edited),
            warnings=warnings,
        )
