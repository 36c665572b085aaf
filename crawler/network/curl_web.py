"""The real web: libcurl's multi interface, many transfers at once, and names resolved beside them.

libcurl and the resolver say which sockets to watch (`crawler.network.socket_watch`).  Handles and connections are
reused; bodies are taken as they come over the wire and decoded elsewhere, because libcurl decodes with zlib, which
takes more than twice as long as isal (docs/performance.md).  libcurl resolves no names: a transfer goes to the address
that the lookup gave (`crawler.network.dns_resolver`, `crawler.network.address_guard`).  Where bandwidth is limited,
sockets are left alone while too much has arrived (`crawler.network.bandwidth`).

Reads the clock: the web owns time, and everyone else asks it (`Web.now`).
"""

import math
import select
import time
from collections.abc import Callable
from typing import TypeVar

import pycurl

from crawler.network.address_guard import AddressGuard, connectable, literal
from crawler.network.arrived_bytes import ArrivedBytes
from crawler.network.bandwidth import Bandwidth
from crawler.network.connect_to import ConnectRule, Target, target_of
from crawler.network.curl_transfer import NetworkSettings, Transfer
from crawler.network.dns_resolver import Addresses, Resolver
from crawler.network.pooled_sockets import PooledSockets
from crawler.network.socket_watch import SocketWatch
from crawler.network.web import HEAD, Endpoint, Found, Lookup, Request, Response
from crawler.process.file_limits import connections_kept

_LONGEST_POLL_SECONDS = 1.0
_MOST_AT_ONCE = 8  # while what came is dealt with, nobody looks at the sockets, and transfers look idle or too slow
_SHORTEST_SWEEP_SECONDS = 0.01
_SWEEPS_PER_LIMIT = 8
_LITERAL_SECONDS = 86400.0
_EPOLL_EVENTS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}

_Arrived = TypeVar("_Arrived", Response, Found)


class CurlWeb:
    """`crawler.network.web.Web` over libcurl; ``dates`` tells when a request was made, in seconds since 1970 UTC."""

    def __init__(
        self, settings: NetworkSettings, bandwidth: Bandwidth | None = None, dates: Callable[[], float] | None = None
    ) -> None:
        self._dates = dates or time.time
        self._settings = settings
        self._bandwidth = bandwidth
        self._arrived = ArrivedBytes(bandwidth) if bandwidth is not None else None
        self._held_seconds = 0.0
        self._stood_still = 0.0
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections_kept(settings.connections))
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch_transfer)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._transfers, self._names = SocketWatch(), SocketWatch()
        self._transfers.watch(self._names.descriptor, select.EPOLLIN)
        self._timer = math.inf
        self._sockets = PooledSockets()
        self._idle: list[Transfer] = []
        self._busy: dict[pycurl.Curl, Transfer] = {}
        self._came: list[Response] = []
        self._found: list[Found] = []
        shortest = min(settings.timeout, settings.connect_timeout, settings.idle_timeout, settings.speed_window)
        between_sweeps = min(shortest / _SWEEPS_PER_LIMIT, _LONGEST_POLL_SECONDS)
        self._between_sweeps = max(_SHORTEST_SWEEP_SECONDS, between_sweeps)
        self._next_sweep = self.now()
        self._guard = AddressGuard(settings.allow_net, has_contact=bool(settings.contact))
        self._rules = [ConnectRule.parse(text) for text in settings.connect_to]
        self._resolver = Resolver(
            self.now, self._watch_resolver, servers=settings.dns_servers, timeout=settings.dns_timeout
        )

    @property
    def bandwidth(self) -> Bandwidth | None:
        return self._bandwidth

    @property
    def in_flight(self) -> int:
        return len(self._busy) + len(self._came)

    def now(self) -> float:
        return time.monotonic() - self._stood_still

    def look_up(self, lookup: Lookup) -> None:
        target = target_of(lookup.origin, self._rules)
        address = literal(target.host)
        if address is not None:
            known = Addresses((str(address),), self.now() + _LITERAL_SECONDS)
            self._found.append(self._answer(lookup, target, known))
            return
        if (lookup.proxy or self._settings.proxy).resolves_names:
            self._found.append(self._left_to_proxy(lookup, target))
            return
        name = target.host.removesuffix(".")
        self._resolver.resolve(name, lambda known: self._found.append(self._answer(lookup, target, known)))

    def start(self, request: Request) -> None:
        if not self._idle:
            self._idle.append(Transfer(self._settings, self._sockets, self._arrived))
        transfer = self._idle[-1]
        started = self._dates()
        try:
            transfer.begin(request, started, self.now() - self._held_seconds)
        except pycurl.error:  # a URL that libcurl will not even look at
            self._came.append(Response(request, error="url", is_hopeless=True, started=started))
            return
        self._busy[transfer.curl] = self._idle.pop()
        self._multi.add_handle(transfer.curl)
        if self._bandwidth is not None:
            self._bandwidth.begin(transfer, is_small=_is_small(request))

    def wait(self, until: float) -> list[Response | Found]:
        while True:
            self._drive(until if not (self._came or self._found) else self.now())
            self._collect()
            if self._came or self._found or self.now() >= until:
                return [*_first(self._found, _MOST_AT_ONCE), *_first(self._came, _MOST_AT_ONCE)]

    def advance(self) -> None:
        self._drive(self.now())
        self._collect()

    def stand_still(self, seconds: float) -> None:
        began = self.now()
        time.sleep(seconds)
        self._stood_still += self.now() - began
        self.advance()

    def cancel(self) -> list[Request]:
        cancelled = [one.request for one in self._came]
        self._came.clear()
        for curl, transfer in list(self._busy.items()):
            self._multi.remove_handle(curl)
            cancelled.append(transfer.request)
            curl.close()
        self._busy.clear()
        return cancelled

    def close(self) -> None:
        self.cancel()
        self._resolver.close()
        for transfer in self._idle:
            transfer.curl.close()
        self._idle.clear()
        if self._arrived is not None:
            self._arrived.close()
        self._multi.close()
        self._transfers.close()
        self._names.close()

    def _answer(self, lookup: Lookup, target: Target, known: Addresses) -> Found:
        """The answer to a lookup: of a name's addresses those that may be connected to, or why there is none."""
        endpoints, refusals = [], set()
        for ip in known.ips:
            address = connectable(ip)
            refusal = (
                self._guard.refusal(address, is_named=target.is_named) if address is not None else "internal-address"
            )
            if refusal:
                refusals.add(refusal)
            else:
                endpoints.append(Endpoint(str(address), target.port))
        seconds = max(0.0, known.until - self.now())
        if endpoints:
            return Found(lookup, tuple(dict.fromkeys(endpoints)), seconds=seconds)
        if not refusals:
            return Found(lookup, error="dns", seconds=seconds)
        error = "no-contact" if "no-contact" in refusals else "internal-address"
        return Found(lookup, error=error, seconds=seconds)

    def _left_to_proxy(self, lookup: Lookup, target: Target) -> Found:
        """The answer where a proxy looks names up: the name itself, unless the guard knows what it means."""
        refusal = self._guard.refusal_of_name(target.host, is_named=target.is_named)
        if refusal:
            return Found(lookup, error=refusal, seconds=_LITERAL_SECONDS)
        return Found(lookup, (Endpoint(target.host, target.port),), seconds=_LITERAL_SECONDS)

    def _drive(self, until: float) -> None:
        """Let libcurl and the resolver do what there is to do by ``until``: serve ready sockets, or timers."""
        resolving_until = self._resolver.next_time()
        soonest = min(until, math.inf if resolving_until is None else resolving_until)
        is_held = self._hold(soonest)
        if not is_held:
            seconds = min(max(min(soonest, self._timer) - self.now(), 0.0), self._between_sweeps)
            for descriptor, events in self._transfers.poll(seconds, -1 if self._bandwidth is None else 1):
                if descriptor == self._names.descriptor:
                    self._serve_names(0.0)
                else:
                    self._serve_transfer(descriptor, events)
        now = self.now()
        if resolving_until is not None and now >= resolving_until:
            self._resolver.process()
        if now >= self._timer and not is_held:
            self._timer = math.inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)

    def _hold(self, soonest: float) -> bool:
        """Where more has arrived than may, read nothing, but wait for names alone, until ``soonest`` at most."""
        if self._bandwidth is None or not self._busy:
            return False
        now = self.now()
        until = self._bandwidth.reading_from(now)
        if until <= now:
            return False
        self._bandwidth.hold(now, until)
        self._serve_names(max(0.0, min(soonest, until) - now))
        self._held_seconds += self.now() - now
        return True

    def _serve_transfer(self, descriptor: int, events: int) -> None:
        if self._arrived is not None:
            self._arrived.look(descriptor)
        self._multi.socket_action(descriptor, _curl_events(events))

    def _serve_names(self, seconds: float) -> None:
        for descriptor, events in self._names.poll(seconds):
            reads, writes = bool(events & ~select.EPOLLOUT), bool(events & select.EPOLLOUT)
            self._resolver.process(descriptor, reads=reads, writes=writes)

    def _watch_transfer(self, event: int, descriptor: int, _multi: object, _data: object) -> None:
        if self._arrived is not None and event == pycurl.POLL_REMOVE:
            self._arrived.look(descriptor)
        self._transfers.watch(descriptor, _EPOLL_EVENTS.get(event, 0))

    def _watch_resolver(self, descriptor: int, reads: bool, writes: bool) -> None:
        self._names.watch(descriptor, reads * select.EPOLLIN | writes * select.EPOLLOUT)

    def _set_timer(self, milliseconds: int) -> None:
        self._timer = math.inf if milliseconds < 0 else self.now() + milliseconds / 1000

    def _collect(self) -> None:
        """Take in the transfers that have ended, and end those that have come to a halt."""
        remaining = 1
        while remaining:
            remaining, succeeded, failed = self._multi.info_read()
            self._came += [self._end(curl).response(0) for curl in succeeded]
            for curl, code, message in failed:
                if self._busy[curl].is_stale:
                    self._begin_again(curl)
                else:
                    self._came.append(self._end(curl).response(code, message))
        now = self.now()
        if now < self._next_sweep:
            return
        self._next_sweep = now + self._between_sweeps
        for curl, transfer in list(self._busy.items()):
            if transfer.is_overdue(now - self._held_seconds):
                self._came.append(self._end(curl).response(pycurl.E_OPERATION_TIMEDOUT))
            elif halt := transfer.halt(now - self._held_seconds):
                self._came.append(self._end(curl).response(0, stopped=halt))

    def _begin_again(self, curl: pycurl.Curl) -> None:
        """Nothing was sent, because the kept connection turned out to be dead; libcurl has dropped it by now."""
        self._multi.remove_handle(curl)
        self._busy[curl].is_stale = False
        curl.setopt(pycurl.FRESH_CONNECT, 1)  # a dead HTTP/2 connection it has not dropped
        self._multi.add_handle(curl)

    def _end(self, curl: pycurl.Curl) -> Transfer:
        self._multi.remove_handle(curl)
        transfer = self._busy.pop(curl)
        self._idle.append(transfer)
        if self._bandwidth is not None and self._arrived is not None:
            self._arrived.look(transfer.descriptor)  # an answer that came at once was read without being waited for
            self._bandwidth.end(transfer, transfer.received, is_small=_is_small(transfer.request))
        return transfer


def _first(items: list[_Arrived], most: int) -> list[_Arrived]:
    """Take up to so many items from the front of a list."""
    first = items[:most]
    del items[:most]
    return first


def _is_small(request: Request) -> bool:
    """Is it a robots.txt, which has a limit of its own, or a HEAD, and no page?"""
    return request.body_limit is not None or request.method == HEAD


def _curl_events(events: int) -> int:
    flags = 0
    if events & select.EPOLLIN:
        flags |= pycurl.CSELECT_IN
    if events & select.EPOLLOUT:
        flags |= pycurl.CSELECT_OUT
    if events & (select.EPOLLERR | select.EPOLLHUP):
        flags |= pycurl.CSELECT_ERR
    return flags
