"""Ranks that share caps: as many pages as the caps allow are fetched, if there are as many, and none waits for ever."""

import random
from collections import Counter, defaultdict, deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.allowances import Allowances
from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.entry import Entry
from crawler.politeness.messages import Allowance, Message, Spend, Spent
from crawler.politeness.page_caps import ADDRESS_CAP, DOMAIN_CAP, PREFIX_CAP, SITE_CAP, Account, Caps, PageCaps
from crawler.politeness.site import Site
from sessions.url import domain_of, site_of, url_hash
from tests.crawler.politeness.support.null_mailbox import Letters

RANKS = 3
SITES = ("a.one.example", "b.one.example", "c.two.example", "d.three.example")
ADDRESS = {SITES[0]: "192.0.2.1", SITES[1]: "192.0.2.2", SITES[2]: "192.0.2.1", SITES[3]: "192.0.2.2"}
MOST = st.none() | st.integers(1, 12)


class Visitor:
    """One rank, with the accounts that it keeps and sites whose URLs it visits in order."""

    def __init__(self, rank: int, limits: PageCaps) -> None:
        self.mailbox = Letters(rank, RANKS)
        self.keeper = CapGatekeeper(self.mailbox, Caps(limits))
        self.allowances = Allowances(self.mailbox, limits, lambda origin: ADDRESS[site_of(f"{origin}/")])
        self.sites = {name: Site(name) for name in SITES}
        self.taken: list[tuple[Site, Entry]] = []

    def may_visit(self) -> list[Site]:
        """The sites with a URL of which nothing is being requested."""
        busy = {site.name for site, _ in self.taken}
        return [site for site in self.sites.values() if site.queue and site.name not in busy]


class Web:
    """All ranks, and what is under way between each two, in order.  Some URLs bring no page."""

    def __init__(self, limits: PageCaps, urls: list[tuple[int, str, bool]], seed: int) -> None:
        self.limits = limits
        self.dice = random.Random(seed)
        self.ranks = [Visitor(rank, limits) for rank in range(RANKS)]
        self.mail: dict[tuple[int, int], deque[Message]] = defaultdict(deque)
        self.good = {url for _, url, is_good in urls if is_good}
        self.fetched: list[str] = []
        self.missed: list[str] = []
        self.refused: list[tuple[str, str]] = []
        for rank, url, _ in urls:
            self.ranks[rank].sites[site_of(url)].add(Entry(url, url_hash(url)))

    def run(self) -> None:
        """Let things happen in any order, until nothing can."""
        while True:
            self._collect()
            steps = [("mail", pair) for pair, letters in self.mail.items() if letters]
            for number, rank in enumerate(self.ranks):
                steps += [("end", (number, place)) for place in range(len(rank.taken))]
                steps += [("visit", (number, SITES.index(site.name))) for site in rank.may_visit()]
            asking = [step for step in steps if step[0] != "visit" or not self._is_asking(*step[1])]
            if not asking:
                return
            kind, (first, second) = self.dice.choice(asking)
            {"mail": self._deliver, "end": self._end, "visit": self._visit}[kind](first, second)

    def _is_asking(self, rank: int, site: int) -> bool:
        return self.ranks[rank].allowances.is_asking(self.ranks[rank].sites[SITES[site]])

    def _collect(self) -> None:
        for number, rank in enumerate(self.ranks):
            for to, message in rank.mailbox.take():
                self.mail[number, to].append(message)

    def _deliver(self, sender: int, to: int) -> None:
        rank, message = self.ranks[to], self.mail[sender, to].popleft()
        if isinstance(message, Spend):
            rank.keeper.asked(sender, message)
        elif isinstance(message, Spent):
            rank.keeper.spent(message)
        else:
            assert isinstance(message, Allowance)
            refused = rank.allowances.answered(rank.sites[message.site], message)
            self.refused += [(entry.url, message.reached) for entry in refused]
            for entry in refused:
                self._assert_reached(message.reached, entry.url)
            self._leave_if_idle(rank, rank.sites[message.site])

    def _visit(self, number: int, site_number: int) -> None:
        rank = self.ranks[number]
        site = rank.sites[SITES[site_number]]
        if rank.allowances.may_be_fetched(site, site.queue[0].url):
            rank.allowances.take(site)
            rank.taken.append((site, site.take()))

    def _end(self, number: int, place: int) -> None:
        rank = self.ranks[number]
        site, entry = rank.taken.pop(place)
        if entry.tries == 0 and self.dice.random() < 0.3:
            rank.allowances.put_back(site)
            site.put_back(entry._replace(tries=1))
            return
        is_fetched = entry.url in self.good
        (self.fetched if is_fetched else self.missed).append(entry.url)
        rank.allowances.spent(site, is_fetched=is_fetched)
        self._leave_if_idle(rank, site)

    @staticmethod
    def _leave_if_idle(rank: Visitor, site: Site) -> None:
        if not site.queue and not rank.allowances.is_asking(site):
            rank.allowances.give_back(site)

    def _assert_reached(self, cap: str, url: str) -> None:
        limits = self.limits
        most = {
            SITE_CAP: limits.per_site,
            PREFIX_CAP: limits.per_prefix,
            DOMAIN_CAP: limits.per_domain,
            ADDRESS_CAP: limits.per_address,
        }
        account = next(account for account in accounts_of(url, limits) if account.cap == cap)
        fetched = sum(account in accounts_of(other, limits) for other in self.fetched)
        assert fetched == most[cap], "a refusal is final, so the cap must be used up"


