"""The real web: libcurl's multi interface, many transfers at once.

libcurl says which sockets to watch and epoll watches them (curl's own select stops at descriptor 1,023).  Handles and
connections are reused; bodies are taken as they come over the wire and decoded elsewhere, because
libcurl decodes with zlib, which takes more than twice as long as isal (docs/performance.md).
"""

import math
import select
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import certifi
import pycurl

from crawler.descriptors import connections_kept
from crawler.web import Request, Response
from sessions.url import site_of

_RECEIVE_BUFFER_BYTES = 1 << 17
_LONGEST_POLL_SECONDS = 1.0
_EPOLL_EVENTS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}
_HTTP2_STREAM = 92  # CURLE_HTTP2_STREAM, which pycurl has no name for

_ERROR_KINDS = {
    pycurl.E_COULDNT_RESOLVE_HOST: "dns",
    pycurl.E_COULDNT_CONNECT: "connect",
    pycurl.E_OPERATION_TIMEDOUT: "timeout",
    pycurl.E_GOT_NOTHING: "empty",
    pycurl.E_RECV_ERROR: "disconnect",
    pycurl.E_SEND_ERROR: "disconnect",
    pycurl.E_PARTIAL_FILE: "disconnect",
    pycurl.E_SSL_CONNECT_ERROR: "tls",
    pycurl.E_PEER_FAILED_VERIFICATION: "tls",
    pycurl.E_SSL_CERTPROBLEM: "tls",
    pycurl.E_SSL_CIPHER: "tls",
    pycurl.E_SSL_CACERT_BADFILE: "tls",
    pycurl.E_SSL_ISSUER_ERROR: "tls",
    pycurl.E_URL_MALFORMAT: "url",
    pycurl.E_UNSUPPORTED_PROTOCOL: "protocol",
    pycurl.E_HTTP2: "protocol",
    pycurl.E_FTP_WEIRD_SERVER_REPLY: "protocol",  # the old name of CURLE_WEIRD_SERVER_REPLY, which HTTP shares
    _HTTP2_STREAM: "protocol",
}
_TRUNCATION = {"timeout": "time", "size": "length", "disconnect": "disconnect"}


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """How to fetch.  Times in seconds, sizes in bytes; ``connect_to`` in curl's form HOST:PORT:ADDRESS:PORT."""

    user_agent: str
    connections: int = 64
    timeout: float = 60.0
    connect_timeout: float = 10.0
    body_limit: int = 10 << 20
    connect_to: tuple[str, ...] = ()
    ca_cert: Path | None = None
    tls_verify: bool = True


class Network:
    """`crawler.web.Web` over libcurl."""

    def __init__(self, settings: NetworkSettings) -> None:
        self._settings = settings
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections_kept(settings.connections))
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self._timer = math.inf
        self._idle: list[_Transfer] = []
        self._refused: list[Response] = []
        self._busy: dict[pycurl.Curl, _Transfer] = {}
        self._header_lines = (
            f"User-Agent: {settings.user_agent}",
            "Accept: text/html,application/xhtml+xml,*/*;q=0.5",
            "Accept-Encoding: gzip",
        )

    @property
    def in_flight(self) -> int:
        return len(self._busy) + len(self._refused)

    def now(self) -> float:
        return time.monotonic()

    def start(self, request: Request) -> None:
        transfer = self._idle.pop() if self._idle else _Transfer(self._settings, self._header_lines)
        try:
            transfer.begin(request)
        except pycurl.error:  # a URL that libcurl will not even look at
            self._idle.append(transfer)
            self._refused.append(Response(request, error="url", started=time.time()))
            return
        self._busy[transfer.curl] = transfer
        self._multi.add_handle(transfer.curl)

    def wait(self, until: float) -> list[Response]:
        while True:
            self._drive(until if not self._refused else self.now())
            responses = self._finished()
            if responses or self.now() >= until:
                return responses

    def cancel(self) -> list[Request]:
        cancelled = [response.request for response in self._refused]
        self._refused.clear()
        for curl, transfer in list(self._busy.items()):
            self._multi.remove_handle(curl)
            cancelled.append(transfer.request)
            curl.close()
        self._busy.clear()
        return cancelled

    def close(self) -> None:
        self.cancel()
        for transfer in self._idle:
            transfer.curl.close()
        self._idle.clear()
        self._multi.close()
        self._epoll.close()

    def _drive(self, until: float) -> None:
        """Let libcurl do what there is to do by ``until``: serve the sockets that are ready, or its timer."""
        seconds = min(until, self._timer) - self.now()
        for descriptor, events in self._epoll.poll(min(max(seconds, 0.0), _LONGEST_POLL_SECONDS)):
            self._multi.socket_action(descriptor, _curl_events(events))
        if self.now() >= self._timer:
            self._timer = math.inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)

    def _watch(self, event: int, descriptor: int, _multi: object, _data: object) -> None:
        if event == pycurl.POLL_REMOVE:
            self._watched.discard(descriptor)
            with suppress(OSError):  # libcurl may have closed it already
                self._epoll.unregister(descriptor)
        elif descriptor in self._watched:
            self._epoll.modify(descriptor, _EPOLL_EVENTS[event])
        else:
            self._watched.add(descriptor)
            self._epoll.register(descriptor, _EPOLL_EVENTS[event])

    def _set_timer(self, milliseconds: int) -> None:
        self._timer = math.inf if milliseconds < 0 else self.now() + milliseconds / 1000

    def _finished(self) -> list[Response]:
        responses, self._refused = self._refused, []
        remaining = 1
        while remaining:
            remaining, succeeded, failed = self._multi.info_read()
            responses += [self._end(curl, 0) for curl in succeeded]
            responses += [self._end(curl, code) for curl, code, _ in failed]
        return responses

    def _end(self, curl: pycurl.Curl, code: int) -> Response:
        self._multi.remove_handle(curl)
        transfer = self._busy.pop(curl)
        response = transfer.response(code, self._header_lines)
        self._idle.append(transfer)
        return response


