"""The end of a superstep: what the ranks talk about beside URLs, what they agree on, and what follows of that here."""

from collections.abc import Sequence
from typing import TypedDict

from crawler.exchange.announcements import Announcements
from crawler.exchange.bandwidth_share import BandwidthShare, BandwidthState
from crawler.exchange.link_exchange import LinkExchange
from crawler.exchange.page_quota import Credits
from crawler.exchange.verdict import EndConditions, Status, Verdict
from crawler.network.web import Web
from crawler.process.stop_signals import StopSignal
from crawler.rank.operator_wishes import OperatorWishes
from crawler.rank.superstep_participant import SuperstepParticipant

_SENT = ("sent_urls", "sent_numbers", "sent_bytes", "wire_bytes", "messages")
"""The counters that the link exchange keeps."""


class ExchangeState(TypedDict):
    """What a rank's `Status` says of its messages, of bandwidth, and of what its user or operator wants."""

    sent: int
    received: int
    wire_bytes: int
    cpu_milliseconds: int
    memory_bytes: int
    is_stopping: int
    has_news: int
    host: int
    bandwidth_limit: int
    bandwidth_need: int
    bandwidth_lost: int
    network_bytes: int


class SuperstepExchange:
    """A rank's end of all that ranks do together.

    ``links`` is the link exchange.  ``participants`` come in each exchange once URLs were received, ``announcements``
    at its end.  ``credits`` are shared out anew in each, and so is ``bandwidth``, this rank's share in a limit.
    ``wishes`` are those of an operator; ``stop`` asks the rank to stop.
    """

    def __init__(
        self,
        links: LinkExchange,
        web: Web,
        conditions: EndConditions,
        credits: Credits,
        stop: StopSignal,
        *,
        participants: Sequence[SuperstepParticipant],
        announcements: Announcements,
        bandwidth: BandwidthShare | None,
        wishes: OperatorWishes | None,
    ) -> None:
        self.links = links
        self._web = web
        self._conditions = conditions
        self._credits = credits
        self._stop = stop
        self._participants = participants
        self._announcements = announcements
        self._bandwidth = bandwidth
        self._bandwidth_state = BandwidthState()
        self._wishes = wishes

    def settle(self) -> None:
        """Have the participants talk.  All ranks call this together."""
        for participant in self._participants:
            participant.settle(self.links)

    def state(self) -> ExchangeState:
        """What this rank says of itself."""
        milliseconds, memory = self.links.usage()
        if self._bandwidth is not None:
            self._bandwidth_state = self._bandwidth.state(self._web.now())
        bandwidth = self._bandwidth_state
        return {
            "sent": self.links.sent_urls,
            "received": self.links.received_urls,
            "wire_bytes": self.links.wire_bytes,
            "cpu_milliseconds": milliseconds,
            "memory_bytes": memory,
            "is_stopping": int(self._stop.is_set),
            "has_news": int(self.links.rank == 0 and self._announcements.look()),
            "host": bandwidth.host,
            "bandwidth_limit": bandwidth.bandwidth_limit,
            "bandwidth_need": bandwidth.bandwidth_need,
            "bandwidth_lost": bandwidth.bandwidth_lost,
            "network_bytes": bandwidth.network_bytes,
        }

    def agree(self, mine: Status) -> tuple[list[Status], Verdict]:
        """Return all ranks' states and their verdict, and take what follows of it for this rank.  Blocks."""
        states, verdict = self.links.agree(mine, self._conditions)
        self._hear(states)
        if self._bandwidth is not None:
            self._bandwidth.take(states, self.links.rank, self._web.now())
        self._credits.replace(verdict.credits[self.links.rank] if verdict.credits is not None else None)
        return states, verdict

    def states(self, mine: Status) -> list[Status]:
        """Return all ranks' states while the crawl pauses, in which there is nothing to agree on.  Blocks."""
        states = self.links.states(mine)
        self._hear(states)
        return states

    def superstep_ended(self, states: Sequence[Status]) -> None:
        """A superstep has ended with these states of all ranks."""
        if self._wishes is not None:
            self._wishes.look_at(states)

    @property
    def is_quiet(self) -> bool:
        """Does an operator want a pause, and is no transfer under way on any rank?"""
        return self._wishes is not None and self._wishes.is_quiet

    def report(self) -> dict[str, int]:
        """What the rank's report says of messages and of bytes received."""
        return {
            **{name: getattr(self.links, name) for name in _SENT},
            "order_bytes": sum(participant.wire_bytes for participant in self._participants),
            "network_bytes": self._bandwidth_state.network_bytes,
        }

    def close(self) -> None:
        """The crawl has ended."""
        for participant in self._participants:
            participant.close()

    def _hear(self, states: Sequence[Status]) -> None:
        if states[0].has_news:
            self._announcements.spread(self.links)