def accounts_of(url: str, limits: PageCaps) -> list[Account]:
    """All that a page is counted under."""
    site = site_of(url)
    return [
        Account(SITE_CAP, site),
        Account(PREFIX_CAP, limits.prefix_of(url)),
        Account(DOMAIN_CAP, domain_of(site)),
        Account(ADDRESS_CAP, ADDRESS[site]),
    ]


URLS = st.lists(
    st.tuples(st.integers(0, RANKS - 1), st.sampled_from(SITES), st.sampled_from(["", "x/", "y/"]), st.booleans()),
    max_size=80,
)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(URLS, st.tuples(MOST, MOST, MOST, MOST), st.integers(0, 2**32))
def test_never_more_than_a_cap_and_nothing_is_left_unanswered(
    urls: list[tuple[int, str, str, bool]], most: tuple[int | None, ...], seed: int
) -> None:
    limits = PageCaps(*most)
    named = [(rank, f"http://{site}/{path}{n}", is_good) for n, (rank, site, path, is_good) in enumerate(urls)]
    web = Web(limits, named, seed)
    web.run()
    assert sorted([*web.fetched, *web.missed, *(url for url, _ in web.refused)]) == sorted(url for _, url, _ in named)
    counts = Counter(account for url in web.fetched for account in accounts_of(url, limits))
    for account, count in counts.items():
        cap = most[(SITE_CAP, PREFIX_CAP, DOMAIN_CAP, ADDRESS_CAP).index(account.cap)]
        assert cap is None or count <= cap
    for rank in web.ranks:
        assert not rank.keeper._allowed
        assert not rank.keeper._waiting
        assert not rank.allowances._questions


@pytest.mark.parametrize("limits", [PageCaps(1000), PageCaps(1000, None, 1000), PageCaps(1000, None, 1000, 1000)])
def test_a_long_site_costs_few_messages(limits: PageCaps) -> None:
    named = [(0, f"http://{SITES[0]}/{n}", True) for n in range(320)]
    web = Web(limits, named, 0)
    sent = 0
    deliver = web._deliver

    def counted(sender: int, to: int) -> None:
        nonlocal sent
        sent += 1
        deliver(sender, to)

    web._deliver = counted  # type: ignore[method-assign]
    web.run()
    assert len(web.fetched) == 320
    assert sent <= 3 * (1 + limits.by_address) * 320 / 32
