"""A web of many small sites on few loopback addresses, whose server notes when each request began and ended."""

import random
from types import TracebackType
from typing import Self

from scripts.shared.noting_server import NotingServer, Request


class PoliteWeb:
    """Serves ``sites`` sites with ``pages`` pages between them on ``addresses`` addresses of this machine.

    Sizes of sites are heavy-tailed, or ``equal``; every page can be reached from its site's root page in a few steps,
    and links lead to other sites too.
    """

    def __init__(self, sites: int, addresses: int, pages: int, *, seed: int, equal: bool = False) -> None:
        rng = random.Random(seed)
        shares = [1.0 if equal else min(rng.paretovariate(1.5), 8.0) for _ in range(sites)]
        self._sizes = {
            f"www.s{number}.example": max(1, round(pages * share / sum(shares))) for number, share in enumerate(shares)
        }
        self._address = {site: f"127.0.1.{1 + number % addresses}" for number, site in enumerate(self._sizes)}
        self._seed = seed
        self._server = NotingServer(self.page)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)

    def seeds(self) -> list[str]:
        """The root pages."""
        return [f"http://{site}/" for site in self._sizes]

    def connect_to(self) -> list[str]:
        """Where each site is, as ``--connect-to`` wants it."""
        return [f"{site}:80:{address}:{self._server.port}" for site, address in self._address.items()]

    def requests(self) -> list[Request]:
        """What was asked so far."""
        return list(self._server.requests)

    def page(self, site: str, path: str) -> bytes | None:
        """The page at a path; None if there is none."""
        number = int(path[2:]) if path[2:].isdigit() else 0 if path == "/" else -1
        size = self._sizes.get(site, 0)
        if not 0 <= number < size:
            return None
        rng = random.Random(f"{self._seed} {site} {number}")
        below = [f"/p{child}" for child in range(8 * number + 1, min(8 * number + 9, size))]
        others = rng.sample(sorted(self._sizes), 3)
        links = [*below, f"/p{rng.randrange(size)}", *(f"http://{other}/" for other in others)]
        return "".join(f'<p><a href="{link}">link</a>' for link in links).encode()
