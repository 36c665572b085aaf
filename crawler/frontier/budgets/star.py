"""STAR, spam tracking and avoidance through reputation: domains are budgeted by how many other domains link to them.

H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 5.
Links to oneself are free, and so are hosts of a domain; links from other domains cost a spammer a domain each.

Each rank counts the in-degrees of some domains for all (`crawler.frontier.budgets.in_degrees`).  In one round trip at
the end of a superstep it sends pairs of domains to those that count them, and asks them for the in-degrees of the
domains whose URLs have come to it; budgets follow from these here.

A budget is one for all ranks.  Each tells how many URLs of a domain wait with it, and is told how many do in all; its
part of the budget is its part of those.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.exchange.asking import Asking
from crawler.frontier.budgets.budget_functions import B0, BUDGETS, Budgets, supports
from crawler.frontier.budgets.degree_cache import KnownDegrees, Waiting
from crawler.frontier.budgets.domain_hashes import domain_hash_of_site
from crawler.frontier.budgets.in_degrees import InDegrees
from crawler.frontier.budgets.ranking import Degrees, Ranking, ranking_of
from crawler.frontier.budgets.referrals import NO_REFERRALS, Arrived, NewReferrals, Referrals, ignored, joined, owners
from crawler.frontier.budgets.trust import Trust
from sessions.hash_arrays import distinct, grouped
from sessions.url import Hashes

_STAGED_ENOUGH = 4096
"""So many URLs are worth asking for their budgets; fewer wait while the ordering has as many to give."""
_RENEWED_AT_ONCE = 4096
"""So many known domains are asked for again in each exchange."""
_COUNTING_SHARE, _SENT_SHARE = 2, 4
"""The shard has a half of the memory, the pairs that were sent a quarter, the known in-degrees the last quarter."""
_TOLD_AGAIN = 4
"""How many URLs of a domain wait here is told again once it has changed by one part in so many."""
_TRUST_SHARE = 4
"""Where budgets go by trust it has a quarter of the memory, and the shard the other."""
_QUESTION = np.dtype([("pairs", "<u4"), ("changes", "<u4"), ("domains", "<u4")])
_HASH = np.dtype("<u8")
_CHANGE = np.dtype("<i4")
_PAIR = np.dtype([("source", "<u8"), ("domain", "<u8")])
_AMOUNT = np.dtype([("domain", "<u8"), ("more", "<i8")])
_SUMS = np.dtype([("trust", "<f8"), ("squares", "<f8")])
_ANSWER = np.dtype([("degree", "<u4"), ("waiting", "<i4")])

Parts = npt.NDArray[np.float64]


class Changes(NamedTuple):
    """Of these domains so many more URLs wait on a rank than it told last, or fewer: uint64[n], int64[n]."""

    domains: Hashes
    more: Waiting


NO_CHANGES = Changes(np.empty(0, np.uint64), np.empty(0, np.int64))


class BudgetQuestion(NamedTuple):
    """What one rank has to say to another in an exchange: pairs and changes to be counted, domains it asks for."""

    pairs: Referrals
    changes: Changes
    domains: Hashes


class BudgetedOrdering(Protocol):
    """The ordering whose URLs are budgeted: `crawler.frontier.budgets.beast.Beast`."""

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

    def waiting(self, domains: Hashes) -> Waiting:
        """How many URLs of each domain wait here, for budgets or their turn: int64[n] for uint64[n]."""
        ...

    def place(self, budgets: Callable[[Hashes], Parts]) -> None:
        """Put the URLs that wait where the present budgets of their domains say."""
        ...


class Exchange(Asking, Protocol):
    """What the ranks' exchange has to offer here: `crawler.exchange.link_exchange.LinkExchange`, or a fake of it."""

    @property
    def rank(self) -> int:
        """Which of the ranks this is."""
        ...


