"""A web with a clock of its own and scripted answers, and crawls of it to their end, in no real time at all."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mpi4py import MPI

from crawler.config.command_line import parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.verdict import Ending
from crawler.launch.plan import plan
from crawler.launch.resume_plan import plan_to_resume
from crawler.network.proxy import Proxy
from crawler.network.web import GET, HEAD, Endpoint, Found, Lookup, Request, Response
from crawler.rank import crawl as crawl_module
from sessions.checking.check import check_session
from sessions.session import Session
from sessions.url import host_of, site_of, url_hash

if TYPE_CHECKING:
    import pytest

CONTACT = "https://crawler.example/"
SEED = "http://a.example/"
EPOCH_1970 = 1_700_000_000.0
NOWHERE: Mapping[str, Any] = MappingProxyType({})
_MOST_WAITS = 200_000


class Answer(NamedTuple):
    """What comes of a request, after ``seconds``; status 0 with an ``error`` if nothing comes.

    ``ip`` is what the response says of where it came from, if that is not where the site was connected to.
    """

    body: bytes = b""
    status: int = 200
    headers: tuple[str, ...] = ("Content-Type: text/html",)
    error: str = ""
    truncated: str = ""
    seconds: float = 0.1
    ip: str | None = None
    is_hopeless: bool = False
    is_unread: bool = False


class Seen(NamedTuple):
    """A request that the web saw: when it began and ended, what was asked, at which address, how, as whom, and whence.

    If that is a ``proxy`` that looks names up, the address is a name.
    """

    began: float
    ended: float
    url: str
    ip: str
    method: str = GET
    user_agent: str | None = None
    proxy: Proxy | None = None


Script = Answer | Sequence[Answer]


def page(*targets: str, **facts: Any) -> Answer:
    """A page with links to these."""
    return Answer("".join(f'<p><a href="{target}">link</a>' for target in targets).encode(), **facts)


def redirect(target: str, status: int = 302) -> Answer:
    """An answer that leads elsewhere."""
    return Answer(status=status, headers=(f"Location: {target}",))


def no_answer(error: str = "timeout", seconds: float = 5.0, **facts: bool) -> Answer:
    """No answer at all."""
    return Answer(status=0, headers=(), error=error, seconds=seconds, **facts)


def robots_txt(text: str, **facts: Any) -> Answer:
    """A robots.txt."""
    return Answer(text.encode(), headers=("Content-Type: text/plain",), **facts)


def too_busy(status: int = 503, *headers: str) -> Answer:
    """An answer that says: not now."""
    return Answer(b"busy", status, headers)


class FakeWeb:
    """A `Web` from a script: by URL an answer, or several of which each request takes the next, the last
    one for ever.  What is not in the script is 404, and a robots.txt not in it too.  A HEAD is answered in the same way
    from ``heads``; what is not there, with the head of the answer that a GET would get.

    ``addresses`` and ``lost`` say by site where it is, or why it is nowhere; what is in neither has an address of its
    own.  Nobody answers at those that are ``down``.  An address is good for ``address_seconds``; ``lookups`` are the
    origins looked up.  ``log`` has every request.  ``on_start`` is called with the number of each request before it
    begins.
    """

    def __init__(
        self,
        script: Mapping[str, Script],
        *,
        on_start: Callable[[int], None] | None = None,
        heads: Mapping[str, Script] = NOWHERE,
        addresses: Mapping[str, Sequence[str]] = NOWHERE,
        lost: Mapping[str, str] = NOWHERE,
        down: Collection[str] = (),
        address_seconds: float = 3600.0,
    ) -> None:
        self._script, self._heads = _answers(script), _answers(heads)
        self._on_start = on_start
        self._clock = 1000.0
        self._waits = 0
        self._flying: list[tuple[float, int, Request, Answer]] = []
        self._found: list[Found] = []
        self._down = set(down)
        self._address_seconds = address_seconds
        self.addresses = dict(addresses)
        self.lost = dict(lost)
        self.lookups: list[str] = []
        self.log: list[Seen] = []
        self.cancelled: list[str] = []
        self.most_in_flight = 0
        self.is_closed = False

    @property
    def bandwidth(self) -> None:
        return None

    @property
    def in_flight(self) -> int:
        return len(self._flying)

    def now(self) -> float:
        return self._clock

    def look_up(self, lookup: Lookup) -> None:
        site = site_of(f"{lookup.origin}/")
        self.lookups.append(lookup.origin)
        if site in self.lost:
            self._found.append(Found(lookup, error=self.lost[site], seconds=60.0))
        else:
            is_left_to_proxy = lookup.proxy is not None and lookup.proxy.resolves_names
            places = (host_of(site),) if is_left_to_proxy else self.addresses.get(site, (_address(site),))
            endpoints = tuple(Endpoint(place, 80) for place in places)
            self._found.append(Found(lookup, endpoints, seconds=self._address_seconds))

    def start(self, request: Request) -> None:
        assert request.endpoint is not None
        if self._on_start is not None:
            self._on_start(len(self.log))
        answer = self._answer(request) if request.endpoint.ip not in self._down else no_answer("connect")
        ends = self._clock + answer.seconds
        self._flying.append((ends, len(self.log), request, answer))
        how = request.method, request.user_agent, request.proxy
        self.log.append(Seen(self._clock, ends, request.url, request.endpoint.ip, *how))
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def wait(self, until: float) -> list[Response | Found]:
        self._waits += 1
        if self._found:
            found, self._found = self._found, []
            return list(found)
        assert self._waits < _MOST_WAITS, "the crawl goes round in circles"
        first = min((ends for ends, *_ in self._flying), default=until)
        self._clock = max(self._clock, min(first, until))
        landed = sorted((flight for flight in self._flying if flight[0] <= self._clock), key=lambda flight: flight[:2])
        self._flying = [flight for flight in self._flying if flight[0] > self._clock]
        return [self._response(*flight) for flight in landed]

    def advance(self) -> None:
        """Nothing goes on while the rank is busy."""

    def stand_still(self, seconds: float) -> None:
        """Nobody pauses here."""

    def cancel(self) -> list[Request]:
        requests = [request for _, _, request, _ in self._flying]
        self.cancelled += [request.url for request in requests]
        self._flying.clear()
        return requests

    def close(self) -> None:
        self.is_closed = True

    def asked(self, method: str = HEAD) -> list[str]:
        """The URLs requested by one method, in order."""
        return [seen.url for seen in self.log if seen.method == method]

    def requests(self, containing: str = "") -> list[str]:
        """The URLs requested, in order."""
        return [seen.url for seen in self.log if containing in seen.url]

    def when(self, url: str) -> list[Seen]:
        """The requests for one URL."""
        return [seen for seen in self.log if seen.url == url]

    def _answer(self, request: Request) -> Answer:
        answers = self._script.get(request.url, [Answer(b"none", 404)])
        if request.method == HEAD:
            answers = self._heads.get(request.url, [answers[0]._replace(body=b"")])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def _response(self, ends: float, number: int, request: Request, answer: Answer) -> Response:
        assert request.endpoint is not None
        ip = request.endpoint.ip if answer.ip is None else answer.ip
        started = EPOCH_1970 + self.log[number].began
        if not answer.status:
            seconds = answer.seconds
            return Response(
                request,
                error=answer.error,
                started=started,
                milliseconds=1000 * seconds,
                is_hopeless=answer.is_hopeless,
                is_unread=answer.is_unread,
            )
        head = [b"HTTP/1.1 %d Whatever\r\n" % answer.status, *(line.encode() + b"\r\n" for line in answer.headers)]
        return Response(
            request,
            answer.status,
            head,
            answer.body,
            answer.error,
            answer.truncated,
            started,
            1000 * answer.seconds,
            ip,
            b"GET / HTTP/1.1\r\n\r\n",
        )


def _answers(script: Mapping[str, Script]) -> dict[str, list[Answer]]:
    return {url: [answers] if isinstance(answers, Answer) else list(answers) for url, answers in script.items()}


def _address(site: str) -> str:
    return f"192.0.2.{url_hash(site) % 250 + 1}"


class Crawled(NamedTuple):
    """A crawl that has ended, and whose session was checked."""

    ending: Ending
    session: Session
    report: dict[str, Any]

    def pages(self) -> list[dict[str, Any]]:
        """The rows of the pages table, in order of fetching."""
        return self.session.read("pages").to_pylist()

    def page(self, url: str) -> dict[str, Any]:
        """The row of one page."""
        (row,) = [row for row in self.pages() if row["url"] == url]
        return row

    def outcomes(self) -> dict[str, tuple[str, str]]:
        """State and reason of the URLs that have no page."""
        names = self._names()
        return {names[row["hash"]]: (row["state"], row["reason"]) for row in self.session.read("outcomes").to_pylist()}

    def frontier(self) -> dict[str, str]:
        """Reason of the URLs that are still queued."""
        names = self._names()
        return {names[row["hash"]]: row["reason"] for row in self.session.read("frontier").to_pylist()}

    def links(self) -> Counter[tuple[str, str, int]]:
        """Source, target and flags of the links."""
        names = self._names()
        return Counter(
            (names[row["source"]], names[row["target"]], row["flags"]) for row in self.session.read("links").to_pylist()
        )

    def _names(self) -> dict[int, str]:
        return {row["hash"]: row["url"] for row in self.session.read("urls").to_pylist()}


class Crawls:
    """Crawls of scripts, as ``cutweb crawl`` would with one rank: ``crawls(script, *seeds, option=...)``.

    ``heads``, ``addresses``, ``lost``, ``down`` and ``address_seconds`` are those of `FakeWeb`.  Every session that
    they leave is checked.  ``web`` is the latest one crawled, ``out`` the session's folder.
    """

    def __init__(self, monkeypatch: "pytest.MonkeyPatch", folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self._folder = folder
        self._made = 0
        self.web = FakeWeb({})
        self.out = folder

    def __call__(
        self,
        script: Mapping[str, Script],
        *seeds: str,
        on_start: Callable[[int], None] | None = None,
        heads: Mapping[str, Script] = NOWHERE,
        addresses: Mapping[str, Sequence[str]] = NOWHERE,
        lost: Mapping[str, str] = NOWHERE,
        down: Collection[str] = (),
        address_seconds: float = 3600.0,
        **options: Any,
    ) -> Crawled:
        self._made += 1
        out = self._folder / f"out-{self._made}"
        web = self.web = FakeWeb(
            script,
            on_start=on_start,
            heads=heads,
            addresses=addresses,
            lost=lost,
            down=down,
            address_seconds=address_seconds,
        )
        self._monkeypatch.setattr(crawl_module, "network_for", lambda *_: web)
        asked = CrawlOptions(urls=seeds or (SEED,), out=out, ranks=1, **{"contact": CONTACT, "scope": "all", **options})
        self.out = out
        ending = crawl_module.crawl(MPI.COMM_SELF, plan(asked, 1))
        return _checked(out, ending, web)

    def resume(
        self,
        script: Mapping[str, Script],
        *arguments: str,
        on_start: Callable[[int], None] | None = None,
        addresses: Mapping[str, Sequence[str]] = NOWHERE,
    ) -> Crawled:
        """Go on with the latest session, as ``cutweb crawl --resume`` does with further arguments."""
        web = self.web = FakeWeb(script, on_start=on_start, addresses=addresses)
        self._monkeypatch.setattr(crawl_module, "network_for", lambda *_: web)
        asked = parsed(["--resume", str(self.out), *arguments])
        assert isinstance(asked, CrawlOptions)
        ending = crawl_module.crawl(MPI.COMM_SELF, plan_to_resume(asked, 1))
        return _checked(self.out, ending, web)


def _checked(out: Path, ending: Ending, web: FakeWeb) -> Crawled:
    session = Session.open(out)
    findings = check_session(out)
    assert findings.is_good, findings.problems
    assert session.ended is not None
    assert session.ended["reason"] == ending
    assert web.is_closed
    assert not (out / "rank-0000" / "frontier").exists()
    (report,) = session.rank_reports()
    rows = {table: session.read(table).num_rows for table in ("urls", "pages", "frontier")}
    assert report["discovered"] == rows["urls"]
    assert report["discovered"] == report["fetched"] + report["failed"] + report["filtered"] + report["queued"]
    assert (report["fetched"], report["queued"]) == (rows["pages"], rows["frontier"])
    return Crawled(ending, session, report)
