"""A gatekeeper keeps account of the pages that all ranks together fetch under one site, prefix, domain or address.

The accounts of a site, its prefixes and its domain are kept by one rank, by hash of the domain, so that one question
asks them all; those of an address by another.  A page that was allowed to one rank may yet not be fetched: no response
comes, or robots.txt forbids it.  So a question that finds a cap used up is answered only when all that was allowed
under it has been fetched, or is given back: then the answer is final, and as many pages are fetched as the cap allows,
if there are as many.

Nobody waits in a circle: a rank asks for a name's accounts first, and for an address's only while it is allowed under
the name.  Who is allowed under the address waits for nothing but visits.
"""

from collections import deque

from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Allowance, Spend, Spent
from crawler.politeness.page_caps import Account, Caps


class CapGatekeeper:
    """The accounts that fall to this rank."""

    def __init__(self, mailbox: Mailbox, caps: Caps) -> None:
        self._mailbox = mailbox
        self._caps = caps
        self._allowed: dict[Account, int] = {}
        self._waiting: dict[Account, deque[tuple[int, Spend]]] = {}

    def asked(self, rank: int, spend: Spend) -> None:
        """A rank wants to fetch pages of a site."""
        in_the_way = self._answer(rank, spend)
        if in_the_way is not None:
            self._waiting.setdefault(in_the_way, deque()).append((rank, spend))

    def spent(self, spent: Spent) -> None:
        """Pages that a rank was allowed have been fetched, or will not be."""
        for account in spent.accounts:
            left = self._allowed[account] - spent.fetched - spent.unused
            if left:
                self._allowed[account] = left
            else:
                del self._allowed[account]
        if spent.unused:
            self._caps.give_back(spent.accounts, spent.unused)
        for account in spent.accounts:
            self._answer_waiting(account)

    def _answer_waiting(self, account: Account) -> None:
        """Answer the questions that waited for an account, in their order, until one has to wait for it again."""
        waiting = self._waiting.pop(account, None)
        while waiting:
            in_the_way = self._answer(*waiting[0])
            if in_the_way == account:
                self._waiting[account] = waiting
                return
            question = waiting.popleft()
            if in_the_way is not None:
                self._waiting.setdefault(in_the_way, deque()).append(question)

    def _answer(self, rank: int, spend: Spend) -> Account | None:
        """Say how many pages may be fetched; the account that is in the way if that cannot be said yet."""
        left = [self._caps.left(account) for account in spend.accounts]
        pages, reached = min(spend.pages, *left), ""
        if pages:
            self._caps.grant(spend.accounts, pages)
            for account in spend.accounts:
                self._allowed[account] = self._allowed.get(account, 0) + pages
        else:
            used_up = [account for account, pages in zip(spend.accounts, left, strict=True) if not pages]
            final = next((account for account in used_up if account not in self._allowed), None)
            if final is None:
                return used_up[0]
            reached = final.cap
        self._mailbox.send(rank, Allowance(spend.site, pages, reached))
        return None
