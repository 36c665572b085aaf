"""Where the ranks of a simulation meet at the end of a superstep, those to which nothing has come excepted."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from crawler.exchange.verdict import EndConditions, Status, Verdict, judge
from crawler.exchange.wire_format import Wire
from crawler.replay.simulation.seat import Occasion, Seat, Swapped
from crawler.urls.batch import UrlBatch


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
        received: dict[int, dict[int, UrlBatch]] = defaultdict(dict)
        for seat in self._here:  # which grows while ranks are woken
            for receiver, _ in seat.told:
                if not self.seats[receiver].is_awake:
                    wake(self.seats[receiver])
        # All at once, since most are short.
        encoded = iter(self.wire.encode_all([batch for seat in self._here for _, batch in seat.told]))
        for seat in self._here:
            sent = []
            for receiver, batch in seat.told:
                payload, numbers = next(encoded)
                received[receiver][seat.rank] = batch if self.wire.keeps_order else self.wire.decode(payload)
                sent.append((payload, numbers))
            seat.told = Swapped(sent, received[seat.rank])

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
