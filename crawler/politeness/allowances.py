"""A rank's end of the caps: how many pages of a site it may fetch, and what it owes the gatekeepers an account of.

Up to some dozens of pages are asked for at once, and accounted for when all of them have been fetched, or will not be:
of a long site two messages in dozens of pages, under any cap.  Two gatekeepers may have to be asked, in a fixed order:
that of site, prefix and domain first, then that of the address (`cap_gatekeeper` says why nobody waits in a circle).
"""

from collections.abc import Callable, Sequence
from itertools import islice, takewhile

from crawler.politeness.entry import Entry
from crawler.politeness.mailbox import Mailbox
from crawler.politeness.messages import Allowance, Spend, Spent, keeper_of
from crawler.politeness.page_caps import ADDRESS_CAP, DOMAIN_CAP, PREFIX_CAP, SITE_CAP, Account, PageCaps, network_of
from crawler.politeness.site import Site
from sessions.url import domain_of, origin_of

_ASKED_AT_ONCE = 32


class PageQuestion:
    """What a rank asks for pages of a site of one ``prefix`` and ``address``, and what it has been allowed.

    ``step`` is the number of the gatekeeper that has not answered, None when all have.  Of the ``pages`` allowed,
    ``free`` may still be requested, and ``taken`` are being requested; the rest is ``fetched`` or ``unused``.
    """

    __slots__ = ("address", "fetched", "free", "pages", "prefix", "step", "taken", "unused")

    def __init__(self, prefix: str, address: str, pages: int) -> None:
        self.prefix = prefix
        self.address = address
        self.pages = pages
        self.step: int | None = 0
        self.free = self.taken = self.fetched = self.unused = 0


class Allowances:
    """What this rank may fetch as far as the ``caps`` are concerned.

    ``ip_of`` is the address at which an origin is connected to, None if that is not known now.
    """

    def __init__(self, mailbox: Mailbox, caps: PageCaps, ip_of: Callable[[str], str | None]) -> None:
        self._mailbox = mailbox
        self._caps = caps
        self._ip_of = ip_of
        self._questions: dict[Site, PageQuestion] = {}
        self.is_capped = not caps.is_everything

    def is_asking(self, site: Site) -> bool:
        """Has a gatekeeper not answered what it was asked of this site?"""
        question = self._questions.get(site)
        return question is not None and question.step is not None

    def may_be_fetched(self, site: Site, url: str) -> bool:
        """May this page, the next of a site, be fetched?  If that is not known, it is asked."""
        if not self.is_capped:
            return True
        prefix, address = self._caps.prefix_of(url), self._address_of(url)
        question = self._questions.get(site)
        if question is not None:
            if question.step is not None or address is None:
                return False
            if question.free and question.prefix == prefix and question.address == address:
                return True
            self.give_back(site)
        if address is not None and site not in self._questions:
            self._ask(site, prefix, address)
        return False

    def take(self, site: Site) -> None:
        """A page that may be fetched is about to be requested."""
        if self.is_capped:
            question = self._questions[site]
            question.free -= 1
            question.taken += 1

    def put_back(self, site: Site) -> None:
        """A page that was taken is to be requested later."""
        if self.is_capped:
            question = self._questions[site]
            question.taken -= 1
            question.free += 1

    def spent(self, site: Site, *, is_fetched: bool) -> None:
        """A page that was taken has been fetched, or will not be."""
        if self.is_capped:
            question = self._questions[site]
            question.taken -= 1
            question.fetched += is_fetched
            question.unused += not is_fetched
            self._settle(site, question)

    def give_back(self, site: Site) -> None:
        """Nothing more of what was allowed of a site will be requested."""
        question = self._questions.get(site)
        if question is not None and question.step is None:
            question.unused += question.free
            question.free = 0
            self._settle(site, question)

    def answered(self, site: Site, allowance: Allowance) -> list[Entry]:
        """A gatekeeper has said how many pages of a site may be fetched; the URLs that may not be, which leave it."""
        question = self._questions[site]
        assert question.step is not None
        steps = self._steps(site, question)
        self._report(steps[: question.step], 0, question.pages - allowance.pages)
        question.pages = allowance.pages
        if not allowance.pages:
            del self._questions[site]
            return self._refused(site, question, allowance.reached)
        question.step += 1
        if question.step < len(steps):
            self._put(site, question, question.step)
        else:
            question.step, question.free = None, question.pages
        return []

    def _address_of(self, url: str) -> str | None:
        if not self._caps.by_address:
            return ""
        ip = self._ip_of(origin_of(url))
        return network_of(ip) if ip is not None else None

    def _ask(self, site: Site, prefix: str, address: str) -> None:
        # Nothing is asked of what comes after a URL with another prefix or address: two ranks could wait in a circle.
        alike = takewhile(lambda entry: self._is_alike(entry.url, prefix, address), islice(site.queue, _ASKED_AT_ONCE))
        question = PageQuestion(prefix, address, sum(1 for _ in alike))
        self._questions[site] = question
        self._put(site, question, 0)

    def _is_alike(self, url: str, prefix: str, address: str) -> bool:
        return self._caps.prefix_of(url) == prefix and self._address_of(url) == address

    def _steps(self, site: Site, question: PageQuestion) -> list[tuple[str, tuple[Account, ...]]]:
        """The gatekeepers that have to be asked, as keys, and the accounts that each keeps."""
        steps: list[tuple[str, tuple[Account, ...]]] = []
        if self._caps.by_name:
            steps.append((domain_of(site.name), tuple(_accounts(self._caps, site.name, question.prefix))))
        if self._caps.by_address:
            steps.append((question.address, (Account(ADDRESS_CAP, question.address),)))
        return steps

    def _put(self, site: Site, question: PageQuestion, step: int) -> None:
        key, accounts = self._steps(site, question)[step]
        self._mailbox.send(keeper_of(key, self._mailbox.ranks), Spend(site.name, accounts, question.pages))

    def _settle(self, site: Site, question: PageQuestion) -> None:
        """Account for all that was allowed, once nothing of it can be fetched any more."""
        if not (question.free or question.taken):
            del self._questions[site]
            self._report(self._steps(site, question), question.fetched, question.unused)

    def _report(self, steps: Sequence[tuple[str, tuple[Account, ...]]], fetched: int, unused: int) -> None:
        """Tell the gatekeepers of these steps what became of pages that they allowed."""
        if fetched or unused:
            for key, accounts in steps:
                self._mailbox.send(keeper_of(key, self._mailbox.ranks), Spent(accounts, fetched, unused))

    def _refused(self, site: Site, question: PageQuestion, reached: str) -> list[Entry]:
        def is_meant(url: str) -> bool:
            if reached == PREFIX_CAP:
                return self._caps.prefix_of(url) == question.prefix
            return reached != ADDRESS_CAP or self._address_of(url) == question.address

        return site.take_where(is_meant)


def _accounts(caps: PageCaps, site: str, prefix: str) -> list[Account]:
    """What a page of a site is counted under, but for its address."""
    accounts = []
    if caps.per_site is not None:
        accounts.append(Account(SITE_CAP, site))
    if caps.per_prefix is not None:
        accounts.append(Account(PREFIX_CAP, prefix))
    if caps.per_domain is not None:
        accounts.append(Account(DOMAIN_CAP, domain_of(site)))
    return accounts
