"""STAR, spam tracking and avoidance through reputation: domains are budgeted by how many other domains link to them.

H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 5.
Links to oneself are free, and so are hosts of a domain; links from other domains cost a spammer a domain each.

Each rank counts the in-degrees of some domains for all (`crawler.budgets.indegree`).  In one round trip at the end of a
superstep it sends pairs of domains to those that count them, and asks them for the in-degrees of the domains whose URLs
have come to it; budgets follow from these here.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from crawler.budgets.domains import domain_hash_of_site
from crawler.budgets.functions import BUDGETS, Budgets
from crawler.budgets.indegree import InDegrees
from crawler.budgets.knowndegrees import KnownDegrees
from crawler.budgets.ranking import Degrees, Ranking, ranking_of
from crawler.budgets.referrals import NO_REFERRALS, Arrived, NewReferrals, Referrals, ignored, joined, owners
from crawler.contentseen import Asking
from crawler.drum.breathing import Breathe, holding_breath
from sessions.hashsets import distinct
from sessions.url import Hashes

_STAGED_ENOUGH = 4096
"""So many URLs are worth asking for their budgets; fewer wait while the ordering has as many to give."""
_RENEWED_AT_ONCE = 4096
"""So many known domains are asked for again in each exchange."""
_COUNTING_SHARE, _SENT_SHARE = 2, 4
"""The shard has a half of the memory, the pairs that were sent a quarter, the known in-degrees the last quarter."""
_QUESTION = np.dtype([("pairs", "<u4"), ("domains", "<u4")])
_HASH = np.dtype("<u8")
_DEGREE = np.dtype("<u4")


class Staging(Protocol):
    """The ordering whose URLs are budgeted: `crawler.budgets.beast.Beast`."""

    def __len__(self) -> int:
        """How many URLs wait, those for their budgets too."""
        ...

    @property
    def ready(self) -> int:
        """How many URLs could be taken now: all but those that wait for their budgets."""
        ...

    def staged_domains(self) -> Hashes:
        """The distinct domains of the URLs that wait for their budgets: uint64[m]."""
        ...

    def place(self, budgets: Callable[[Hashes], Budgets]) -> None:
        """Put the URLs that wait where the present budgets of their domains say."""
        ...


class Exchange(Asking, Protocol):
    """What the ranks' exchange has to offer here: `crawler.exchange.LinkExchange`, or a fake of it."""

    @property
    def rank(self) -> int:
        """Which of the ranks this is."""
        ...


