"""One transfer of libcurl: a reusable handle, what it is told, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import certifi
import pycurl

from crawler.network.address_guard import bracketed, connectable
from crawler.network.arrived_bytes import ArrivedBytes
from crawler.network.connect_to import Target, target_of
from crawler.network.contact import introduction
from crawler.network.curl_errors import curl_error
from crawler.network.header_lines import without_value
from crawler.network.pooled_sockets import PooledSockets
from crawler.network.proxy import DIRECT, Proxy
from crawler.network.proxy_errors import error_behind, is_refusal
from crawler.network.stall_detector import StallDetector
from crawler.network.web import HEAD, PROXY, Endpoint, Request, Response
from sessions.url import origin_of, site_of

_RECEIVE_BUFFER_BYTES = 1 << 17
_NEVER_MS = 2**31 - 1
_SUPPRESS_CONNECT_HEADERS = 265  # CURLOPT_..., of which pycurl knows no name
_ERROR_OF_CERTIFICATE = {
    0: "tls-name",  # OpenSSL has nothing to say against it, but libcurl, which compares the names itself
    1: "tls-name",  # X509_V_ERR_UNSPECIFIED, as which newer versions of libcurl tell the same
    9: "tls-expired",  # X509_V_ERR_CERT_NOT_YET_VALID
    10: "tls-expired",  # X509_V_ERR_CERT_HAS_EXPIRED
    62: "tls-name",  # X509_V_ERR_HOSTNAME_MISMATCH
    64: "tls-name",  # X509_V_ERR_IP_ADDRESS_MISMATCH
}
_HOPELESS = {"header-size"}
"""Why a transfer was broken off that would have to be broken off again."""
_TRUNCATION = {
    "timeout": "time",
    "idle": "time",
    "slow": "time",
    "size": "length",
    "header-size": "length",
    "disconnect": "disconnect",
}


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How to fetch.  Times in seconds, sizes in bytes, speeds in bytes per second.

    Everything goes through the ``proxy`` unless a request names another.  ``connect_to`` in curl's form
    HOST:PORT:ADDRESS:PORT, ``allow_net`` networks as ADDRESS/BITS, ``dns_servers`` as ADDRESS:PORT.  Without a
    ``contact``, nothing beyond loopback is connected to.
    """

    user_agent: str
    contact: str = ""
    connections: int = 64
    timeout: float = 60.0
    connect_timeout: float = 10.0
    idle_timeout: float = 20.0
    min_speed: float = 64.0
    speed_window: float = 30.0
    body_limit: int = 10 << 20
    header_limit: int = 64 << 10
    connect_to: tuple[str, ...] = ()
    allow_net: tuple[str, ...] = ()
    dns_servers: tuple[str, ...] = ()
    dns_timeout: float = 10.0
    ca_cert: Path | None = None
    tls_verify: bool = True
    http2: bool = True
    proxy: Proxy = DIRECT