def _curl_events(events: int) -> int:
    flags = 0
    if events & select.EPOLLIN:
        flags |= pycurl.CSELECT_IN
    if events & select.EPOLLOUT:
        flags |= pycurl.CSELECT_OUT
    if events & (select.EPOLLERR | select.EPOLLHUP):
        flags |= pycurl.CSELECT_ERR
    return flags


class _Transfer:
    """A reusable libcurl handle with the request it is working on."""

    __slots__ = ("_chunks", "_default_limit", "_limit", "_lines", "_received", "_started", "curl", "request")

    def __init__(self, settings: NetworkSettings, header_lines: tuple[str, ...]) -> None:
        self.request = Request("", None)
        self._default_limit = self._limit = settings.body_limit
        self._started = 0.0
        self._received = 0
        self._chunks: list[bytes] = []
        self._lines: list[bytes] = []
        self.curl = curl = pycurl.Curl()
        curl.setopt(pycurl.HTTPHEADER, header_lines)
        curl.setopt(pycurl.WRITEFUNCTION, self._write)
        curl.setopt(pycurl.HEADERFUNCTION, self._lines.append)
        curl.setopt(pycurl.BUFFERSIZE, _RECEIVE_BUFFER_BYTES)
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PATH_AS_IS, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.PROXY, "")
        # libcurl takes 0 for no limit.
        curl.setopt(pycurl.TIMEOUT_MS, max(1, round(1000 * settings.timeout)))
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, max(1, round(1000 * settings.connect_timeout)))
        curl.setopt(pycurl.CAINFO, str(settings.ca_cert or certifi.where()))
        curl.setopt(pycurl.SSL_VERIFYPEER, settings.tls_verify)
        curl.setopt(pycurl.SSL_VERIFYHOST, 2 if settings.tls_verify else 0)
        if settings.connect_to:
            curl.setopt(pycurl.CONNECT_TO, list(settings.connect_to))

    def begin(self, request: Request) -> None:
        self.request = request
        self._chunks.clear()
        self._lines.clear()
        self._received = 0
        self._limit = self._default_limit if request.body_limit is None else request.body_limit
        self._started = time.time()
        self.curl.setopt(pycurl.URL, _without_user(request.url))

    def response(self, code: int, header_lines: tuple[str, ...]) -> Response:
        curl = self.curl
        status = curl.getinfo(pycurl.RESPONSE_CODE)
        error = _ERROR_KINDS.get(code, "other") if code else ""
        if error and self._received > self._limit:
            error = "size"
        if status < 200:  # an interim answer (1xx) is none
            error = error or "protocol"
            return Response(self.request, error=error, started=self._started, ip=curl.getinfo(pycurl.PRIMARY_IP))
        return Response(
            request=self.request,
            status=status,
            head=_last_head(self._lines),
            body=self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks),
            error=error,
            truncated=_TRUNCATION.get(error, "unspecified") if error else "",
            started=self._started,
            milliseconds=1000 * curl.getinfo(pycurl.TOTAL_TIME),
            ip=curl.getinfo(pycurl.PRIMARY_IP),
            request_head=_request_head(self.request.url, header_lines),
        )

    def _write(self, chunk: bytes) -> int | None:
        self._received += len(chunk)
        if self._received > self._limit:
            self._chunks.append(chunk[: len(chunk) - (self._received - self._limit)])
            return 0
        self._chunks.append(chunk)
        return None


def _without_user(url: str) -> str:
    """A name and password that stand in a link are not ours to log in with."""
    if "@" not in url:
        return url
    scheme, _, authority, *path = url.split("/", 3)
    return "/".join((scheme, "", authority.rpartition("@")[2], *path))


def _last_head(lines: list[bytes]) -> list[bytes]:
    """The header block of the final response; interim ones (1xx) come before it, trailers after it."""
    start = 0
    while True:
        blank = (number for number in range(start, len(lines)) if lines[number] in (b"\r\n", b"\n"))
        end = next(blank, len(lines))
        is_interim = lines[start].partition(b" ")[2][:1] == b"1" and end + 1 < len(lines)
        if not is_interim:
            return lines[start:end]
        start = end + 1


def _request_head(url: str, header_lines: tuple[str, ...]) -> bytes:
    """The request as we have libcurl send it (for HTTP/2, in the form that HTTP/1.1 would have given it)."""
    target = url.split("/", 3)[3]
    lines = (f"GET /{target} HTTP/1.1", f"Host: {site_of(url)}", *header_lines)
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
