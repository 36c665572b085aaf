"""A farm of hosts on one server beside sites on servers of their own, visited under a clock that is made up.

Workbench, agenda and gatekeeper of servers are the real ones; the frontier is a plain queue, first found first visited,
and answers take no time but their own.  Each page of the farm leads to more hosts of the farm, as long as there are
any; each page of another site leads to one more page of that site, so that it always has something to fetch.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path

from crawler.politeness.site import Site
from tests.crawler.support.batches import batch_of
from tests.crawler.support.single_rank_workbench import Desk

FARM_SERVER = "192.0.2.1"
ANSWER_SECONDS = 0.001
_BATCH = 1024


@dataclass
class FarmRace:
    """``hosts`` of the farm have ``urls`` together, of which ``queued`` stand before the ``others`` in the frontier.

    ``domains`` is how many pay-level domains these hosts are spread over.  Times in seconds.
    """

    folder: Path
    hosts: int
    urls: int
    queued: int
    others: int = 25
    domains: int = 1
    links: int = 120
    site_delay: float = 0.05
    server_delay: float = 0.01
    connections: int = 64
    capacity: int = 1 << 14
    visits: dict[str, int] = field(default_factory=dict)
    longest_wait: float = 0.0
    most_sites: int = 0
    most_waiting: int = 0
    most_asked_at_once: int = 0

    def __post_init__(self) -> None:
        self.desk = Desk(
            self.folder,
            server_delay=self.server_delay,
            capacity=self.capacity,
            address_of=self._address_of,
            memory=1 << 24,
        )
        self.frontier: deque[str] = deque()
        self._farm = self._farm_urls()
        self._ready_since = dict.fromkeys((f"www.other{number}.example" for number in range(self.others)), 0.0)
        self._numbers = dict.fromkeys(self._ready_since, 0)
        self._coming: list[tuple[float, int, Site]] = []
        self._made = 0
        self.frontier.extend(islice(self._farm, self.queued))
        for name in self._ready_since:
            self._find(name)

    def run(self, seconds: float) -> None:
        """Visit until so many seconds have gone by."""
        until = self.desk.now + seconds
        while self.desk.now < until:
            self._hand_over()
            while len(self._coming) < self.connections and self._start():
                pass
            self._count()
            if len(self._coming) < self.connections:
                self.desk.bench.supply.unpark()
                self.desk.carry()
                while len(self._coming) < self.connections and self._start():
                    pass
                if getattr(self.desk.bench, "looks_further", False):
                    continue
            self._wait(until)

    def close(self) -> None:
        """Free what MPI has given."""
        for name, since in self._ready_since.items():
            if since < self.desk.now:
                self.longest_wait = max(self.longest_wait, self.desk.now - since)
                self.visits.setdefault(name, 0)
        self.desk.close()

    @property
    def visits_of_farm(self) -> int:
        """Visits to hosts of the farm."""
        return sum(count for name, count in self.visits.items() if name not in self._numbers)

    @property
    def visits_of_others(self) -> int:
        """Visits to the other sites."""
        return sum(count for name, count in self.visits.items() if name in self._numbers)

    def _farm_urls(self) -> Iterator[str]:
        for number in range(self.urls):
            host = number % self.hosts
            yield f"http://h{host}.farm{host % self.domains}.example/{number // self.hosts}"

    def _address_of(self, site: str) -> str:
        return FARM_SERVER if ".farm" in site else f"198.51.100.{1 + list(self._numbers).index(site)}"

    def _find(self, name: str) -> None:
        self.frontier.append(f"http://{name}/{self._numbers[name]}")
        self._numbers[name] += 1

    def _hand_over(self) -> None:
        while self.frontier and self.desk.bench.supply.room >= _BATCH:
            count = min(_BATCH, len(self.frontier))
            self.desk.bench.supply.put(batch_of([self.frontier.popleft() for _ in range(count)]))
            self.most_asked_at_once = max(self.most_asked_at_once, len(self.desk.questions.open))
            self.desk.carry()

    def _start(self) -> bool:
        site = self.desk.pick()
        if site is None:
            return False
        if self.desk.bench.picker.next_entry(site) is None:
            self.desk.release(site)
            return True
        if site.name in self._ready_since:
            self.longest_wait = max(self.longest_wait, self.desk.now - self._ready_since[site.name])
        self.visits[site.name] = self.visits.get(site.name, 0) + 1
        self._made += 1
        heappush(self._coming, (self.desk.now + ANSWER_SECONDS, self._made, site))
        return True

    def _wait(self, until: float) -> None:
        times = [until, *(came for came, *_ in self._coming[:1])]
        release = self.desk.bench.picker.next_release()
        if release is not None and len(self._coming) < self.connections:
            times.append(max(release, self.desk.now))
        self.desk.now = min(times)
        while self._coming and self._coming[0][0] <= self.desk.now:
            site = heappop(self._coming)[2]
            if site.name in self._numbers:
                self._find(site.name)
                self._ready_since[site.name] = self.desk.now + self.site_delay
            else:
                self.frontier.extend(islice(self._farm, self.links))
            self.desk.release(site, rest=self.site_delay, server_rest=self.server_delay)

    def _count(self) -> None:
        sites = self.desk.bench.sites
        self.most_sites = max(self.most_sites, len(sites))
        self.most_waiting = max(self.most_waiting, self.desk.bench.room.waiting)
