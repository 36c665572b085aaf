"""Where the ranks of a simulation meet at the end of a superstep, those to which nothing has come excepted."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from crawler.exchange.link_exchange import NOTHING_SENT, Sending, sending_of
from crawler.exchange.verdict import EndConditions, Status, Verdict, judge
from crawler.exchange.wire_format import Wire
from crawler.replay.course import Messages
from crawler.replay.simulation.joint_links import JointLinks, Settled
from crawler.replay.simulation.seat import NOTHING_SWAPPED, Occasion, Seat, Swapped
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.outgoing import Outgoing
from sessions.hash_arrays import are_first


class Meetings:
    """The meetings of ``seats``, one after the other; ``states`` are those that the ranks said last, by rank, in the
    last of ``count`` meetings for that.

    There ``links`` are settled for all; if they are None, each rank settles its own, and says what it sends.  Unless
    ranks ``may_sleep``, which takes such links, all take part in each.  ``wake`` lets a rank that sleeps go on, until
    it comes.
    """

    def __init__(self, links: JointLinks | None, *, may_sleep: bool) -> None:
        self.wire = Wire()
        self.seats: Sequence[Seat] = ()
        self.states: list[Status] = []
        self.count = 0
        self._links = links
        self._verdict: Verdict | None = None
        self._may_sleep = may_sleep
        self._here: list[Seat] = []

    def come(self, seat: Seat) -> None:
        """A rank has come to the next meeting."""
        self._here.append(seat)

    def verdict(self, conditions: EndConditions) -> Verdict:
        """What all ranks make of the last states, for they have the same conditions."""
        if self._verdict is None:
            self._verdict = judge(self.states, conditions)
        return self._verdict

    def hold(self, wake: Callable[[Seat], None]) -> None:
        """Hold one meeting after the other as long as somebody comes."""
        while self._here:
            occasion = self._here[0].occasion
            if occasion is Occasion.SWAP:
                self._swap(wake)
            elif occasion is Occasion.STATES:
                self._take_states()
            else:
                self._hear_all(wake)
            here, self._here = self._here, []
            assert all(seat.occasion is occasion for seat in here), "ranks meet for the same"
            for seat in here:
                seat.go_on()

    def _swap(self, wake: Callable[[Seat], None]) -> None:
        if self._links is None:
            self._carry()
            return
        for seat in self._here:
            seat.told = NOTHING_SWAPPED
        settled = self._links.settle(self.count)
        if settled is not None:
            self._deliver(settled, wake)

    def _carry(self) -> None:
        """Have ranks, all of which are here, tell each other what they say."""
        senders = [seat for seat in self.seats if len(seat.told)]
        sent = [seat.told for seat in senders]
        for seat in self.seats:
            seat.told = NOTHING_SWAPPED
        if not senders:
            return
        # All at once, since most of what a rank has for another is short.
        together = _together(sent)
        weights, batch = self.wire.weigh_and_arrange(together.batch, together.bounds)
        received = _by_receiver(batch, together)
        for rank, (start, stop) in zip(received.receivers, pairwise(received.bounds), strict=True):
            self.seats[rank].told = Swapped(NOTHING_SENT, received.batch.between(start, stop))
        self._say_sent(senders, [len(outgoing.receivers) for outgoing in sent], sending_of(together, weights))

    def _deliver(self, settled: Settled, wake: Callable[[Seat], None]) -> None:
        """Give ranks what is news to them of what others send them."""
        for rank, delivery in settled.deliveries.items():
            seat = self.seats[rank]
            self._let_pass(seat, delivery.urls - len(delivery.news))
            if len(delivery.news):
                if not seat.is_awake:
                    wake(seat)
                seat.told = Swapped(NOTHING_SENT, delivery.news)
        messages = settled.messages
        starts = np.flatnonzero(are_first(messages.sender))
        counts = np.diff(starts, append=len(messages)).tolist()
        self._say_sent([self.seats[rank] for rank in messages.sender[starts].tolist()], counts, _sending_in(messages))

    def _say_sent(self, senders: Sequence[Seat], counts: Sequence[int], sending: Sending) -> None:
        """Tell senders what they sent, each so many messages, which stand one after the other."""
        bounds = accumulate(counts, initial=0)
        for seat, (start, stop) in zip(senders, pairwise(bounds), strict=True):
            seat.told = seat.told._replace(sent=sending.between(start, stop))

    def _let_pass(self, seat: Seat, urls: int) -> None:
        """A rank would not change for so many URLs that it receives."""
        seat.unheard_urls += urls
        if not seat.is_awake:
            state = self.states[seat.rank]
            self.states[seat.rank] = state._replace(received=state.received + urls)

    def _take_states(self) -> None:
        states = list(self.states) or [seat.told for seat in self.seats]
        for seat in self._here:
            states[seat.rank] = seat.told
            seat.told = states
        self.states = states
        self._verdict = None
        self.count += 1
        may_sleep = self._may_sleep and not any(state.undelivered for state in states)
        for seat in self.seats:
            seat.is_awake = not (may_sleep and seat.rank)

    def _hear_all(self, wake: Callable[[Seat], None]) -> None:
        here = {seat.rank for seat in self._here}
        for seat in self.seats:
            if seat.rank not in here:
                seat.is_late = True
                wake(seat)
        said = [seat.told for seat in self.seats]
        for seat in self.seats:
            seat.told = said


def _sending_in(messages: Messages) -> Sending:
    receivers = messages.receiver.astype(np.uint16)
    return Sending(receivers, messages.urls, messages.numbers, messages.bytes, messages.wire_bytes)


def _together(sent: Sequence[Outgoing]) -> Outgoing:
    """What ranks send, one after the other."""
    sizes = [stop - start for outgoing in sent for start, stop in pairwise(outgoing.bounds)]
    receivers = [rank for outgoing in sent for rank in outgoing.receivers]
    return Outgoing(joined([outgoing.batch for outgoing in sent]), receivers, [0, *accumulate(sizes)])


def _by_receiver(batch: UrlBatch, sent: Outgoing) -> Outgoing:
    """What ranks send, a batch in the order of ``sent``, for each receiver together."""
    receivers = np.repeat(sent.receivers, np.diff(sent.bounds))
    order = np.argsort(receivers, kind="stable")
    starts = np.flatnonzero(are_first(receivers[order]))
    return Outgoing(batch.take(order), receivers[order[starts]].tolist(), [*starts.tolist(), len(batch)])
