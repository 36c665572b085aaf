"""Whether a transfer goes on: a server that says nothing, or a byte now and then, must not hold a connection."""


class StallDetector:
    """Judges one transfer after another; times in seconds.

    A transfer is ``idle`` if nothing has come for ``longest_silence``, and ``slow`` if in a whole ``window`` less has
    come than ``least`` bytes a second.  Windows follow one upon the other.
    """

    __slots__ = ("_changed", "_had", "_is_running", "_least", "_longest_silence", "_since", "_since_had", "_window")

    def __init__(self, longest_silence: float, least: float, window: float) -> None:
        self._longest_silence = longest_silence
        self._least = least * window
        self._window = window
        self._is_running = False
        self._had = self._since_had = 0
        self._changed = self._since = 0.0

    def restart(self) -> None:
        """Another transfer begins; its time runs from when it is first judged."""
        self._is_running = False

    def judge(self, now: float, received: int) -> str:
        """``idle``, ``slow`` or, if the transfer may go on, nothing; ``received`` are all bytes so far."""
        if not self._is_running:
            self._is_running = True
            self._had = self._since_had = received
            self._changed = self._since = now
        elif received != self._had:
            self._had = received
            self._changed = now
        elif now - self._changed >= self._longest_silence:
            return "idle"
        if now - self._since >= self._window:
            if received - self._since_had < self._least:
                return "slow"
            self._since, self._since_had = now, received
        return ""
