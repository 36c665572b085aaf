"""Where the ranks of a simulation meet at the end of a superstep, those to which nothing has come excepted."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from crawler.discovery.known_ways import KnownWays, Ways
from crawler.exchange.link_exchange import NOTHING_SENT, sending_of
from crawler.exchange.verdict import EndConditions, Status, Verdict, judge
from crawler.exchange.wire_format import Wire
from crawler.replay.simulation.seat import NOTHING_SWAPPED, Occasion, Seat, Swapped
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.outgoing import Outgoing
from sessions.hash_arrays import are_first

_GIVEN_BYTES = 64 << 20
"""So many bytes remember which URLs were given to their owners."""


class Meetings:
    """The meetings of ``seats``, one after the other; ``states`` are those that the ranks said last, by rank, in the
    last of ``count`` meetings for that.

    Unless ranks ``may_sleep``, all take part in each.  ``wake`` lets a rank that sleeps go on, until it comes.
    """

    def __init__(self, *, may_sleep: bool) -> None:
        self.wire = Wire()
        self.seats: Sequence[Seat] = ()
        self.states: list[Status] = []
        self.count = 0
        self._given = KnownWays(_GIVEN_BYTES)
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
        senders = sorted((seat for seat in self._here if len(seat.told)), key=lambda seat: seat.rank)
        sent = [seat.told for seat in senders]
        for seat in self._here:
            seat.told = NOTHING_SWAPPED
        if not senders:
            return
        # All at once, since most of what a rank has for another is short.
        together = _together(sent)
        weights, batch = self.wire.weigh_and_arrange(together.batch, together.bounds)
        sending = sending_of(together, weights)
        self._hand_out(_by_receiver(batch, together), wake)
        first = 0
        for seat, outgoing in zip(senders, sent, strict=True):
            last = first + len(outgoing.receivers)
            seat.told = seat.told._replace(sent=sending.between(first, last))
            first = last

    def _hand_out(self, received: Outgoing, wake: Callable[[Seat], None]) -> None:
        """Give URLs to their receivers, but not those of which a receiver knows all that it was given before."""
        batch, bounds = received.batch, received.bounds
        ways = Ways(batch.hashes, batch.depths, batch.hops)
        is_news = ~self._given.are_covered(ways)
        news = np.add.reduceat(is_news, bounds[:-1], dtype=np.int64).tolist()
        for rank, (start, stop), count in zip(received.receivers, pairwise(bounds), news, strict=True):
            seat = self.seats[rank]
            if count or seat.forgets():
                self._give(seat, batch.between(start, stop), wake)
            else:
                self._let_pass(seat, stop - start)
        self._given.note(Ways._make(column[is_news] for column in ways))

    def _give(self, seat: Seat, batch: UrlBatch, wake: Callable[[Seat], None]) -> None:
        """Give URLs to their receiver, who is woken unless it knows them."""
        if not seat.is_awake and seat.knows(batch):
            self._let_pass(seat, len(batch))
            return
        if not seat.is_awake:
            wake(seat)
            assert not len(seat.told), "a rank to which nothing has come has nothing to say"
        seat.told = Swapped(NOTHING_SENT, batch)

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