class Star:
    """One rank's end of STAR; ``function`` is a name in `crawler.frontier.budgets.budget_functions.BUDGETS`.

    It takes about ``memory`` bytes, and files in ``folder``.  ``wire_bytes`` counts what this rank sent to others,
    questions and answers.  ``seeds`` are the domains of all seeds, from which trust comes.  ``arrived`` is told of the
    pairs that come to be counted here, of some of them again and again.  ``keep_alive`` serves again and again during a
    merge; with ``in_pieces`` merges of pairs go on by `merge_on`.
    """

    def __init__(
        self,
        folder: Path,
        ordering: BudgetedOrdering,
        function: str,
        memory: int,
        seeds: Hashes | None = None,
        arrived: Arrived = ignored,
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
        *,
        in_pieces: bool = False,
    ) -> None:
        self._ordering = ordering
        self._function = BUDGETS[function]
        self._new = NewReferrals(memory // _SENT_SHARE)
        self._arrived = arrived
        self._trust = Trust(memory // _TRUST_SHARE, seeds) if function == "trust" and seeds is not None else None
        counting = memory // _COUNTING_SHARE - (memory // _TRUST_SHARE if self._trust is not None else 0)
        self._shard = InDegrees(folder, counting, keep_alive, in_pieces=in_pieces)
        self._mean_trust = 0.0
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
        """The budget of each domain as far as this rank knows: int64[n] for uint64[n], float64[n] by trust.

        The least one for one that it does not know; that one is asked for in the next exchange.
        """
        return self._function(self._known.of(domains), self._ranking)

    def parts_of(self, domains: Hashes) -> Parts:
        """This rank's part of the budget of each domain: float64[n] for uint64[n].

        Those of all ranks are not more than the budget together, as far as they know the same of it.
        """
        return self.of(domains) * self._known.parts(domains)

    def of_site(self, site: str) -> int:
        """The budget of the domain that a site lies in, at least B0: rests are not longer than for that."""
        degree = self._known.of_one(domain_hash_of_site(site))
        return max(B0, int(self._function(np.array([degree], np.uint32), self._ranking)[0]))

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
            self._ordering.place(self.parts_of)

    @property
    def is_merging(self) -> bool:
        """Is there a merge of pairs to go on with?"""
        return self._shard.is_merging

    @property
    def merge_lag(self) -> float:
        """How far it is behind the pairs that came since, as `crawler.drum.drum.Drum` has it."""
        return self._shard.merge_lag

    def merge_on(self) -> None:
        """Do a piece of the merge of pairs that was begun."""
        self._shard.merge_on()

    def flush(self) -> None:
        """Count all pairs that came."""
        self._shard.flush()

    def restore(self, lots: Iterable[Referrals]) -> None:
        """Count pairs of this rank's domains that came to an earlier run, each of them once: nobody is told again."""
        self._shard.restore(lots)

    @property
    def keeps_links(self) -> bool:
        """Are links of domains kept here, by which trust is passed on?"""
        return self._trust is not None

    def restore_links(self, lots: Iterable[Referrals]) -> None:
        """Keep pairs again whose referring domain this rank counts."""
        if self._trust is not None:
            for pairs in lots:
                self._trust.add(pairs)

    def close(self) -> None:
        """The crawl has ended."""
        self._shard.close()

    def _ask(self, exchange: Exchange, needed: Hashes) -> None:
        """Bring what is known here up to date: of the domains that are ``needed``, and of some others."""
        domains = distinct(np.concatenate([needed, self._known.in_turn(_RENEWED_AT_ONCE)]))
        order, bounds = grouped(owners(domains, exchange.ranks), exchange.ranks)
        domains = domains[order]
        told = self._waiting_to_tell(domains)
        new = self._new.take()
        if self._trust is not None:
            self._pass_on(exchange, self._trust, new)
        pairs = _dealt(new, new.domains, exchange.ranks)
        changes = self._changes(domains, told, exchange.ranks)
        questions = [
            _question(BudgetQuestion(its_pairs, its_changes, domains[start:stop]))
            for its_pairs, its_changes, (start, stop) in zip(pairs, changes, pairwise(bounds), strict=True)
        ]
        self._count(exchange, questions)
        answers = exchange.ask(questions, lambda received: self._answer(exchange, received))
        if answers is None:
            return
        counts = np.diff(bounds).tolist()
        known = np.concatenate(
            [np.frombuffer(answer, _ANSWER, count) for answer, count in zip(answers, counts, strict=True)]
        )
        degrees, of_all = known["degree"].astype(np.uint32), known["waiting"].astype(np.int64)
        is_needed = np.isin(domains, needed)
        # To note domains may make others forgotten, which give back what they told: it has to be the latest.
        for note, which in ((self._known.renew, ~is_needed), (self._known.note, is_needed)):
            note(domains[which], degrees[which], told[which], of_all[which])
        if self._is_ranked:
            self._ranking = ranking_of(
                answer[count * _ANSWER.itemsize :] for answer, count in zip(answers, counts, strict=True)
            )

    def _pass_on(self, exchange: Exchange, trust: Trust, new: Referrals) -> None:
        """Tell those that keep the links of domains of ``new`` ones; trust moves on by one link."""

        def passed_on(received: Sequence[memoryview]) -> list[bytes]:
            pairs = np.concatenate([np.frombuffer(payload, _PAIR, -1, 1) for payload in received])
            trust.add(Referrals(pairs["source"].astype(np.uint64), pairs["domain"].astype(np.uint64)))
            domains, more = trust.changes()
            order, bounds = grouped(owners(domains, exchange.ranks), exchange.ranks)
            amounts = np.empty(len(domains), _AMOUNT)
            amounts["domain"], amounts["more"] = domains[order], more[order]
            sums = np.array([trust.sums()], _SUMS).tobytes()
            answers = [sums + amounts[start:stop].tobytes() for start, stop in pairwise(bounds)]
            self._count(exchange, answers)
            return answers

        dealt = _dealt(new, new.sources, exchange.ranks)
        # One byte at least: trust moves on where nobody has found links, too.
        questions = [b"\0" + _pairs_as_sent(pairs) for pairs in dealt]
        self._count(exchange, questions)
        answers = exchange.ask(questions, passed_on) or []
        sums = [np.frombuffer(answer, _SUMS, 1) for answer in answers]
        amounts = np.concatenate([np.frombuffer(answer, _AMOUNT, -1, _SUMS.itemsize) for answer in answers])
        total, squares = (sum(float(its[name][0]) for its in sums) for name in ("trust", "squares"))
        self._mean_trust = squares / total if total else 0.0
        trust.receive(amounts["domain"].astype(np.uint64), amounts["more"].astype(np.int64))

    def _supports(self, domains: Hashes) -> Degrees:
        """What is answered of domains that this rank counts: in-degrees, or `supports` where budgets go by trust."""
        degrees = self._shard.look_up(domains)
        if self._trust is None:
            return degrees
        return supports(degrees, self._trust.of(domains) / max(1.0, self._mean_trust))

    def _waiting_to_tell(self, domains: Hashes) -> Waiting:
        """How many URLs of each domain wait here, as this rank has told, or tells now if it is not near that."""
        waiting, told = self._ordering.waiting(domains), self._known.told(domains)
        return np.where(_TOLD_AGAIN * np.abs(waiting - told) > told, waiting, told)

    def _changes(self, domains: Hashes, told: Waiting, ranks: int) -> list[Changes]:
        """What those that count the domains add to what waits on all ranks; that of one rank is always all."""
        forgotten, forgotten_told = self._known.take_forgotten()
        if ranks == 1:
            return [NO_CHANGES]
        more = told - self._known.told(domains)
        is_changed = more != 0
        changed = np.concatenate([domains[is_changed], forgotten])
        more = np.concatenate([more[is_changed], -forgotten_told])
        order, bounds = grouped(owners(changed, ranks), ranks)
        changed, more = changed[order], more[order]
        return [Changes(changed[start:stop], more[start:stop]) for start, stop in pairwise(bounds)]

    def _answer(self, exchange: Exchange, received: Sequence[memoryview]) -> list[bytes]:
        """Count the pairs and changes that all ranks send, then tell each what is known of those it asks for."""
        questions = [_read(payload) for payload in received]
        to_count = joined([question.pairs for question in questions])
        if len(to_count.domains):
            self._arrived(*to_count)
        self._shard.add(to_count)
        changes = [question.changes for question in questions]
        self._shard.wait(*(np.concatenate(columns) for columns in zip(*changes, strict=True)))
        domains = np.concatenate([question.domains for question in questions])
        known = np.empty(len(domains), _ANSWER)
        known["degree"], known["waiting"] = self._supports(domains), self._shard.waiting(domains)
        ranks = self._shard.histogram.packed() if self._is_ranked else b""
        ends = np.cumsum([len(question.domains) for question in questions])[:-1]
        answers = [its.tobytes() + ranks for its in np.split(known, ends)]
        self._count(exchange, answers)
        return answers

    def _count(self, exchange: Exchange, payloads: Sequence[bytes]) -> None:
        self.wire_bytes += sum(len(payload) for rank, payload in enumerate(payloads) if rank != exchange.rank)


def _dealt(pairs: Referrals, by: Hashes, ranks: int) -> list[Referrals]:
    """The pairs for each rank that counts one of the domains ``by``, of which each pair has one."""
    order, bounds = grouped(owners(by, ranks), ranks)
    sources, domains = pairs.sources[order], pairs.domains[order]
    return [Referrals(sources[start:stop], domains[start:stop]) for start, stop in pairwise(bounds)]


def _pairs_as_sent(pairs: Referrals) -> bytes:
    sent = np.empty(len(pairs.domains), _PAIR)
    sent["source"], sent["domain"] = pairs
    return sent.tobytes()


def _question(question: BudgetQuestion) -> bytes:
    """A question as it travels; no bytes if it is empty."""
    pairs, changes, domains = question
    header = np.array([(len(pairs.domains), len(changes.domains), len(domains))], _QUESTION)
    if not any(header.item()):
        return b""
    hashes = (column.astype(_HASH) for column in (*pairs, changes.domains, domains))
    return b"".join(column.tobytes() for column in (header, *hashes, changes.more.astype(_CHANGE)))


def _read(payload: memoryview) -> BudgetQuestion:
    """What `_question` was given."""
    if not len(payload):
        return BudgetQuestion(NO_REFERRALS, NO_CHANGES, np.empty(0, np.uint64))
    ((pairs, changes, domains),) = np.frombuffer(payload, _QUESTION, 1).tolist()
    hashes = np.frombuffer(payload, _HASH, 2 * pairs + changes + domains, _QUESTION.itemsize).astype(np.uint64)
    more = np.frombuffer(payload, _CHANGE, changes, _QUESTION.itemsize + hashes.nbytes).astype(np.int64)
    sources, targets, changed, asked = np.split(hashes, np.cumsum([pairs, pairs, changes]))
    return BudgetQuestion(Referrals(sources, targets), Changes(changed, more), asked)
