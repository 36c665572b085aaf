"""The link exchange of ranks that are in one process."""

from typing import Any, cast

import numpy as np

from crawler.exchange.link_exchange import LinkExchange, Sending
from crawler.exchange.verdict import EndConditions, Status, Verdict
from crawler.exchange.wire_format import Counts, Wire
from crawler.replay.course import Messages
from crawler.replay.simulation.meetings import Meetings
from crawler.replay.simulation.seat import Seat
from crawler.urls.batch import UrlBatch
from crawler.urls.outgoing import Outgoing


class JointExchange(LinkExchange):
    """A rank's end of the exchange, which meets the others where its seat does."""

    def __init__(self, seat: Seat, meetings: Meetings, wire: Wire) -> None:
        super().__init__(cast(Any, seat), wire)
        self._meetings = meetings
        meetings.wire = wire
        self._seat = seat

    def swap(self, outgoing: Outgoing) -> list[UrlBatch]:
        """Send each rank its URLs, and return what came and is news; the meetings keep account of what was sent."""
        return self._seat.swap(outgoing)

    def count(self, messages: Messages) -> None:
        """Count what this rank has sent, of all messages of all ranks."""
        is_mine = messages.sender == self.rank
        columns = (messages.urls, messages.numbers, messages.bytes, messages.wire_bytes)
        receivers = messages.receiver[is_mine].astype(np.uint16)
        self._count(Sending(receivers, *(column[is_mine] for column in columns)))

    def usage(self) -> tuple[int, int]:
        """None: what the process takes is of all ranks together."""
        return 0, 0

    def states(self, mine: Status) -> list[Status]:
        """The states of all ranks, by rank."""
        return self._seat.states(mine)

    def agree(self, mine: Status, conditions: EndConditions) -> tuple[list[Status], Verdict]:
        """The states of all ranks, and the verdict, which is reached once for all."""
        states = self._seat.states(mine)
        return states, self._meetings.verdict(conditions)

    def gather(self, report: Any) -> list[Any] | None:
        """Nobody has a session to commit, for which alone the reports are gathered."""
        return None

    def tell_all(self, words: Any) -> Any:
        """What rank 0 says."""
        return self._seat.tell(words)[0]

    def sums(self, mine: Counts) -> tuple[Counts, Counts]:
        """The sums of an array over all ranks, and over those before this one."""
        table = np.stack(self._seat.tell(mine))
        return table.sum(axis=0), table[: self.rank].sum(axis=0)

    def _all_to_all(self, payloads: list[bytes]) -> tuple[list[memoryview], int]:
        table = self._seat.tell(payloads)
        return [memoryview(row[self.rank]) for row in table], max(len(payload) for row in table for payload in row)
