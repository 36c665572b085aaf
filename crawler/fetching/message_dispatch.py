"""What a rank does about the messages it gets: each goes to the part of politeness that it is for."""

from collections.abc import Callable

from crawler.fetching.gatekeeper_answers import GatekeeperAnswers
from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.leases import Leases
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import (
    Allowance,
    Ask,
    AskCrawlDelay,
    CrawlDelay,
    Facts,
    Forget,
    Forgotten,
    HopWaits,
    Lease,
    Message,
    Recall,
    Return,
    Spend,
    Spent,
    Turn,
    Unreached,
    Want,
)
from crawler.politeness.server_gatekeeper import ServerGatekeeper
from crawler.politeness.site_gatekeeper import SiteGatekeeper
from crawler.politeness.soonest import soonest

_SHORTEST_POLL_SECONDS = 0.001
_LONGEST_POLL_SECONDS = 0.008
_LOOKS_SHARE = 1 / 8
"""An answer is noticed so late at most, as a share of how long there was none: who waits long looks seldom."""
_NEVER = float("inf")


class MessageDispatch:
    """Carries messages between this rank's workbench and the gatekeepers, its own and those of other ranks."""

    def __init__(
        self,
        mailbox: Mailbox,
        answers: GatekeeperAnswers,
        leases: Leases,
        sites: SiteGatekeeper,
        servers: ServerGatekeeper,
        caps: CapGatekeeper,
    ) -> None:
        self._mailbox = mailbox
        self._answers = answers
        self._leases = leases
        self._sites = sites
        self._servers = servers
        self._caps = caps
        self._last_mail = float("-inf")

    def carry(self, clock: Callable[[], float]) -> None:
        """Do all that is due by now, and all that follows from it.  Never blocks.

        ``clock`` is read for every message: what has come while others were dealt with counts from then.
        """
        now = clock()
        self._sites.wake(now)
        self._leases.give_back_in_time(now)
        self._servers.give_out(now)
        while (item := self._mailbox.next()) is not None:
            sender, message = item
            now = clock()
            if sender != self._mailbox.rank:
                self._last_mail = now
            self._deliver(sender, message, now)
            if not self._mailbox.has_mail:
                self._servers.give_out(now)
        self._mailbox.dispatch()

    def next_event(self, now: float) -> float:
        """When there is next something to do; while others may write, soon."""
        if not self._mailbox.is_idle:
            return now
        due = soonest(self.next_due(), self._leases.next_end())
        event = due if due is not None else _NEVER
        if self._mailbox.ranks == 1 or not self._mailbox.is_polled:
            return event
        poll = min(max(_SHORTEST_POLL_SECONDS, (now - self._last_mail) * _LOOKS_SHARE), _LONGEST_POLL_SECONDS)
        return min(event, now + poll)

    def next_due(self) -> float | None:
        """When a gatekeeper here has something to give out or to have fetched; None if it waits for nothing."""
        return soonest(self._sites.next_time(), self._servers.next_time())

    def _deliver(self, sender: int, message: Message, now: float) -> None:
        match message:
            case Want():
                self._servers.wanted(sender, message, now)
            case Return():
                self._servers.returned(sender, message, now)
            case Turn():
                self._leases.turn_given(message, now)
            case Lease():
                self._leases.lease_given(message, now)
            case Recall():
                self._leases.recalled(message, now)
            case Ask():
                self._sites.asked(sender, message, now)
            case Facts():
                self._answers.known(message, now)
            case Spend():
                self._caps.asked(sender, message)
            case Spent():
                self._caps.spent(message)
            case Allowance():
                self._answers.allowed(message)
            case AskCrawlDelay():
                self._sites.asked_for_delay(sender, message, now)
            case CrawlDelay():
                self._sites.delay_told(message, now)
            case HopWaits():
                self._sites.hop_waits(message, now)
            case Unreached():
                self._sites.unreached(message, now)
            case Forget():
                self._answers.forget(message, now)
            case Forgotten():
                self._sites.forgotten(sender, message, now)
