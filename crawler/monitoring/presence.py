"""Gives a rank's signs of life while it crawls, and names the ranks that others wait for in vain.

If no rank is to blame, all wait for each other and no meeting ends, then the network is, and the hosts are named.

A thread beside the rank's loop does both, since the loop may be deep in a collective of MPI.  A rank looks at others
only while it has to wait for them.  It looks at those before it first: the first rank that lives and waits, too, reads
the signs of all and tells; the others leave it to that one, so that K ranks do not read K files each.

Reads the clock: who is silent is found by how long nothing has changed, which is no time of the crawl.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from crawler.monitoring.events import say
from crawler.monitoring.signs_of_life import Sign, begin_signs, end_sign, read_sign, write_sign
from crawler.monitoring.silence import Listener, Silence, Standstill
from crawler.process.attendance import Attendance
from crawler.process.process_tree import process_tree
from crawler.process.shared_memory import shared_memory_of

_LEAST_SECONDS = 1.0
_WRITES_A_SECOND = 50
"""In a session's folder, by all ranks together."""
_BEATS, _SUPERSTEPS = 5, 10
"""After so many signs that did not come, or supersteps if these are longer, a rank is silent."""
_BEATS_TO_WAIT = 2


def seconds_between_signs(ranks: int, superstep: float) -> float:
    """How often each of so many ranks gives a sign if a superstep takes so many seconds."""
    return max(min(superstep, _LEAST_SECONDS), ranks / _WRITES_A_SECOND)


def patience_with(ranks: int, superstep: float) -> float:
    """After how many seconds without a sign one of so many ranks is silent."""
    return max(_BEATS * seconds_between_signs(ranks, superstep), _SUPERSTEPS * superstep)


class Presence:
    """The presence of ``rank``, one of ``ranks``, in a run of a session; a superstep takes so many seconds.

    ``tell`` prints a line for people.  ``silences`` are the ranks that are silent, as far as this rank has to know;
    ``standstill`` is that of all, if there is none; ``missed`` is for how many seconds the most silent one is, or all
    stand still, as far as this rank knows.  ``listened`` is when it last looked.
    """

    def __init__(
        self,
        session: Path,
        run: str,
        rank: int,
        ranks: int,
        superstep: float,
        attendance: Attendance,
        tell: Callable[[str], None],
    ) -> None:
        self._session = session
        self._run = run
        self._rank = rank
        self._ranks = ranks
        self._attendance = attendance
        self._tell = tell
        self._interval = seconds_between_signs(ranks, superstep)
        self._patience = patience_with(ranks, superstep)
        self._listener = Listener(self._patience)
        self._sign = Sign(
            os.uname().nodename, process=process_tree(os.getpid())[0], shared=shared_memory_of(os.getpid())
        )
        self._position: object = None
        self._told: dict[int, Silence] = {}
        self._told_still = 0.0
        self.silences: list[Silence] = []
        self.standstill: Standstill | None = None
        self.missed = 0.0
        self.listened = monotonic()

    @contextmanager
    def given(self) -> Iterator[None]:
        """Within it the rank's signs are given, and others' silence is told."""
        if self._rank == 0:
            begin_signs(self._session, self._run)
        self.beat()
        ended = Event()
        thread = Thread(target=self._give, args=(ended,), daemon=True)
        if self._ranks > 1:  # else nobody waits for it
            thread.start()
        try:
            yield
        finally:
            ended.set()
            if self._ranks > 1:
                thread.join(self._interval)  # a disk that does not answer would keep it
            end_sign(self._session, self._run, self._rank)

    def _give(self, ended: Event) -> None:
        while not ended.wait(self._interval):
            self.beat()
            self.listen(monotonic())

    def beat(self) -> None:
        """Give a sign of life."""
        attendance, before = self._attendance, self._sign
        position = attendance.position
        self._sign = before._replace(
            beat=before.beat + 1,
            moves=before.moves + (position != self._position),
            meetings=attendance.meetings,
            waits=attendance.is_blocked,
            stage=attendance.stage,
            silence=self.missed,
            has_come=attendance.waits_since is not None,
        )
        self._position = position
        write_sign(self._session, self._run, self._rank, self._sign)

    def listen(self, now: float) -> None:
        """Look after the others, if they are waited for."""
        since = self._attendance.waits_since
        if since is None or now - since < _BEATS_TO_WAIT * self._interval:
            self._forget()
        elif (first := self._first_before(now)) is not None:
            self.missed, self.silences, self.standstill = first.silence, [], None
            self._tell_of_returns(rank for rank in range(self._rank) if self._listener.silence_of(rank, now) is None)
        else:
            for rank in range(self._rank + 1, self._ranks):
                self._listener.hear(rank, read_sign(self._session, self._run, rank), now)
            before, self.standstill = self.standstill, self._standstill(since, now)
            self.silences = self._listener.silences(now)
            self.missed = max((found.seconds for found in (*self.silences, self.standstill) if found), default=0.0)
            self._tell_of_silent()
            self._tell_of_standstill(before)
        self.listened = now

    def _first_before(self, now: float) -> Sign | None:
        """The sign of the first rank before this one that is not silent; None if all are, or there is none."""
        for rank in range(self._rank):
            sign = read_sign(self._session, self._run, rank)
            self._listener.hear(rank, sign, now)
            if self._listener.silence_of(rank, now) is None:
                return sign or Sign("")
        return None

    def _tell_of_silent(self) -> None:
        """Tell of each rank when it is silent first, and whenever that is twice as long ago."""
        for silence in self.silences:
            told = self._told.get(silence.rank)
            if told is None or silence.seconds >= 2 * told.seconds:
                self._told[silence.rank] = silence
                self._tell(f"{silence.words}; others wait for it")
                say(
                    "rank silent",
                    silent=silence.rank,
                    host=silence.host,
                    seconds=round(silence.seconds, 1),
                    lives=silence.lives,
                    stage=silence.stage,
                )
        self._tell_of_returns(self._told.keys() - {silence.rank for silence in self.silences})

    def _standstill(self, since: float, now: float) -> Standstill | None:
        """That of this rank, which has waited since then, and of all others; None if it is none.

        If a rank before this one were not silent, that one would tell.
        """
        others = self._listener.standstill(now)
        if others is None or now - since < self._patience:
            return None
        return Standstill(tuple(dict.fromkeys((self._sign.host, *others.hosts))), min(now - since, others.seconds))

    def _tell_of_standstill(self, before: Standstill | None) -> None:
        """Tell of it when it begins, and whenever that is twice as long ago."""
        if (still := self.standstill) is None:
            return
        if before is None or still.seconds >= 2 * self._told_still:
            self._told_still = still.seconds
            self._tell(still.words)
            say("standstill", hosts=list(still.hosts), seconds=round(still.seconds, 1))

    def _tell_of_returns(self, ranks: Iterable[int]) -> None:
        for rank in sorted(ranks):
            if (silence := self._told.pop(rank, None)) is not None:
                self._tell(f"rank {silence.rank} on {silence.host} is back")
                say("rank back", silent=silence.rank, host=silence.host)

    def _forget(self) -> None:
        """All have come."""
        self._tell_of_returns(list(self._told))
        self._listener.forget()
        self.silences, self.standstill, self.missed = [], None, 0.0
