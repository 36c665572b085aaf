"""Sockets that others open and close, watched by epoll (curl's own select stops at descriptor 1,023)."""

import select
from contextlib import suppress


class SocketWatch:
    """An epoll, which can itself be watched by its ``descriptor``."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self.descriptor = self._epoll.fileno()

    def watch(self, descriptor: int, events: int) -> None:
        """Watch a socket for these events of epoll from now on, 0 for none."""
        if not events:
            self._watched.discard(descriptor)
            with suppress(OSError):  # libcurl may have closed it already
                self._epoll.unregister(descriptor)
        elif descriptor in self._watched:
            self._epoll.modify(descriptor, events)
        else:
            self._watched.add(descriptor)
            self._epoll.register(descriptor, events)

    def poll(self, seconds: float, most: int = -1) -> list[tuple[int, int]]:
        """Return up to ``most`` sockets with what has happened there, after so many seconds at most; -1 for all."""
        return self._epoll.poll(seconds, most)

    def close(self) -> None:
        """Watch nothing any more."""
        self._epoll.close()
