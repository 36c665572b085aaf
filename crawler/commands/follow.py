"""`cutweb info --watch`: following a session that somebody else crawls, by its files alone.

The crawl's clock is not ours, and its machine's clock may be wrong: how long nothing was written is counted here, from
the moment when the last change was seen.  Only what lies before the first look has to be taken from the files.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from rich.console import Console, Group
from rich.live import Live as Screen
from rich.text import Text

from crawler.commands.live_table import RankStanding, heading, live_table
from crawler.launch.operator_wish import Wish, wish_for
from crawler.monitoring.live_file import NAME, Live, read_live
from crawler.monitoring.presence import patience_with, seconds_between_signs
from crawler.monitoring.progress_display import elapsed
from crawler.monitoring.signs_of_life import read_sign
from crawler.monitoring.silence import Listener, Silence, Standstill
from sessions.session import HEADER, Session

_BETWEEN_LOOKS_SECONDS = 1.0
_LONG_SECONDS = 30.0
_LONG_SUPERSTEPS = 10
_FEW_BEATS = 5


class Clock(Protocol):
    """What time it is for who looks; the module `time` is one."""

    def time(self) -> float:
        """Seconds since 1970 UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that nobody sets back."""
        ...


class Look(NamedTuple):
    """What a look at a session's files has shown: the session as committed, and how its latest run stands."""

    session: Session
    standing: RankStanding


class Follower:
    """Looks at a session's files, again and again, and remembers what it saw last."""

    def __init__(self, path: Path, clock: Clock = time) -> None:
        self._path = path
        self._clock = clock
        self._seen: tuple[tuple[int, int] | None, ...] = ()
        self._session: Session | None = None
        self._live: Live | None = None
        self._before: Live | None = None
        self._changed = 0.0
        self._listener: Listener | None = None

    def look(self) -> Look:
        """Raises SessionError if there is no session, and ValueError if its live file is damaged."""
        session = self._session_now()
        last = session.epochs[-1] if session.epochs else None
        now = self._clock.time()
        age = max(0.0, now - datetime.fromisoformat(last["committed"]).timestamp()) if last is not None else None
        silence = self._clock.monotonic() - self._changed
        epoch = last["epoch"] if last is not None else 0
        run, has_ended = str(session.header["run"]), session.ended is not None
        silences, standstill = ((), None) if has_ended else self._silences(session, silence)
        pauses = not has_ended and wish_for(self._path, run) is Wish.PAUSE
        read = (run, self._live, self._before, epoch, age, silence, has_ended)
        standing = RankStanding(*read, silences, standstill, pauses)
        return Look(session, standing)

    def _silences(self, session: Session, silence: float) -> tuple[tuple[Silence, ...], Standstill | None]:
        """Which ranks are silent or that all wait, if nothing was written for some time; of one, that says enough."""
        header = session.header
        ranks, superstep = int(header["ranks"]), float(header["configuration"].get("superstep", 0.0))
        if ranks == 1 or silence < _FEW_BEATS * seconds_between_signs(ranks, superstep):
            self._listener = None
            return (), None
        if self._listener is None:
            self._listener = Listener(patience_with(ranks, superstep))
        now = self._clock.monotonic()
        for rank in range(ranks):
            self._listener.hear(rank, read_sign(self._path, str(header["run"]), rank), now)
        return tuple(self._listener.silences(now)), self._listener.standstill(now)

    def _session_now(self) -> Session:
        """The session and its live file, read again where they have changed."""
        seen = tuple(_identity(self._path / name) for name in (HEADER, NAME))
        if self._session is not None and seen == self._seen:
            return self._session
        if self._session is None or seen[0] != self._seen[0]:
            self._session = Session.open(self._path)
        # What is there already at the first look may have been there for long.
        self._changed = self._clock.monotonic() - (0.0 if self._seen else self._age(seen))
        self._seen = seen
        self._take(read_live(self._path), str(self._session.header["run"]))
        return self._session

    def _take(self, live: Live | None, run: str) -> None:
        """What another run has written says nothing of this one."""
        if live is None or live.run != run:
            self._live = self._before = None
        elif self._live != live:
            self._live, self._before = live, self._live

    def _age(self, seen: tuple[tuple[int, int] | None, ...]) -> float:
        changed = max(identity[1] for identity in seen if identity is not None) / 1e9
        return max(0.0, self._clock.time() - changed)


