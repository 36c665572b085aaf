"""What a way of sharing URLs costs: seconds of the slowest rank, and bytes between ranks.

A rank is busy for the CPU time of its pages, for the URLs that it sends and receives, and for its network: bodies that
come in and URLs that travel.  These are added up as if nothing happened at the same time, so the seconds tell one way
from another; how long a crawl takes, the delays of its sites decide.  What a page costs is taken from the session where
that was measured.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.replay.recording import Numbers, Recording
from partition.assignment.assignment import Owners

Floats = npt.NDArray[np.float64]

PAGE_MS = 0.45
"""CPU of a page in ms where a session has not measured it: between those of docs/replay.md for one rank and for 4."""
URL_US = 13.0
"""CPU of a URL that is handed over in us, half of it at each end: what page hash costs more than one rank does, in the
same place, for each of the URLs that it sends."""
NETWORK_MBIT = 1000.0
"""The network of a rank, in Mbit/s, unless another is named."""
_CONNECTIONS = 64
_EXCHANGE = "exchange"
_MS = 1000.0


@dataclass(frozen=True)
class Prices:
    """What the parts of a crawl cost a rank.

    Attributes:
        page_ms: CPU of a page without the link exchange, in ms; ``is_measured`` in the session, or assumed.
        url_us: CPU of a URL that goes from one rank to another, in us, of both ranks together; assumed.
        network_mbit: what a rank's network carries, in Mbit/s; as it was asked for.
        connections: so many requests are under way at once, so that each takes its share of the time it was recorded
            to take; None where no times were recorded, and they are left out.
    """

    page_ms: float
    is_measured: bool
    url_us: float = URL_US
    network_mbit: float = NETWORK_MBIT
    connections: int | None = None

    @property
    def byte_ms(self) -> float:
        """How long a byte takes on a rank's network, in ms."""
        return 8 / (self.network_mbit * 1e6) * _MS

    def lines(self) -> list[str]:
        """What is reckoned with, and where it is from."""
        where = "measured in this session" if self.is_measured else "assumed: this session did not measure it"
        asked = (
            "the times of requests, which were not recorded, are left out"
            if self.connections is None
            else f"a request holds one of {self.connections:,} connections as long as it was recorded to take"
        )
        return [
            f"a page takes {self.page_ms:.3f} ms of CPU ({where}), a URL to another rank {self.url_us:g} us (assumed)",
            f"the network of a rank carries {self.network_mbit:g} Mbit/s (--network); {asked}",
        ]


def prices_of(recording: Recording, network_mbit: float = NETWORK_MBIT) -> Prices:
    """The prices of a session's pages, as far as it has measured them."""
    reports = [] if recording.is_imported else recording.session.rank_reports()
    cpu = sum(sum(report["cpu"].values()) - report["cpu"].get(_EXCHANGE, 0.0) for report in reports)
    fetched = sum(report["fetched"] for report in reports)
    is_measured = bool(fetched) and cpu > 0
    configuration = recording.session.header["configuration"]
    connections = int(configuration.get("connections") or _CONNECTIONS)
    return Prices(
        page_ms=_MS * cpu / fetched if is_measured else PAGE_MS,
        is_measured=is_measured,
        network_mbit=network_mbit,
        connections=connections if recording.milliseconds.any() else None,
    )


@dataclass(frozen=True)
class Band:
    """A figure as several trials gave it: the least, the middle one, the most."""

    low: float
    middle: float
    high: float

    def holds(self, value: float) -> bool:
        """Is a value within the band?"""
        return self.low <= value <= self.high


def band_of(values: Iterable[float]) -> Band:
    """The band of at least one value."""
    found = sorted(values)
    return Band(found[0], float(np.median(found)), found[-1])


@dataclass(frozen=True)
class Handovers:
    """URLs that go between K ranks, each once from a rank: int64[K] by who sends, and by who receives them."""

    sent: Numbers
    received: Numbers

    @property
    def total(self) -> int:
        """All of them."""
        return int(self.sent.sum())


def handovers(recording: Recording, owners: Owners, ranks: int) -> Handovers:
    """What each rank sends and receives if every page is fetched by its owner, int32[U] of all the recording's URLs."""
    sources = np.repeat(owners[: recording.page_count].astype(np.int64), np.diff(recording.starts))
    targets = recording.targets
    crosses = recording.is_followed & (sources != owners[targets])
    pairs = np.unique(sources[crosses] * len(recording) + targets[crosses])
    senders, urls = np.divmod(pairs, len(recording))
    return Handovers(np.bincount(senders, minlength=ranks), np.bincount(owners[urls], minlength=ranks))


@dataclass(frozen=True)
class Cost:
    """What a crawl costs.

    Attributes:
        page_ms: milliseconds for which the slowest rank is busy, for each page of a rank's even share: what a page
            costs, so to speak, if all ranks wait for the slowest.  So crawls of different sizes can be compared.
        storage_imbalance, requests_imbalance: max / mean - 1 over the ranks.
        wire_bytes: bytes on the wire for each page.
    """

    page_ms: float
    storage_imbalance: float
    requests_imbalance: float
    wire_bytes: float

    def seconds(self, pages: int, ranks: int) -> float:
        """How long the slowest of so many ranks is busy in a crawl of so many pages."""
        return self.page_ms / _MS * pages / ranks


def cost_of(
    recording: Recording, owners: Owners, given: Handovers, wire_bytes: float, prices: Prices, weights: Floats
) -> Cost:
    """What it costs to fetch each page as often as ``weights`` float64[n] say, and to hand over URLs.

    ``owners`` int32[U] are those of all the recording's URLs; ``wire_bytes`` is what a URL takes on the wire.  Handed
    over are as many URLs a page as in the recording.
    """
    ranks, pages = len(given.sent), recording.page_count
    of_page = owners[:pages]
    requests, storage = (np.bincount(of_page, weights * load, ranks) for load in (np.ones(pages), recording.bytes))
    urls = (given.sent + given.received) * (weights.sum() / pages)
    milliseconds = (
        requests * prices.page_ms
        + storage * prices.byte_ms
        + urls * (prices.url_us / _MS / 2 + wire_bytes * prices.byte_ms)
    )
    if prices.connections is not None:
        milliseconds += np.bincount(of_page, weights * recording.milliseconds, ranks) / prices.connections
    return Cost(
        float(milliseconds.max()) * ranks / float(weights.sum()),
        _over_mean(float(storage.max()), float(storage.mean())),
        _over_mean(float(requests.max()), float(requests.mean())),
        given.total * wire_bytes / pages,
    )


def _over_mean(most: float, mean: float) -> float:
    return most / mean - 1 if mean > 0 else 0.0