class Star:
    """One rank's end of STAR; ``function`` is a name in `crawler.budgets.functions.BUDGETS`.

    It takes about ``memory`` bytes, and files in ``folder``.  ``wire_bytes`` counts what this rank sent to others,
    questions and answers.  ``arrived`` is told of the pairs that come to be counted here, of some of them again and
    again.  ``breathe`` is called again and again during a merge.
    """

    def __init__(
        self,
        folder: Path,
        ordering: Staging,
        function: str,
        memory: int,
        arrived: Arrived = ignored,
        breathe: Breathe = holding_breath,
    ) -> None:
        self._ordering = ordering
        self._function = BUDGETS[function]
        self._new = NewReferrals(memory // _SENT_SHARE)
        self._arrived = arrived
        self._shard = InDegrees(folder, memory // _COUNTING_SHARE, breathe)
        self._known = KnownDegrees(memory - memory // _SENT_SHARE - memory // _COUNTING_SHARE)
        self._is_ranked = function == "top"
        self._ranking = Ranking()
        self.wire_bytes = 0

    def links(self, sources: Hashes, domains: Hashes) -> None:
        """Note links: the domain of each one's page and that of its target, uint64[n] each.

        All links of all pages are to be noted, to known targets too.
        """
        self._new.add(sources, domains)

    def of(self, domains: Hashes) -> Budgets:
        """The budget of each domain as far as this rank knows: int64[n] for uint64[n].

        B0 for one that it does not know; that one is asked for in the next exchange.
        """
        return self._function(self._known.of(domains), self._ranking)

    def of_site(self, site: str) -> int:
        """The budget of the domain that a site lies in."""
        degree = self._known.of_one(domain_hash_of_site(site))
        return int(self._function(np.array([degree], np.uint32), self._ranking)[0])

    def settle(self, exchange: Exchange) -> None:
        """Send and count pairs, ask for in-degrees and have the ordering place its URLs.  All ranks call it together.

        An in-degree counts the pairs of all ranks in this exchange too, but for those that wait for a merge; a rank
        whose ordering is empty does not wait until its buckets are full.
        """
        if not len(self._ordering):
            self._shard.catch_up()
        needed = self._known.take_missing()
        ready = self._ordering.ready
        staged = len(self._ordering) - ready
        is_due = staged >= _STAGED_ENOUGH or (staged > 0 and ready < _STAGED_ENOUGH)
        if is_due:
            needed = np.concatenate([needed, self._ordering.staged_domains()])
        self._ask(exchange, needed)
        if is_due:
            self._ordering.place(self.of)

    def flush(self) -> None:
        """Count all pairs that came."""
        self._shard.flush()

    def restore(self, lots: Iterable[Referrals]) -> None:
        """Count pairs of this rank's domains that came to an earlier run, each of them once: nobody is told again."""
        self._shard.restore(lots)

    def close(self) -> None:
        """The crawl has ended."""
        self._shard.close()

    def _ask(self, exchange: Exchange, needed: Hashes) -> None:
        """Bring what is known here up to date: of the domains that are ``needed``, and of some others."""
        domains = distinct(np.concatenate([needed, self._known.in_turn(_RENEWED_AT_ONCE)]))
        order, bounds = _by_owner(domains, exchange.ranks)
        domains = domains[order]
        pairs = _dealt(self._new.take(), exchange.ranks)
        questions = [
            _question(its_pairs, domains[start:stop])
            for its_pairs, (start, stop) in zip(pairs, pairwise(bounds), strict=True)
        ]
        self._count(exchange, questions)
        answers = exchange.ask(questions, lambda received: self._answer(exchange, received))
        if answers is None:
            return
        counts = np.diff(bounds).tolist()
        told = [np.frombuffer(answer, _DEGREE, count) for answer, count in zip(answers, counts, strict=True)]
        degrees = np.concatenate(told).astype(np.uint32)
        is_needed = np.isin(domains, needed)
        self._known.note(domains[is_needed], degrees[is_needed])
        self._known.renew(domains[~is_needed], degrees[~is_needed])
        if self._is_ranked:
            self._ranking = ranking_of(
                answer[count * _DEGREE.itemsize :] for answer, count in zip(answers, counts, strict=True)
            )

    def _answer(self, exchange: Exchange, received: Sequence[memoryview]) -> list[bytes]:
        """Count the pairs that all ranks send, then tell each the in-degrees it asks for."""
        pairs, domains = zip(*map(_read, received), strict=True)
        to_count = joined(list(pairs))
        if len(to_count.domains):
            self._arrived(*to_count)
        self._shard.add(to_count)
        degrees = self._shard.look_up(np.concatenate(domains))
        ranks = self._shard.histogram.packed() if self._is_ranked else b""
        ends = np.cumsum([len(its) for its in domains])[:-1]
        answers = [_told(its) + ranks for its in np.split(degrees, ends)]
        self._count(exchange, answers)
        return answers

    def _count(self, exchange: Exchange, payloads: Sequence[bytes]) -> None:
        self.wire_bytes += sum(len(payload) for rank, payload in enumerate(payloads) if rank != exchange.rank)


def _by_owner(domains: Hashes, ranks: int) -> tuple[np.ndarray[Any, np.dtype[np.intp]], list[int]]:
    """The order that brings domains of one owner together, and where each owner's begin: K + 1 numbers."""
    its_owners = owners(domains, ranks)
    order = np.argsort(its_owners, kind="stable")
    return order, np.searchsorted(its_owners[order], np.arange(ranks + 1)).tolist()


def _dealt(pairs: Referrals, ranks: int) -> list[Referrals]:
    """The pairs that each rank counts."""
    order, bounds = _by_owner(pairs.domains, ranks)
    sources, domains = pairs.sources[order], pairs.domains[order]
    return [Referrals(sources[start:stop], domains[start:stop]) for start, stop in pairwise(bounds)]


def _question(pairs: Referrals, domains: Hashes) -> bytes:
    """Pairs to be counted and domains that are asked for, as they travel; no bytes if there are none."""
    if not len(pairs.domains) and not len(domains):
        return b""
    header = np.array([(len(pairs.domains), len(domains))], _QUESTION)
    return b"".join(column.tobytes() for column in (header, *(hashes.astype(_HASH) for hashes in (*pairs, domains))))


def _read(question: memoryview) -> tuple[Referrals, Hashes]:
    """What `_question` was given."""
    if not len(question):
        return NO_REFERRALS, np.empty(0, np.uint64)
    ((pairs, domains),) = np.frombuffer(question, _QUESTION, 1).tolist()
    hashes = np.frombuffer(question, _HASH, 2 * pairs + domains, _QUESTION.itemsize).astype(np.uint64)
    return Referrals(hashes[:pairs], hashes[pairs : 2 * pairs]), hashes[2 * pairs :]


def _told(degrees: Degrees) -> bytes:
    return degrees.astype(_DEGREE).tobytes()
