"""A limit of received bytes over all ranks: each takes its share anew in every exchange, from the states of all.

Shares are max-min fair (Bertsekas, Gallager, Data Networks, section 6.5.2): a rank that needs less than an even share
gets what it needs, and those that were kept waiting get what is left, evenly.  Every rank computes the same ones.  What
a rank let lie of its share is shared out beside the limit the next time, if another was kept waiting meanwhile.

Reads the clock: a timetable goes by the time of day.
"""

import os
from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from crawler.exchange.verdict import Status
from crawler.network.bandwidth import AS_MUCH_AS_IT_GETS, Bandwidth
from crawler.network.timetable import Timetable

_BITS = 8
_LEAST_OF_EVEN_SHARE = 0.02
"""A rank gets at least so much of an even share, so that one that had no work can begin."""
_MOST_MADE_UP_FOR = 0.25
"""Of the limit: so much more may be shared out for what was lost before."""
NO_LIMIT = -1
"""The limit that a state tells where none holds."""


class BandwidthState(NamedTuple):
    """What a rank's state says of bandwidth: see `crawler.exchange.verdict.Status`."""

    host: int = 0
    bandwidth_limit: int = NO_LIMIT
    bandwidth_need: int = 0
    bandwidth_lost: int = 0
    network_bytes: int = 0


class BandwidthShare:
    """This rank's share in the limits over all ranks and over those of a host, in bits per second; None for none.

    ``timetable`` has the limit over all ranks; rank 0's clock counts.
    """

    def __init__(
        self, bandwidth: Bandwidth, timetable: Timetable, host_limit: int | None, ranks: int, now: float
    ) -> None:
        self._bandwidth = bandwidth
        self._timetable = timetable
        self._host_limit = _in_bytes(host_limit)
        self._host = xxh3_64_intdigest(os.uname().nodename.encode()) >> 1
        # Until the first exchange nobody knows what others need, nor where they are.
        bandwidth.replace(min(_in_bytes(timetable.now()), self._host_limit) / ranks, now)

    def state(self, now: float) -> BandwidthState:
        """Return what this rank says in the exchange."""
        limit, bandwidth = self._timetable.now(), self._bandwidth
        told = NO_LIMIT if limit is None else limit
        return BandwidthState(self._host, told, *bandwidth.use(now), bandwidth.received)

    def take(self, states: Sequence[Status], rank: int, now: float) -> None:
        """Take the share that the states of all ranks give to this ``rank``."""
        self._bandwidth.replace(fair_rates(states, self._host_limit)[rank], now)


def fair_rates(states: Sequence[Status], host_limit: float = inf) -> list[float]:
    """Return each rank's share in bytes per second, where the ranks of a host may have ``host_limit`` together."""
    told = states[0].bandwidth_limit
    limit = _in_bytes(None if told == NO_LIMIT else told)
    least = _LEAST_OF_EVEN_SHARE * min(limit, host_limit) / len(states)
    needs = [_need(state, least) for state in states]
    of_host = defaultdict(list)
    for rank, state in enumerate(states):
        of_host[state.host].append(rank)
    caps = [inf] * len(states)
    for ranks in of_host.values():
        pool = _made_up_for(host_limit, [states[rank] for rank in ranks])
        for rank, share in zip(ranks, max_min_fair(pool, [needs[rank] for rank in ranks]), strict=True):
            caps[rank] = share
    shares = max_min_fair(_made_up_for(limit, states), [min(pair) for pair in zip(needs, caps, strict=True)])
    return [min(pair) for pair in zip(shares, caps, strict=True)]


def _made_up_for(limit: float, states: Sequence[Status]) -> float:
    """A limit with what some ranks lost of it while another was kept waiting."""
    if limit == inf or all(state.bandwidth_need != AS_MUCH_AS_IT_GETS for state in states):
        return limit
    return limit + min(sum(state.bandwidth_lost for state in states), _MOST_MADE_UP_FOR * limit)


def max_min_fair(pool: float, needs: Sequence[float]) -> list[float]:
    """Share a pool: none gets more than it needs while another needs more; what nobody needs is spread evenly."""
    if pool == inf:
        return [inf] * len(needs)
    given = [0.0] * len(needs)
    hungry = sorted(range(len(needs)), key=lambda rank: (needs[rank], rank))
    left = pool
    for taken, rank in enumerate(hungry):
        given[rank] = min(needs[rank], left / (len(hungry) - taken))
        left -= given[rank]
    return [share + left / len(given) for share in given]


def _need(state: Status, least: float) -> float:
    if state.bandwidth_need == AS_MUCH_AS_IT_GETS:
        return inf
    return max(float(state.bandwidth_need), least)


def _in_bytes(bits: int | None) -> float:
    return inf if bits is None else bits / _BITS
