"""The hostile web: a server with one site for each evil, on real sockets of the loopback.

Sites are told apart by the Host header, and those evils that begin before a request (in the handshake, when a
connection is accepted) by a port of their own; ``--connect-to`` brings a crawl to them (`HostileWeb.options`).  At the
same port of 127.0.0.1 and ::1 listens what nobody may reach: the server inside.
"""

import selectors
import socket
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from tests.hostile import http2
from tests.hostile.answers import answer, page
from tests.hostile.certificates import Certificates
from tests.hostile.evil import EVILS, Ask, End, Evil, Handler, Hear, Pause, Place, Ports, Steps
from tests.hostile.evils import prepare
from tests.hostile.link import Link
from tests.hostile.log import FORBIDDEN, Log, Visit
from tests.hostile.names import NameServer

ADDRESS = "127.0.7.7"
"""Where the hostile web listens: an address of the loopback that is not where the server inside listens."""
_INSIDE = (("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6))
_SOCKET_SECONDS = 15.0
_FAST_BYTES = 4 << 20
_BREATH_SECONDS = 0.01
"""What is endless goes on slowly where every limit is passed, or it would slow down the others too."""
_GOOD_ROBOTS = f"User-agent: *\nDisallow: {FORBIDDEN}\n".encode()


class HostileWeb:
    """Serves evils, all of them unless told which, in threads of its own while it is used as a context manager.

    ``log`` may be read at any time; ``ports`` says where it listens.
    """

    def __init__(self, evils: Iterable[str] | None = None) -> None:
        prepare()
        self.evils: dict[str, Evil] = {name: EVILS[name] for name in (EVILS if evils is None else evils)}
        self.log = Log()
        self.ports = Ports(ADDRESS, 0)
        self._by_site = {evil.site: evil for evil in self.evils.values()}
        self._own_ports: dict[str, int] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._certificates = Certificates()
        self._over = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._connections = 0
        self._lock = threading.Lock()
        self._folder = TemporaryDirectory(prefix="hostile-web-")
        self._names: NameServer | None = None

    @property
    def ca_cert(self) -> Path:
        """The authority to be trusted."""
        return Path(self._folder.name) / "authority.pem"

    @property
    def seeds(self) -> list[str]:
        """The root page of each evil's site."""
        return [f"http://{site}/" for site in self._by_site]

    @property
    def connect_to(self) -> list[str]:
        """What ``--connect-to`` wants, to come here for these sites and for no others."""
        ip, port = self.ports
        rules = [f"{evil.site}:80:{ip}:{port}" for evil in self.evils.values()]
        for evil in self.evils.values():
            number = self._own_ports.get(evil.name, port)
            if evil.place not in (Place.PAGE, Place.NAME):
                rules.append(f"{evil.trap}:{443 if evil.scheme == 'https' else 80}:{ip}:{number}")
        return rules

    @property
    def dns_server(self) -> str:
        """The name server, as ``--dns-server`` wants it."""
        assert self._names is not None, "the server is not running"
        return self._names.address

    @property
    def name_queries(self) -> dict[str, int]:
        """How often the name server was asked for the addresses of which name."""
        assert self._names is not None, "the server is not running"
        return dict(self._names.queries)

    def options(self) -> list[str]:
        """The options that bring ``cutweb crawl`` here."""
        where = [f"--connect-to={rule}" for rule in self.connect_to]
        trusted = f"--ca-cert={self.ca_cert}"
        return [*where, trusted, f"--dns-server={self.dns_server}", f"--allow-net={self.ports.address}/32"]

    def __enter__(self) -> Self:
        self._certificates.write_authority(self.ca_cert)
        self._listen_everywhere()
        for evil in self.evils.values():
            self._open_own_port(evil)
        names = {
            evil.filled(name, self.ports): tuple(evil.filled(ip, self.ports) for ip in addresses)
            for evil in self.evils.values()
            for name, addresses in evil.names.items()
        }
        self._names = NameServer(names).__enter__()
        self._threads.append(threading.Thread(target=self._accept, name="hostile web", daemon=True))
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._threads[0].join(10.0)
        with self._lock:
            for one in self._sockets:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join(10.0)
        for one in list(self._sockets):
            one.close()
        self._selector.close()
        if self._names is not None:
            self._names.__exit__(kind, error, trace)
        self._folder.cleanup()

    def _listen_everywhere(self) -> None:
        """Listen at the same port outside and inside."""
        for _ in range(20):
            port = self._listen(ADDRESS, 0, None)
            try:
                for ip, family in _INSIDE:
                    if family == socket.AF_INET or _has_ipv6():
                        self._listen(ip, port, "inside", family)
            except OSError:  # somebody else is there
                continue
            self.ports = Ports(ADDRESS, port)
            return
        raise OSError("no port is free at both addresses")

    def _listen(
        self, ip: str, port: int, meant_for: "Evil | str | None", family: socket.AddressFamily = socket.AF_INET
    ) -> int:
        listening = socket.create_server((ip, port), family=family, backlog=1024)
        listening.setblocking(False)
        self._sockets.add(listening)
        self._selector.register(listening, selectors.EVENT_READ, meant_for)
        return int(listening.getsockname()[1])

    def _open_own_port(self, evil: Evil) -> None:
        if evil.place is Place.HTTP2 or (evil.scheme == "https" and evil.place is Place.ALONE):
            protocol = "h2" if evil.place is Place.HTTP2 else "http/1.1"
            self._contexts[evil.name] = self._certificates.context(evil.certificate, evil.trap, protocol)
        if evil.place is Place.ACCEPT or evil.name in self._contexts:
            self._own_ports[evil.name] = self._listen(ADDRESS, 0, evil)
        elif evil.place in (Place.NOBODY, Place.DEAF):
            bound = socket.socket()
            bound.bind((ADDRESS, 0))
            self._sockets.add(bound)
            self._own_ports[evil.name] = bound.getsockname()[1]
            if evil.place is Place.DEAF:
                bound.listen(0)
                self._fill_backlog(bound.getsockname())

    def _fill_backlog(self, address: tuple[str, int]) -> None:
        """Connect until the kernel lets nobody in any more."""
        for _ in range(4):
            waiting = socket.socket()
            waiting.setblocking(False)
            self._sockets.add(waiting)
            waiting.connect_ex(address)

    def _accept(self) -> None:
        while not self._over.is_set():
            for key, _ in self._selector.select(0.2):
                assert isinstance(key.fileobj, socket.socket)
                with suppress(OSError):
                    self._begin(key.fileobj.accept()[0], key.data)

    def _begin(self, accepted: socket.socket, meant_for: "Evil | str | None") -> None:
        if meant_for == "inside":
            self.log.inside.append(str(accepted.getsockname()))
            accepted.close()
            return
        assert meant_for is None or isinstance(meant_for, Evil)
        accepted.settimeout(_SOCKET_SECONDS)
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._connections += 1
            self._sockets.add(accepted)
        thread = threading.Thread(
            target=self._serve, args=(accepted, meant_for, self._connections), name="hostile connection", daemon=True
        )
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(thread)
        thread.start()

    def _serve(self, accepted: socket.socket, evil: Evil | None, number: int) -> None:
        link = Link(accepted, number, self._over)
        try:
            with suppress(OSError):
                link.finish(self._converse(link, evil))
        finally:
            link.close()
            with self._lock:
                self._sockets.discard(accepted)

    def _converse(self, link: Link, evil: Evil | None) -> End:
        """Everything that happens on a connection; what becomes of it."""
        if evil is None:
            return self._answer_requests(link)
        if evil.place is Place.ACCEPT:
            visit, number = self.log.begin(evil.trap, "", link.number)
            return self._perform(link, evil.handler(Ask(evil.trap, "", b"", number, 1, self.ports)), visit)
        try:
            link.encrypt(self._contexts[evil.name])
        except OSError:
            self.log.begin(evil.trap, "", link.number)
            raise
        return self._answer_streams(link, evil) if evil.place is Place.HTTP2 else self._answer_requests(link)

    def _answer_requests(self, link: Link) -> End:
        count, end = 0, End.KEEP
        while end is End.KEEP:
            head = link.read_head()
            if not head:
                return End.CLOSE
            count += 1
            path, site = _asked(head)
            visit, number = self.log.begin(site, path, link.number, head)
            ask = Ask(site, path, head, number, count, self.ports)
            end = self._perform(link, self._handler(site, path)(ask), visit)
        return end

    def _answer_streams(self, link: Link, evil: Evil) -> End:
        """HTTP/2: the site's first request is for robots.txt, which is missing; the others are the evil's."""
        link.read(len(http2.PREFACE))
        link.send(http2.frame(http2.SETTINGS))
        end, count = End.KEEP, 0
        while end is End.KEEP:
            frame = _read_frame(link)
            if frame.kind == http2.SETTINGS and not frame.flags & http2.ACK:
                link.send(http2.frame(http2.SETTINGS, http2.ACK))
            elif frame.kind == http2.HEADERS:
                count += 1
                visit, number = self.log.begin(evil.trap, "", link.number)
                ask = Ask(evil.trap, "", b"", number, count, self.ports, frame.stream)
                end = self._perform(link, evil.handler(ask) if number > 1 else _missing(ask), visit)
        return end

    def _handler(self, site: str, path: str) -> Handler:
        """Who answers: the evil where it stands, and the good pages everywhere else."""
        evil = self._by_site.get(".".join(site.split(".")[-2:]))
        if evil is None:
            return _nowhere
        is_trap = site != evil.site
        if path == "/robots.txt":
            return evil.handler if is_trap and evil.place is Place.ROBOTS else _robots
        if path.startswith(FORBIDDEN) or evil.place is Place.ROBOTS:
            return _root(evil, self.ports) if path == "/" else _good
        if not is_trap and path in ("/", "/good"):
            return _root(evil, self.ports) if path == "/" else _good
        return evil.handler if is_trap == (evil.place is not Place.PAGE) else _good

    def _perform(self, link: Link, steps: Steps, visit: Visit) -> End:
        try:
            for step in steps:
                if isinstance(step, bytes):
                    link.send(step)
                    visit.bytes += len(step)
                    if visit.bytes > _FAST_BYTES:
                        self._over.wait(_BREATH_SECONDS)
                elif isinstance(step, Hear):
                    link.hear()
                elif isinstance(step, Pause):
                    if self._over.wait(step.seconds):
                        return End.CLOSE
                else:
                    return step
            return End.CLOSE
        finally:
            self.log.end(visit)


def _has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def _asked(head: bytes) -> tuple[str, str]:
    """Path and host of a request."""
    first, *lines = head.decode("latin-1").split("\r\n")
    hosts = [line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")]
    return first.partition(" ")[2].partition(" ")[0], "".join(hosts[:1]).partition(":")[0].lower()


def _read_frame(link: Link) -> http2.Frame:
    head = link.read(9)
    payload = link.read(int.from_bytes(head[:3]))
    return http2.Frame(head[3], head[4], int.from_bytes(head[5:]) & 0x7FFFFFFF, payload)


def _missing(ask: Ask) -> Steps:
    yield http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, ask.stream, http2.STATUS_404)
    yield End.KEEP


def _nowhere(_ask: Ask) -> Steps:
    yield answer(b"no such site", status="421 Misdirected Request")
    yield End.KEEP


def _robots(_ask: Ask) -> Steps:
    yield answer(_GOOD_ROBOTS, content_type="text/plain")
    yield End.KEEP


def _good(_ask: Ask) -> Steps:
    yield answer()
    yield End.KEEP


def _root(evil: Evil, ports: Ports) -> Handler:
    def root(_ask: Ask) -> Steps:
        link = evil.filled(evil.link, ports) if evil.link else evil.url(ports)
        yield answer(page([link, "/good", f"{FORBIDDEN}page"], evil.name))
        yield End.KEEP

    return root
