"""Whether a kept connection still stands when it is to be used again.

libcurl looks for connections that servers have closed once a second only, and finds out about the others by sending a
request into them.  The request may have been seen by then, so it counts, and repeating it takes another delay.  So we
look for ourselves, before anything is sent.
"""

import select

_CLOSED = select.POLLRDHUP | select.POLLHUP | select.POLLERR | select.POLLNVAL

Place = tuple[str, int]
"""Our end of a connection: IP address and port, of which there are no more than the system has ports."""


class PooledSockets:
    """The sockets of connections, by our end of them."""

    def __init__(self) -> None:
        self._descriptors: dict[Place, int] = {}

    def opened(self, place: Place, descriptor: int) -> None:
        """A connection has been made."""
        self._descriptors[place] = descriptor

    def descriptor(self, place: Place) -> int:
        """The socket's, -1 if it is not known."""
        return self._descriptors.get(place, -1)

    def is_closed(self, place: Place) -> bool:
        """Whether the peer has closed a connection, as far as is known here by now."""
        descriptor = self._descriptors.get(place)
        if descriptor is None:
            return False
        poll = select.poll()
        poll.register(descriptor, select.POLLRDHUP)
        return any(events & _CLOSED for _, events in poll.poll(0))
