"""Metrics of all ranks for Prometheus, served by rank 0 (``--metrics-port``).

What is served are the states of the last exchange, and what holds up the next one now.  A scrape, which runs in a
thread of the server, takes hold of the states in one step, and nobody changes them any more: it never sees some ranks
before a superstep and others after.

Reads the clock: how long ago the last exchange was when somebody asks is no time of the crawl.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from crawler.exchange.verdict import Status
from crawler.monitoring.silence import HeldUp
from crawler.network.bandwidth import AS_MUCH_AS_IT_GETS
from crawler.network.web import ERROR_KINDS
from sessions.counters import COUNTERS, Form

_COUNTERS: dict[str, tuple[str, Callable[[Status], int]]] = {
    "pages": (COUNTERS["fetched"].meaning, lambda state: state.pages),
    "urls_sent": ("URLs sent to the ranks that own them", lambda state: state.sent),
    **{
        name: (counter.meaning, attrgetter(name))
        for name, counter in COUNTERS.items()
        if name in Status._fields and counter.form is Form.COUNT
    },
}
"""What ranks tell each other of their counters in each exchange: a counter is served if `Status` has it."""
_GAUGES: dict[str, tuple[str, Callable[[Status], int]]] = {
    "queued": ("URLs in the frontier.", lambda state: state.queued),
    "in_flight": ("Requests under way.", lambda state: state.in_flight),
    "undelivered": ("URLs found and not sent to their owner yet.", lambda state: state.undelivered),
    "waiting": ("Pages fetched and not recorded yet.", lambda state: state.waiting),
    "idle": ("1 if the rank has nothing that it could request now.", lambda state: state.is_idle),
    "memory_bytes": ("What the rank holds in memory.", lambda state: state.memory_bytes),
    "held": (
        "1 if a limit of bandwidth kept the rank waiting.",
        lambda state: int(state.bandwidth_need == AS_MUCH_AS_IT_GETS),
    ),
}


class _Reading(NamedTuple):
    """What a scrape is answered with: the states of all ranks in the exchange at a time, and the last epoch by then."""

    states: tuple[Status, ...]
    epoch: int
    time: float


class Metrics:
    """A watcher that serves metrics at ``port`` of ``host``, an address of this machine or a name that has one.

    ``header`` is the session's as rank 0 keeps it up to date, ``session`` its folder; ``held_up`` tells what holds the
    crawl up now.  Raises OSError if somebody else listens there by now.
    """

    def __init__(
        self,
        port: int,
        header: Mapping[str, Any],
        host: str,
        held_up: Callable[[], HeldUp] = HeldUp,
        session: Path | None = None,
    ) -> None:
        self._header = header
        self._collector = StatesCollector(str(header["run"]), str(header["assignment"]), held_up, session)
        registry = CollectorRegistry()
        registry.register(self._collector)
        try:
            self._server, self._thread = start_http_server(port, host, registry)
        except OSError as error:
            raise OSError(
                error.errno, f"--metrics-port {port}: rank 0 cannot listen there, at {host} ({error.strerror})"
            ) from error

    @property
    def address(self) -> str:
        """The IP address that it is served at."""
        return str(self._server.server_address[0])

    @property
    def port(self) -> int:
        """Where it is served."""
        return int(self._server.server_port)

    def show(self, states: Sequence[Status], *, is_last: bool = False) -> None:
        self._collector.take(states, self._header["epochs"])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class StatesCollector(Collector):
    """Makes metrics of the ranks' states when it is asked for them."""

    def __init__(
        self,
        run: str,
        assignment: str,
        held_up: Callable[[], HeldUp] = HeldUp,
        session: Path | None = None,
    ) -> None:
        self._held_up = held_up
        self._session = session
        self._run = run
        self._assignment = assignment
        self._reading = _Reading((), 0, monotonic())

    def take(self, states: Sequence[Status], epoch: int) -> None:
        """From now on, these are the states of all ranks, and that is the last epoch committed."""
        self._reading = _Reading(tuple(states), epoch, monotonic())

    def collect(self) -> Iterator[Metric]:
        """The metrics as of the last exchange, before the first only what the run is; and what holds it up now."""
        states, epoch, time = self._reading
        yield InfoMetricFamily("cutweb_run", "The run.", {"run": self._run, "assignment": self._assignment})
        yield GaugeMetricFamily(
            "cutweb_superstep_seconds", "Since the last exchange, or the start.", monotonic() - time
        )
        yield from _holding(self._held_up())
        if not states:
            return
        yield GaugeMetricFamily("cutweb_ranks", "Number of ranks K.", len(states))
        yield GaugeMetricFamily("cutweb_epoch", "The last epoch committed.", epoch)
        yield CounterMetricFamily("cutweb_supersteps", "Supersteps of the session.", states[0].superstep)
        seconds = states[0].milliseconds / 1000
        yield GaugeMetricFamily("cutweb_run_seconds", "From the run's start to the last exchange.", seconds)
        for name, (text, value) in _COUNTERS.items():
            yield _by_rank(
                CounterMetricFamily(f"cutweb_{name}", f"{text[:1].upper()}{text[1:]}.", labels=["rank"]), states, value
            )
        for name, (text, value) in _GAUGES.items():
            yield _by_rank(GaugeMetricFamily(f"cutweb_{name}", text, labels=["rank"]), states, value)
        yield _by_rank(
            CounterMetricFamily("cutweb_cpu_seconds", "Processor time.", labels=["rank"]),
            states,
            lambda state: state.cpu_milliseconds / 1000,
        )
        yield _by_rank(
            GaugeMetricFamily(
                "cutweb_delay_debt_seconds",
                "For how long the site that waits longest might have been visited already.",
                labels=["rank"],
            ),
            states,
            lambda state: state.delay_debt_milliseconds / 1000,
        )
        if self._session is not None:
            yield _disk_free(self._session)
        errors = CounterMetricFamily("cutweb_errors", "Attempts without a useful response.", labels=["rank", "kind"])
        for rank, state in enumerate(states):
            for kind, count in zip(ERROR_KINDS, state.errors, strict=True):
                errors.add_metric([str(rank), kind], count)
        yield errors


def _holding(held_up: HeldUp) -> Iterator[Metric]:
    """What holds the crawl up, if anything does."""
    silent = GaugeMetricFamily("cutweb_silent_seconds", "Since a rank's last sign of life.", labels=["rank", "host"])
    for silence in held_up.silences:
        silent.add_metric([str(silence.rank), silence.host], silence.seconds)
    yield silent
    still = GaugeMetricFamily(
        "cutweb_standstill_seconds", "For how long all ranks have waited for each other.", labels=["host"]
    )
    if held_up.standstill is not None:
        for host in held_up.standstill.hosts:
            still.add_metric([host], held_up.standstill.seconds)
    yield still
    yield GaugeMetricFamily("cutweb_paused", "1 if an operator has the crawl pause.", int(held_up.is_paused))


def _by_rank(
    family: CounterMetricFamily | GaugeMetricFamily, states: Sequence[Status], value: Callable[[Status], float]
) -> Metric:
    for rank, state in enumerate(states):
        family.add_metric([str(rank)], value(state))
    return family


def _disk_free(session: Path) -> Metric:
    """What a user may still write where the session lies; without a sample if the file system does not say."""
    family = GaugeMetricFamily("cutweb_disk_free_bytes", "Room on the disk that the session is on.")
    with suppress(OSError):
        disk = os.statvfs(session)
        family.add_metric([], disk.f_bavail * disk.f_frsize)
    return family
