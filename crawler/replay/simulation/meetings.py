"""Where the ranks of a simulation meet at the end of a superstep, but for those to which nothing is said."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np

from crawler.exchange.link_exchange import sending_of
from crawler.exchange.verdict import EndConditions, Status, Verdict, judge
from crawler.exchange.wire_format import Weights, Wire
from crawler.replay.course import Messages, joined_messages
from crawler.replay.simulation.joint_links import JointLinks
from crawler.replay.simulation.seat import Occasion, Seat
from crawler.urls.batch import UrlBatch, joined
from crawler.urls.outgoing import Outgoing
from sessions.hash_arrays import are_first


class Meetings:
    """The meetings of ``seats``, one after the other; ``states`` are those that the ranks said last, by rank, in the
    last of ``count`` meetings for that.

    There ``links`` are settled for all; if they are None, each rank settles its own, and says what it sends.  If ranks
    ``may_be_away``, only those come to whom something is said, and rank 0; or, if they settle by themselves, those that
    have done something.  ``wake`` lets a rank that is away go on, until it comes.
    """

    def __init__(self, links: JointLinks | None, *, may_be_away: bool) -> None:
        self.wire = Wire()
        self.seats: Sequence[Seat] = ()
        self.states: list[Status] = []
        self.count = 0
        self._links = links
        self._messages: list[Messages] = []
        self._verdict: Verdict | None = None
        self._may_be_away = may_be_away
        self._here: list[Seat] = []

    def come(self, seat: Seat) -> None:
        """A rank has come to the next meeting."""
        self._here.append(seat)

    def has_to_come(self, seat: Seat) -> bool:
        """Does a rank take part in the next meeting, whatever is said there?"""
        comes_awake = self._links is None or not self._may_be_away
        return seat.is_awake and (comes_awake or seat.rank == 0)

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

    def messages(self) -> Messages:
        """What ranks have sent each other so far."""
        return self._links.messages() if self._links is not None else joined_messages(self._messages)

    def _swap(self, wake: Callable[[Seat], None]) -> None:
        received = self._carried() if self._links is None else self._links.settle(self.count)
        for seat in self._here:
            seat.told = []
        here = {seat.rank for seat in self._here}
        for rank, batches in received.items():
            seat = self.seats[rank]
            if rank not in here:
                wake(seat)
            seat.told = batches

    def _carried(self) -> dict[int, list[UrlBatch]]:
        """What ranks say to each other, by who hears it."""
        senders = sorted((seat for seat in self._here if len(seat.told)), key=lambda seat: seat.rank)
        if not senders:
            return {}
        # All at once, since most of what a rank has for another is short.
        together = _together([seat.told for seat in senders])
        weights, batch = self.wire.weigh_and_arrange(together.batch, together.bounds)
        counts = [len(seat.told.receivers) for seat in senders]
        self._messages.append(_messages(self.count, [seat.rank for seat in senders], counts, together, weights))
        received = _by_receiver(batch, together)
        parts = pairwise(received.bounds)
        return {rank: [received.batch.between(*part)] for rank, part in zip(received.receivers, parts, strict=True)}

    def _take_states(self) -> None:
        states = list(self.states) or [seat.look() for seat in self.seats]
        for seat in self._here:
            states[seat.rank] = seat.told
            seat.told = states
            seat.is_awake = False
        for seat in self.seats:
            if seat.is_awake:
                states[seat.rank] = seat.look()
        self.states = states
        self._verdict = None
        self.count += 1
        may_be_away = self._may_be_away and not any(state.undelivered for state in states)
        for seat in self.seats:
            seat.is_awake = not (may_be_away and seat.rank)

    def _hear_all(self, wake: Callable[[Seat], None]) -> None:
        here = {seat.rank for seat in self._here}
        for seat in self.seats:
            if seat.rank not in here:
                seat.is_late = True
                wake(seat)
        said = [seat.told for seat in self.seats]
        for seat in self.seats:
            seat.told = said


def _messages(
    superstep: int, senders: Sequence[int], counts: Sequence[int], sent: Outgoing, weights: Weights
) -> Messages:
    """What goes to each receiver, as messages; of each sender there are so many."""
    sending = sending_of(sent, weights)
    return Messages(
        np.full(len(sent.receivers), superstep, np.int32),
        np.repeat(senders, counts).astype(np.int32),
        sending.receivers.astype(np.int32),
        sending.urls,
        sending.numbers,
        sending.bytes,
        sending.wire_bytes,
    )


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
