"""What a crawler finds from its seeds, growing as links are added."""

from collections.abc import Iterable, Sequence

from sessions.localweb.generate.link_graph import Ints


class Reach:
    """The pages that can be reached over links.

    ``follow[p]`` are the pages that p leads to; a page without ``exists[p]`` leads nowhere and is not reached.
    """

    def __init__(self, follow: Sequence[Ints | list[int]], exists: Sequence[bool], seeds: Iterable[int]) -> None:
        self._follow = follow
        self._exists = exists
        self._seen = bytearray(len(exists))
        for seed in seeds:
            self.grow(seed)

    def __contains__(self, page: int) -> bool:
        return bool(self._seen[page])

    def grow(self, page: int) -> None:
        """A page can be reached now, and with it all that it leads to."""
        if not self._exists[page] or self._seen[page]:
            return
        self._seen[page] = 1
        waiting = [page]
        while waiting:
            for target in map(int, self._follow[waiting.pop()]):
                if target < len(self._seen) and self._exists[target] and not self._seen[target]:
                    self._seen[target] = 1
                    waiting.append(target)
