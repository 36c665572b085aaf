"""`--max-silence`: ranks that have waited too long for one that gives no sign of life end, each by itself.

Reads the clock: a thread of its own looks, since the loop may be deep in MPI and a disk may not answer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from time import monotonic

from crawler.monitoring.presence import Presence
from crawler.process.attendance import Attendance
from crawler.process.end_at_once import end_at_once
from crawler.process.exit_codes import ExitCode

_LOOK_SECONDS = 1.0
_GRACE_SECONDS = 3.0
"""So much later ranks end that leave the telling to another one, which ends them when it does."""


@contextmanager
def ending_after(
    seconds: float | None,
    presence: Presence,
    attendance: Attendance,
    words: Callable[[str], str],
    abort: Callable[[int], object],
) -> Iterator[None]:
    """Within it this process ends once a rank that it waits for has been silent for so many seconds; never if None.

    ``words`` makes of the reason what is said; ``abort`` ends the other ranks.
    """
    ended = Event()

    def look() -> None:
        while seconds is not None and not ended.wait(_LOOK_SECONDS):
            reason = too_long(seconds, presence, attendance.waits_since, monotonic())
            if reason is not None:
                end_at_once(partial(words, reason), ExitCode.SILENCE, abort)

    thread = Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def too_long(seconds: float, presence: Presence, waits_since: float | None, now: float) -> str | None:
    """Why a rank that waits since then is to end now; None if it is not.

    One that cannot read the others' signs, as the session's disk does not answer, waits for the disk as for a rank.
    """
    if waits_since is None:
        return None
    is_teller = presence.silences or presence.standstill is not None
    if presence.missed >= seconds + (0 if is_teller else _GRACE_SECONDS):
        words = [silence.words for silence in presence.silences]
        words += [presence.standstill.words] if presence.standstill is not None else []
        silent = " and ".join(words) or "another rank misses one"
        return f"{silent}; --max-silence {seconds:g} is over"
    if now - max(waits_since, presence.listened) >= seconds:
        return f"others are waited for, and the session's folder does not answer; --max-silence {seconds:g} is over"
    return None
