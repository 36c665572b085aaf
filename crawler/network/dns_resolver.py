"""Names to addresses, many at once, remembered: c-ares asks, and whoever waits in epoll for sockets waits for its too.

A name's IPv4 addresses are asked for first, and IPv6 ones only if it has none: most queries are thereby saved, and
a server is known by one address.  Addresses stay in the order of the answer as long as it is remembered.  c-ares
follows aliases, looks into /etc/hosts, and knows that localhost is this machine (RFC 6761).  Search domains are not
tried: a link to http://intranet/ is not one to a neighbour.

A malformed answer makes c-ares give up every name that it asks for over the same socket.  Names that fail for that
reason are asked for again, one at a time, over a channel of their own: the one to blame fails alone.
"""

import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import pycares

_SHORTEST_SECONDS, _LONGEST_SECONDS = 30.0, 86400.0
_NO_SUCH_NAME_SECONDS = 300.0
_NO_ANSWER_SECONDS = 30.0
_NO_SUCH_NAME = (pycares.errno.ARES_ENOTFOUND, pycares.errno.ARES_ENODATA, pycares.errno.ARES_EBADNAME)
_TRIES = 2
_LONGEST_TRY_SECONDS = 3600.0  # c-ares counts milliseconds in an int
_NOSORT = 1 << 7  # ARES_AI_NOSORT, which pycares has no name for: the order of the answer, without trial connections


class Addresses(NamedTuple):
    """A name's IP addresses, best first, and until when they hold; none if the name has none, or nobody says."""

    ips: tuple[str, ...]
    until: float


Listener = Callable[[Addresses], None]


@dataclass(slots=True, eq=False)
class _Query:
    name: str
    listeners: list[Listener]
    deadline: float = 0.0
    family: socket.AddressFamily = socket.AF_INET
    is_alone: bool = False


class Resolver:
    """Resolves names; ``clock`` gives the time in seconds.

    ``watch(descriptor, reads, writes)`` is called with the sockets to be watched, neither of the two if no more; what
    happens at one is to be told by `process`.  ``servers`` are ADDR:PORT, the system's if there are none; ``timeout``
    is for a name altogether, in seconds.  At most ``at_once`` names are asked for at once, others wait; the last
    ``remembered`` answers are kept, good and bad.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        watch: Callable[[int, bool, bool], None],
        *,
        servers: tuple[str, ...] = (),
        timeout: float = 10.0,
        at_once: int = 256,
        remembered: int = 1 << 16,
    ) -> None:
        self._clock = clock
        self._watch = watch
        self._timeout = timeout
        self._at_once = at_once
        self._remembered = remembered
        self._cache: dict[str, Addresses] = {}
        self._queries: dict[str, _Query] = {}
        self._waiting: deque[_Query] = deque()
        self._asked: dict[str, _Query] = {}  # in the order of their deadlines
        self._suspects: deque[_Query] = deque()
        self._came: deque[tuple[_Query, Any, int | None]] = deque()
        self._outstanding = self._outstanding_alone = 0
        # Each try waits twice as long as the one before, at every server.
        first_try = timeout / (2**_TRIES - 1) / max(1, len(servers))
        self._channels = [
            pycares.Channel(
                flags=pycares.ARES_FLAG_NOSEARCH,
                timeout=min(max(0.001, first_try), _LONGEST_TRY_SECONDS),
                tries=_TRIES,
                servers=list(servers) or None,
                sock_state_cb=self._watch_socket,
            )
            for _ in ("for many", "for one alone")
        ]
        self._is_closed = False

    def resolve(self, name: str, listener: Listener) -> None:
        """Find a name's addresses and call ``listener`` with them: at once if they are remembered."""
        known = self._cache.get(name)
        if known is not None and self._clock() < known.until:
            listener(known)
        elif name in self._queries:
            self._queries[name].listeners.append(listener)
        else:
            query = self._queries[name] = _Query(name, [listener])
            self._waiting.append(query)
            self._advance()

    def next_time(self) -> float | None:
        """When `process` is to be called even if nothing happens at any socket; None if nothing is under way."""
        if not (self._outstanding or self._outstanding_alone):
            return None
        at_work = zip(self._channels, (self._outstanding, self._outstanding_alone), strict=True)
        seconds = [float(channel.timeout()) for channel, count in at_work if count]  # type: ignore[no-untyped-call]
        deadlines = [query.deadline for query in islice(self._asked.values(), 1)]
        return min([self._clock() + wait for wait in seconds] + deadlines)

    def process(self, descriptor: int | None = None, *, reads: bool = False, writes: bool = False) -> None:
        """Go on after something has happened at a socket, or because time has passed."""
        reading = descriptor if descriptor is not None and reads else pycares.ARES_SOCKET_BAD
        writing = descriptor if descriptor is not None and writes else pycares.ARES_SOCKET_BAD
        for channel in self._channels:  # c-ares does not mind sockets that are not the channel's
            channel.process_fd(reading, writing)
        self._advance()
        now = self._clock()
        while self._asked:
            query = next(iter(self._asked.values()))
            if now < query.deadline:
                break
            self._answer(query, (), _NO_ANSWER_SECONDS)

    def close(self) -> None:
        """Release the sockets; whoever still waits for an answer will not be called."""
        if self._is_closed:
            return
        self._queries.clear()
        self._waiting.clear()
        self._asked.clear()
        self._suspects.clear()
        for channel in self._channels:
            channel.cancel()
        # What is left is closed by a thread of pycares, which must not call us.
        self._is_closed = True
        for channel in self._channels:
            channel.close()

    def _watch_socket(self, descriptor: int, reads: bool, writes: bool) -> None:
        if not self._is_closed:
            self._watch(descriptor, bool(reads), bool(writes))

    def _advance(self) -> None:
        """Take in what came and ask for what waits; c-ares may answer while it is being asked."""
        while True:
            if self._came:
                self._take(*self._came.popleft())
            elif self._waiting and self._outstanding < self._at_once:
                query = self._waiting.popleft()
                query.deadline = self._clock() + self._timeout
                self._asked[query.name] = query
                self._ask(query)
            elif self._suspects and not self._outstanding_alone:
                self._ask(self._suspects.popleft())
            else:
                return

    def _ask(self, query: _Query) -> None:
        self._count(query, 1)

        def came(result: Any, error: int | None) -> None:
            self._came.append((query, result, error))

        channel = self._channels[query.is_alone]
        try:
            channel.getaddrinfo(query.name, None, family=query.family, flags=_NOSORT, callback=came)
        except (ValueError, UnicodeError):  # no name at all
            came(None, pycares.errno.ARES_EBADNAME)

    def _count(self, query: _Query, change: int) -> None:
        if query.is_alone:
            self._outstanding_alone += change
        else:
            self._outstanding += change

    def _take(self, query: _Query, result: Any, error: int | None) -> None:
        self._count(query, -1)
        if self._asked.get(query.name) is not query:  # its time was up
            return
        nodes = result.nodes if result is not None else []
        if nodes:
            ttls = [node.ttl for node in nodes] + [alias.ttl for alias in result.cnames]
            ips = tuple(dict.fromkeys(node.addr[0].decode() for node in nodes))
            self._answer(query, ips, min(max(_SHORTEST_SECONDS, min(ttls)), _LONGEST_SECONDS))
        elif query.family == socket.AF_INET and error in (None, pycares.errno.ARES_ENODATA):
            query.family = socket.AF_INET6
            self._ask(query)
        elif error == pycares.errno.ARES_EBADRESP and not query.is_alone:
            query.is_alone = True
            self._suspects.append(query)
        else:
            self._answer(query, (), _NO_SUCH_NAME_SECONDS if error in _NO_SUCH_NAME else _NO_ANSWER_SECONDS)

    def _answer(self, query: _Query, ips: tuple[str, ...], seconds: float) -> None:
        answer = Addresses(ips, self._clock() + seconds)
        del self._asked[query.name]
        del self._queries[query.name]
        self._cache.pop(query.name, None)
        self._cache[query.name] = answer
        if len(self._cache) > self._remembered:
            del self._cache[next(iter(self._cache))]
        for listener in query.listeners:
            listener(answer)
