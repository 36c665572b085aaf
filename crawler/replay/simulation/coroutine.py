"""Work that can pause anywhere in its calls and go on later, in one thread."""

from collections.abc import Callable

from greenlet import greenlet


class Coroutine:
    """Does ``work`` a piece at a time, each until it pauses; errors of it come out of `go_on`."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._greenlet = greenlet(work)

    def go_on(self) -> None:
        """Do the next piece of the work; called from where the coroutine was made."""
        self._greenlet.switch()

    def leave(self) -> None:
        """Return to who called `go_on`; called from within the work."""
        above = self._greenlet.parent
        assert above is not None
        above.switch()
