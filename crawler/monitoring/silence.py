"""Which ranks are silent, or whether all wait in vain: found by whoever reads their signs of life again and again.

Times are those of the reader alone, from the moment when it saw the last change.
"""

from dataclasses import dataclass
from typing import NamedTuple

from crawler.monitoring.progress_display import elapsed
from crawler.monitoring.signs_of_life import Sign

_MOST_HOSTS_NAMED = 8


class Silence(NamedTuple):
    """A ``rank`` on ``host`` that gave no sign for so many ``seconds``.

    If it ``lives``, its process does, but its loop has not moved on from ``stage``.
    """

    rank: int
    host: str
    seconds: float
    lives: bool
    stage: str

    @property
    def words(self) -> str:
        """For people."""
        if self.lives:
            what = f"lives, but has not moved on for {elapsed(self.seconds)} (at: {self.stage})"
        else:
            what = f"has given no sign of life for {elapsed(self.seconds)}"
        return f"rank {self.rank} on {self.host} {what}"


class Standstill(NamedTuple):
    """All ranks, on these ``hosts``, have waited for each other for so many ``seconds``: what they send is lost."""

    hosts: tuple[str, ...]
    seconds: float

    @property
    def words(self) -> str:
        """For people."""
        more = len(self.hosts) - _MOST_HOSTS_NAMED
        names = ", ".join(self.hosts[:_MOST_HOSTS_NAMED]) + (f" and {more} more" if more > 0 else "")
        return f"all ranks live and wait for each other for {elapsed(self.seconds)}: look at the network of {names}"


class HeldUp(NamedTuple):
    """What keeps a crawl from its next superstep: silent ranks, a standstill of all of them, or an operator."""

    silences: tuple[Silence, ...] = ()
    standstill: Standstill | None = None
    is_paused: bool = False


@dataclass
class _Heard:
    sign: Sign
    beat_at: float
    moved_at: float
    met_at: float


class Listener:
    """Remembers what ranks' signs were, and since when.  A rank is silent after so many seconds of ``patience``."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._heard: dict[int, _Heard] = {}

    def hear(self, rank: int, sign: Sign | None, now: float) -> None:
        """This is what the rank's sign is now; None if it could not be read."""
        before = self._heard.get(rank)
        if before is None:
            self._heard[rank] = _Heard(sign or Sign("an unknown host"), now, now, now)
            return
        if sign is None or sign.beat == before.sign.beat:
            return
        has_moved = sign.waits or (sign.moves, sign.meetings) != (before.sign.moves, before.sign.meetings)
        has_moved |= now - before.beat_at >= self._patience  # it is back, and its loop has its time anew
        has_met = (sign.meetings, sign.has_come) != (before.sign.meetings, before.sign.has_come)
        moved_at, met_at = now if has_moved else before.moved_at, now if has_met else before.met_at
        self._heard[rank] = _Heard(sign, now, moved_at, met_at)

    def silence_of(self, rank: int, now: float) -> Silence | None:
        """How long the rank is silent by now; None if it is not, or not long enough."""
        heard = self._heard.get(rank)
        if heard is None:
            return None
        lives = now - heard.beat_at < self._patience
        seconds = now - (heard.moved_at if lives else heard.beat_at)
        if seconds < self._patience:
            return None
        return Silence(rank, heard.sign.host, seconds, lives, heard.sign.stage)

    def silences(self, now: float) -> list[Silence]:
        """All ranks that are silent by now, in order."""
        found = (self.silence_of(rank, now) for rank in sorted(self._heard))
        return [silence for silence in found if silence is not None]

    def standstill(self, now: float) -> Standstill | None:
        """All ranks that were heard wait, none of them is silent, and no meeting has ended for long; None if not so."""
        heard = self._heard.values()
        seconds = now - max((rank.met_at for rank in heard), default=now)
        if seconds < self._patience or not all(rank.sign.has_come for rank in heard) or self.silences(now):
            return None
        return Standstill(tuple(dict.fromkeys(rank.sign.host for rank in heard)), seconds)

    def forget(self) -> None:
        """Begin anew."""
        self._heard.clear()