def follow(path: Path, console: Console, *, clock: Clock = time, wait: Callable[[float], None] = time.sleep) -> None:
    """Show how a session goes on, every second on a terminal and elsewhere when it has changed, until it has ended.

    Raises what `Follower.look` does.
    """
    follower = Follower(path, clock)
    first = follower.look()
    if not console.is_terminal:
        _print_changes(_looks(follower, first, wait), console)
        return
    with Screen(console=console, auto_refresh=False) as screen:
        for look in _looks(follower, first, wait):
            screen.update(_picture(look, console), refresh=True)


def _looks(follower: Follower, look: Look, wait: Callable[[float], None]) -> Iterator[Look]:
    """One look a second, until the session has ended; that look is the last."""
    yield look
    while look.session.ended is None:
        wait(_BETWEEN_LOOKS_SECONDS)
        look = follower.look()
        yield look


def _print_changes(looks: Iterator[Look], console: Console) -> None:
    shown: tuple[object, ...] = ()
    for look in looks:
        silent = [silence.rank for silence in _missed(look)]
        standing = look.standing
        waits = standing.standstill is not None
        shows = (standing.live, standing.epoch, _is_silent(look), silent, waits, standing.pauses, look.session.ended)
        if shows != shown:
            console.print(_picture(look, console))
            shown = shows


def _picture(look: Look, console: Console) -> Group:
    table = [live_table(look.standing, console)] if look.standing.live is not None else []
    return Group(Text(heading(look.standing)), *table, *map(Text, _below(look)))


def _below(look: Look) -> list[str]:
    """How it ended; or that it may have been killed."""
    session = look.session
    lines = [f"this run alone; with the earlier ones: cutweb info {session.path}"] if len(session.runs) > 1 else []
    if session.ended is not None:
        reason, seconds = session.ended["reason"], session.ended["seconds"]
        return [*lines, f"ended ({reason}) after {seconds:,.1f} s; see it with: cutweb info {session.path}"]
    if look.standing.pauses:
        return [*lines, f"pauses; go on with: cutweb continue {session.path}"]
    if missed := _missed(look):
        return [*lines, *(f"{silence.words}; others wait for it" for silence in missed)]
    if look.standing.standstill is not None:
        return [*lines, look.standing.standstill.words]
    return [*lines, *_was_it_killed(look)]


def doubts(path: Path) -> list[str]:
    """A line that says that a session's crawl may have been killed, if it does not pause and has long been silent.

    Raises what `Follower.look` does.
    """
    look = Follower(path).look()
    return [] if look.session.ended is not None or look.standing.pauses else _was_it_killed(look)


def _was_it_killed(look: Look) -> list[str]:
    if not _is_silent(look):
        return []
    return [
        f"nothing was written for {elapsed(look.standing.silence)}: was it killed?  What is committed is safe; "
        f"if nobody crawls any more, go on with: cutweb crawl --resume {look.session.path}"
    ]


def _missed(look: Look) -> tuple[Silence, ...]:
    """The ranks that are silent while others live; if none does, the crawl was killed."""
    silences = look.standing.silences
    return silences if len(silences) < int(look.session.header["ranks"]) else ()


def _is_silent(look: Look) -> bool:
    """Has a run that had begun to write not written for long?"""
    superstep = float(look.session.header["configuration"].get("superstep", 0.0))
    return look.standing.live is not None and look.standing.silence > max(_LONG_SECONDS, _LONG_SUPERSTEPS * superstep)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies there and when it was written, in nanoseconds; None if none does."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns
