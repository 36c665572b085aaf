"""Signals that ask a crawl to stop."""

import signal
from types import FrameType

_ASKING = (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)


class StopSignal:
    """Set by SIGTERM, SIGUSR1 or SIGINT: the crawl then ends at the next exchange, with everything committed.

    A second SIGINT ends the process at once.  Launchers repeat signals, so all others may come any number of times.
    """

    def __init__(self) -> None:
        self.is_set = False
        self._interrupts = 0

    def listen(self) -> None:
        """Take over the signals of this process."""
        for number in _ASKING:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._interrupts += number == signal.SIGINT
        if self._interrupts > 1:
            raise KeyboardInterrupt
        self.is_set = True
