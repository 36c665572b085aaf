"""The gatekeeper of sites keeps account of the pages that all ranks together fetch of a site, where that is capped.

A page that was allowed to one rank may yet not be fetched: no response comes, or robots.txt forbids it.  So a question
that finds the cap used up is answered only when all that was allowed has been fetched, or is given back: then the
answer is final, and as many pages are fetched as the cap allows, if there are as many.
"""

from collections import deque

from crawler.caps import Caps
from crawler.politeness.messages import Allowance, Spend, Spent
from crawler.politeness.post import Post


class CapKeeper:
    """The account of the sites that fall to this rank."""

    def __init__(self, post: Post, caps: Caps) -> None:
        self._post = post
        self._caps = caps
        self._allowed: dict[str, int] = {}
        self._waiting: dict[str, deque[tuple[int, Spend]]] = {}

    def asked(self, rank: int, spend: Spend) -> None:
        """A rank wants to fetch pages of a site."""
        if spend.site in self._waiting or not self._answer(rank, spend):
            self._waiting.setdefault(spend.site, deque()).append((rank, spend))

    def spent(self, spent: Spent) -> None:
        """Pages that a rank was allowed have been fetched, or will not be."""
        left = self._allowed[spent.site] - spent.fetched - spent.unused
        if left:
            self._allowed[spent.site] = left
        else:
            del self._allowed[spent.site]
        if spent.unused:
            self._caps.give_back(spent.site, spent.prefix, spent.unused)
        waiting = self._waiting.pop(spent.site, None)
        while waiting and self._answer(*waiting[0]):
            waiting.popleft()
        if waiting:
            self._waiting[spent.site] = waiting

    def _answer(self, rank: int, spend: Spend) -> bool:
        """Say how many pages may be fetched; False if that cannot be said yet."""
        pages, reached = self._caps.grant(*spend)
        if pages:
            self._allowed[spend.site] = self._allowed.get(spend.site, 0) + pages
        elif spend.site in self._allowed:
            return False
        self._post.send(rank, Allowance(spend.site, spend.prefix, pages, "" if pages else reached))
        return True