class Transfer:
    """A reusable libcurl handle with the request it is working on.

    The connection is pinned to the request's endpoint by CURLOPT_CONNECT_TO: it belongs to the handle, so that two
    transfers to one site can go to different addresses (CURLOPT_RESOLVE fills a cache that all handles share), the
    Host header and the name in TLS stay the URL's, an address needs no resolving, and libcurl uses a kept connection
    again only for the same host and address.

    libcurl by itself repeats a request, at once, if a kept connection turns out to be dead: a second request without
    the delay that politeness asks for.  So each transfer may send once: the second time is broken off as
    ``disconnect``, and the fetcher repeats the request when its time has come.  Most dead connections are found out
    before anything is sent; then the transfer ends as ``is_stale`` and can begin again at once.
    """

    __slots__ = (
        "_arrived",
        "_begun",
        "_block",
        "_broken",
        "_chunks",
        "_connect_timeout",
        "_contact",
        "_default_limit",
        "_default_proxy",
        "_endpoint",
        "_header_limit",
        "_header_lines",
        "_is_pinned",
        "_limit",
        "_lines",
        "_opened",
        "_proxy",
        "_received",
        "_received_head",
        "_sockets",
        "_started",
        "_timeout",
        "_user_agent",
        "curl",
        "descriptor",
        "is_sent",
        "is_stale",
        "pace",
        "request",
    )

    def __init__(self, settings: NetworkSettings, sockets: PooledSockets, arrived: ArrivedBytes | None = None) -> None:
        self._sockets = sockets
        self._arrived = arrived
        self.request = Request("", None)
        self.pace = StallDetector(settings.idle_timeout, settings.min_speed, settings.speed_window)
        self.is_sent = self.is_stale = False
        self._opened: int | None = None
        self.descriptor = -1
        self._timeout, self._connect_timeout = settings.timeout, settings.connect_timeout
        self._default_limit = self._limit = settings.body_limit
        self._header_limit = settings.header_limit
        self._user_agent, self._contact = settings.user_agent, settings.contact
        self._header_lines = (
            "Accept: text/html,application/xhtml+xml,*/*;q=0.5",
            "Accept-Encoding: gzip",
        )
        self._default_proxy = settings.proxy
        self._proxy = DIRECT
        self._endpoint = Endpoint("", 0)
        self._is_pinned = False
        self._broken = ""
        self._started = self._begun = 0.0
        self._received = self._received_head = 0
        self._chunks: list[bytes] = []
        self._lines: list[bytes] = []
        self.curl = pycurl.Curl()
        self._set_up(settings)
        self._add_headers(self.request)

    def _set_up(self, settings: NetworkSettings) -> None:
        curl = self.curl
        curl.setopt(pycurl.WRITEFUNCTION, self._write)
        curl.setopt(pycurl.HEADERFUNCTION, self._read_line)
        curl.setopt(pycurl.SOCKOPTFUNCTION, self._open)
        curl.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        curl.setopt(pycurl.BUFFERSIZE, _RECEIVE_BUFFER_BYTES if self._arrived is None else self._arrived.at_once())
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PATH_AS_IS, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.HTTP09_ALLOWED, 0)
        curl.setopt(
            pycurl.HTTP_VERSION,
            pycurl.CURL_HTTP_VERSION_2TLS if settings.http2 else pycurl.CURL_HTTP_VERSION_1_1,
        )
        # Empty, for libcurl would take both from the environment.
        curl.setopt(pycurl.PROXY, DIRECT.url)
        curl.setopt(pycurl.NOPROXY, "")
        curl.setopt(pycurl.HEADEROPT, pycurl.HEADER_SEPARATE)
        curl.setopt(_SUPPRESS_CONNECT_HEADERS, 1)
        curl.setopt(pycurl.PROXY_CAINFO, str(settings.ca_cert or certifi.where()))
        curl.setopt(pycurl.USERAGENT, introduction(settings.user_agent, settings.contact))  # to a proxy
        # libcurl's clock goes on while sockets are left alone: where they are, `is_overdue` looks.
        has_own_clock = self._arrived is not None
        curl.setopt(pycurl.TIMEOUT_MS, _NEVER_MS if has_own_clock else max(1, round(1000 * settings.timeout)))
        curl.setopt(
            pycurl.CONNECTTIMEOUT_MS, _NEVER_MS if has_own_clock else max(1, round(1000 * settings.connect_timeout))
        )
        curl.setopt(pycurl.CAINFO, str(settings.ca_cert or certifi.where()))
        curl.setopt(pycurl.SSL_VERIFYPEER, settings.tls_verify)
        curl.setopt(pycurl.SSL_VERIFYHOST, 2 if settings.tls_verify else 0)

    def is_overdue(self, now: float) -> bool:
        """Has it taken longer than it may, where libcurl does not look?  ``now`` is as for `halt`."""
        if self._arrived is None:
            return False
        return now - self._begun >= (self._timeout if self.is_sent else min(self._timeout, self._connect_timeout))

    def halt(self, now: float) -> str:
        """Return why the transfer is to be ended, as one of `crawler.network.web.ERROR_KINDS`; empty if it may go on.

        ``now`` and what `begin` was told come from a clock that stands still while sockets are left alone.
        """
        return self.pace.judge(now, self.received) if self.is_sent else ""

    @property
    def received(self) -> int:
        """Bytes that have come: whole header lines, and the body."""
        return self._received_head + self._received

    def begin(self, request: Request, started: float, now: float) -> None:
        """Make the handle ready for a request that begins at ``started``, in seconds since 1970 UTC, and ``now``.

        Raises pycurl.error if libcurl does not take the URL, and ValueError if the request has no endpoint at an IP
        address, or a header line that is not printable ASCII.
        """
        proxy = request.proxy or self._default_proxy
        if proxy is not self._proxy:
            self._proxy = proxy
            self.curl.setopt(pycurl.PROXY, proxy.url)
        self._pin(request)
        if _header_fields(request) != _header_fields(self.request):
            self._add_headers(request)
        if request.method != self.request.method:
            self.curl.setopt(pycurl.NOBODY, request.method == HEAD)
        self.request = request
        self.is_sent = self.is_stale = False
        self._opened = None
        self.descriptor = -1
        self.curl.setopt(pycurl.FRESH_CONNECT, 0)
        self.pace.restart()
        self._broken = ""
        self._chunks.clear()
        self._lines.clear()
        self._received = self._received_head = 0
        self._limit = self._default_limit if request.body_limit is None else request.body_limit
        self._started, self._begun = started, now
        self.curl.setopt(pycurl.URL, _without_user(request.url))

    def response(self, code: int, message: str = "", stopped: str = "") -> Response:
        """What came of the request, which ended with libcurl's ``code`` and ``message``, or was ``stopped`` by us.

        ``stopped`` is one of `crawler.network.web.ERROR_KINDS`.
        """
        curl = self.curl
        error = stopped or self._broken or (self._error(code, message) if code else "")
        status = curl.getinfo(pycurl.RESPONSE_CODE)
        milliseconds = 1000 * curl.getinfo(pycurl.TOTAL_TIME)
        ip = self._ip()
        head = _last_head(self._lines)
        if self._proxy.url and is_refusal(status):
            head, error = None, PROXY
        if head is not None and b"".join(head[:1]).split()[1:2] != [b"%03d" % status]:  # libcurl cuts 2000 to 200
            head, error = None, error or "protocol"
        if head is None or status < 200:  # an interim answer (1xx) is none
            error = error or ("disconnect" if head is None else "protocol")
            return Response(
                self.request,
                error=error,
                is_hopeless=self._is_hopeless(code, stopped) or (not code and error == "protocol"),
                is_unread=not stopped and self._broken == "disconnect",
                started=self._started,
                milliseconds=milliseconds,
                ip=ip,
            )
        return Response(
            request=self.request,
            status=status,
            head=head,
            body=self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks),
            error=error,
            truncated=_TRUNCATION.get(error, "unspecified") if error else "",
            started=self._started,
            milliseconds=milliseconds,
            ip=ip,
            request_head=self._request_head(),
        )

    def _is_hopeless(self, code: int, stopped: str) -> bool:
        if stopped or self._broken:
            return self._broken in _HOPELESS
        return bool(code) and curl_error(code).is_hopeless

    def _ip(self) -> str:
        """Where the site lies, empty if that is a proxy's matter."""
        if not self._proxy.url:
            return str(self.curl.getinfo(pycurl.PRIMARY_IP))
        return self._endpoint.ip if connectable(self._endpoint.ip) is not None else ""

    def _error(self, code: int, message: str) -> str:
        is_slow_site = code == pycurl.E_OPERATION_TIMEDOUT and self.is_sent
        if self._proxy.url and not is_slow_site and (error := error_behind(self.curl, code)) is not None:
            return error
        if code == pycurl.E_PEER_FAILED_VERIFICATION:
            return _ERROR_OF_CERTIFICATE.get(self.curl.getinfo(pycurl.SSL_VERIFYRESULT), curl_error(code).kind)
        if code == pycurl.E_OPERATION_TIMEDOUT and not self.is_sent:
            return "connect-timeout"
        if code == pycurl.E_RECV_ERROR and "chunk" in message:
            return "protocol"
        return curl_error(code).kind

    def _pin(self, request: Request) -> None:
        looks_up = self._proxy.resolves_names
        if request.endpoint is None or (connectable(request.endpoint.ip) is None and not looks_up):
            raise ValueError(f"a request to no IP address: {request.endpoint} for {request.url}")
        # A proxy that is told names goes to the URL's host by itself; elsewhere libcurl has it open a tunnel.
        is_pinned = not looks_up or Target(*request.endpoint) != target_of(origin_of(request.url), ())
        if (request.endpoint, is_pinned) == (self._endpoint, self._is_pinned):
            return
        ip, port = self._endpoint = request.endpoint
        self._is_pinned = is_pinned
        if is_pinned:
            self.curl.setopt(pycurl.CONNECT_TO, [f"::{bracketed(ip)}:{port}"])
        else:
            self.curl.unsetopt(pycurl.CONNECT_TO)

    def _add_headers(self, request: Request) -> None:
        user_agent = introduction(request.user_agent or self._user_agent, self._contact)
        if not all(line.isascii() and line.isprintable() for line in (user_agent, *request.headers)):
            raise ValueError(f"no header lines: {(user_agent, *request.headers)}")
        lines = [f"User-Agent: {user_agent}", *self._header_lines, *request.headers]
        self.curl.setopt(pycurl.HTTPHEADER, [*lines, *request.secret_headers])
        self._block = "\r\n".join([*lines, *map(without_value, request.secret_headers)]) + "\r\n\r\n"

    def _request_head(self) -> bytes:
        """The request as libcurl sent it, in the form of HTTP/1.1, without what secret headers say."""
        url, method = self.request.url, self.request.method
        return f"{method} /{url.split('/', 3)[3]} HTTP/1.1\r\nHost: {site_of(url)}\r\n{self._block}".encode()

    def _open(self, descriptor: int, _purpose: int) -> Any:
        self._opened = descriptor
        if self._arrived is not None:
            self._arrived.opened(descriptor)
        return pycurl.SOCKOPT_OK

    def _before_sending(self, ip: str, local_ip: str, _port: int, local_port: int) -> Any:
        if self.is_sent:
            self._broken = "disconnect"
            return pycurl.PREREQFUNC_ABORT
        is_elsewhere = ip != self._endpoint.ip and connectable(ip) != connectable(self._endpoint.ip)
        if is_elsewhere and not self._proxy.url:
            self._broken = "connect"
            return pycurl.PREREQFUNC_ABORT
        place = (local_ip, local_port)
        if self._opened is not None:
            self._sockets.opened(place, self._opened)
        elif self._sockets.is_closed(place):
            self.is_stale = True
            return pycurl.PREREQFUNC_ABORT
        self.descriptor = self._sockets.descriptor(place)
        self.is_sent = True
        return pycurl.PREREQFUNC_OK

    def _read_line(self, line: bytes) -> int | None:
        self._received_head += len(line)
        if self._received_head > self._header_limit:
            self._broken = "header-size"
            return 0
        self._lines.append(line)
        return None

    def _write(self, chunk: bytes) -> int | None:
        if self._arrived is not None:  # libcurl may go on reading without waiting for the socket again
            self._arrived.read(self, self.descriptor, len(chunk))
        self._received += len(chunk)
        if self._received > self._limit:
            self._chunks.append(chunk[: len(chunk) - (self._received - self._limit)])
            self._broken = "size"
            return 0
        self._chunks.append(chunk)
        return None


def _header_fields(request: Request) -> tuple[tuple[str, ...], str | None, tuple[str, ...]]:
    """What of a request stands in its header."""
    return request.headers, request.user_agent, request.secret_headers


def _without_user(url: str) -> str:
    """A name and password that stand in a link are not ours to log in with."""
    if "@" not in url:
        return url
    scheme, _, authority, *path = url.split("/", 3)
    return "/".join((scheme, "", authority.rpartition("@")[2], *path))


def _last_head(lines: Sequence[bytes]) -> list[bytes] | None:
    """The header block of the final response; interim ones (1xx) come before it, trailers after it.

    None if it has not come to its end.
    """
    if lines and lines[-1] == b"\r\n" and lines.count(b"\r\n") == 1 and b"\n" not in lines:
        return list(lines[:-1])
    start = 0
    while True:
        blank = (number for number in range(start, len(lines)) if lines[number] in (b"\r\n", b"\n"))
        end = next(blank, None)
        if end is None:
            return None
        is_interim = lines[start].partition(b" ")[2][:1] == b"1" and end + 1 < len(lines)
        if not is_interim:
            return list(lines[start:end])
        start = end + 1
