"""A workbench on its own: that of the only rank, with a gatekeeper of servers, and one of sites as a test wants it."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from mpi4py import MPI

from crawler.fetching.message_dispatch import MessageDispatch
from crawler.fetching.workbench import Workbench
from crawler.network.web import Endpoint
from crawler.politeness.backlogs import Backlogs
from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Ask, Facts, Forget, Forgotten
from crawler.politeness.page_caps import Caps, PageCaps
from crawler.politeness.robots.rules import ALLOW_ALL
from crawler.politeness.server_gatekeeper import ServerGatekeeper
from crawler.politeness.site import Site
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from sessions.url import site_of
from tests.crawler.support.batches import batch_of
from tests.crawler.support.site_memory import site_facts

A_LONG_TIME = 1e6


class Questions:
    """Stands for the gatekeeper of sites: keeps the questions in ``open``, and what ranks confirmed in ``left``.

    If ``address_of`` is given, it answers at once that a site is where that says, and that everything is allowed there.
    """

    def __init__(self, mailbox: Mailbox, by_address: bool, address_of: Callable[[str], str] | None) -> None:
        self._mailbox = mailbox
        self._by_address = by_address
        self._address_of = address_of
        self._rested: dict[str, float] = {}
        self.open: dict[Ask, None] = {}
        self.left: list[Forgotten] = []

    def asked(self, rank: int, ask: Ask, now: float) -> None:
        """As `SiteGatekeeper.asked`."""
        self.open[ask] = None
        if self._address_of is not None:
            self.answer(ask, self._address_of(site_of(f"{ask.origin}/")), now)

    def forgotten(self, rank: int, message: Forgotten, now: float) -> None:
        """As `SiteGatekeeper.forgotten`."""
        self.left.append(message)
        self._rested[message.site] = now + message.rest

    def wake(self, now: float) -> None:
        """There are no errands to run later."""

    def next_time(self) -> float | None:
        """There are no errands to run later."""
        return None

    def gate(self, site: str, ip: str) -> str:
        """Under which key a site at this address is scheduled."""
        return ip if self._by_address else site

    def answer(self, ask: Ask, ip: str, now: float, seconds: float = A_LONG_TIME) -> None:
        """Say where a site is, and if that was asked, that its robots.txt allows everything."""
        del self.open[ask]
        site = site_of(f"{ask.origin}/")
        rest = max(0.0, self._rested.get(site, 0.0) - now)
        rules = ALLOW_ALL if ask.robots else None
        facts = Facts(ask.origin, self.gate(site, ip), Endpoint(ip, 80), rules, seconds=seconds, rest=rest)
        self._mailbox.send(0, facts)

    def refuse(self, origin: str, error: str) -> None:
        """Say that an origin has no address that may be connected to."""
        for ask in [ask for ask in self.open if ask.origin == origin]:
            del self.open[ask]
            self._mailbox.send(0, Facts(origin, error=error))

    def move(self, site: str) -> None:
        """Say that the address of a site changes."""
        self._mailbox.send(0, Forget(site))


class Desk:
    """The workbench is ``bench``, the time ``now`` in seconds.  Close it, or MPI runs out of communicators."""

    def __init__(
        self,
        folder: Path,
        *,
        server_delay: float = 0.0,
        capacity: int = 64,
        now: float = 0.0,
        address_of: Callable[[str], str] | None = None,
        memory: int = 8,
        most_sites: int = 32,
    ) -> None:
        self.now = now
        self._mailbox = Mailbox(MPI.COMM_SELF)
        parked = Backlogs(folder, memory)
        self.leases = Leases(self._mailbox, server_delay=server_delay)
        self.bench = Workbench(
            parked,
            self._mailbox,
            self.leases,
            lambda: self.now,
            capacity=capacity,
            known=site_facts(),
            most_sites=most_sites,
        )
        self.servers = ServerGatekeeper(self._mailbox, server_delay=server_delay)
        self.questions = Questions(self._mailbox, server_delay > 0, address_of)
        sites, caps = cast(SiteGatekeeper, self.questions), CapGatekeeper(self._mailbox, Caps(PageCaps()))
        self._mail = MessageDispatch(self._mailbox, self.bench.answers, self.leases, sites, self.servers, caps)

    def close(self) -> None:
        """Free what MPI has given."""
        self._mailbox.close()

    def put(self, *urls: str) -> None:
        """Put URLs on the workbench."""
        self.bench.supply.put(batch_of(urls))
        self.carry()

    def carry(self) -> None:
        """Let everybody say what there is to say."""
        self._mail.carry(lambda: self.now)

    def pick(self, now: float | None = None) -> Site | None:
        """A site that may be visited now, or None."""
        self.now = self.now if now is None else now
        self.carry()
        return self.bench.picker.pick(self.now)

    def picked(self, now: float | None = None) -> Site:
        """A site that may be visited now."""
        site = self.pick(now)
        assert site is not None
        return site

    def release(self, site: Site, now: float | None = None, *, rest: float = 0.0, server_rest: float = 0.0) -> None:
        """Give a site back."""
        self.now = self.now if now is None else now
        self.bench.picker.release(site, self.now, rest=rest, server_rest=server_rest)
        self.carry()
