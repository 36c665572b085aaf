"""A partition of a hypergraph of which each rank has a share, kept up to date while all ranks move vertices.

Each rank has a `connectivity.State` of its own vertices and nets, in which a net's slots count the pins of *all*
ranks.  So what a move gains is exact as long as no other rank moves pins of the same nets.  Ranks move in rounds: in a
round each moves own vertices by what it knows; then the changes (net, part, pins more or fewer) go to the nets' homes,
which add them up and tell the ranks that hold the nets.  Only then is it known what the moves of all have gained
together, and a round that made the partition worse is undone.

The balance holds exactly: in a round no rank may use more than its share of the room that a part has left, and of
what a part has too much each rank gives away in proportion to what it has there.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.cut.connectivity import Nets, State, nets_of, state_of
from partition.graphs.group_sums import summed
from partition.graphs.link_graph import Numbers
from partition.shares.hypergraph_share import HypergraphShare
from partition.shares.keyed_sums import summed_by_key
from sessions.compiled import compiled
from sessions.hash_arrays import concatenated_ranges

Changes = tuple[Numbers, Numbers, Numbers]
"""Nets, parts, and how many pins more (or fewer) the net has in the part: int64[n] each."""


class SharedState:
    """One rank's view of a partition of all vertices.

    Attributes:
        nets: this rank's nets and vertices.
        state: their state; its loads, limits and sizes are what this rank may go by in the round.
        cost: what the partition costs, on all ranks together.
        excess: how far it is beyond the balance (`Balance.excess`).
    """

    def __init__(self, share: HypergraphShare, parts: Owners, balance: Balance) -> None:
        self._share, self._ranks, self._balance = share, share.ranks, balance
        self.nets: Nets = nets_of(share.local)
        self._is_shared = np.diff(self.nets.starts) < share.sizes
        self._rounds = 0
        self._start_from(parts)

    def round(self, make_moves: Callable[[Nets, State], object], active: npt.NDArray[np.bool_]) -> int:
        """Have the ``active`` ranks, bool[R], move vertices of theirs; what that gains, 0 if it was undone."""
        before, cost, excess = self.state.parts.copy(), self.cost, self.excess
        if active[self._ranks.rank]:
            self._limit(active)
            make_moves(self.nets, self.state)
        self._rounds += 1
        self._exchange(self._changes_since(before))
        self._measure()
        if (self.excess, self.cost) > (excess, cost):
            self._start_from(before)
            return 0
        return cost - self.cost

    def _start_from(self, parts: Owners) -> None:
        share = self._share
        state = state_of(self.nets, parts, self._balance, share.sizes)
        self.state: State = state._replace(limits=self._balance.limits.copy())
        shared = np.flatnonzero(self._is_shared)
        spans = state.spans[shared].astype(np.int64)
        slots = concatenated_ranges(state.slot_starts[shared], spans)
        here = state.slot_parts[slots].astype(np.int64), state.slot_pins[slots].astype(np.int64)
        self._exchange((np.repeat(shared, spans), *here))
        self._measure()

    def _measure(self) -> None:
        """Find cost, loads and sizes over all ranks."""
        k, at_home = self._balance.parts, self._share.at_home
        self._own_loads = summed(self.nets.weights, self.state.parts, k)
        self._own_sizes = np.bincount(self.state.parts, minlength=k).astype(np.int64)
        mine = int((self.state.spans[:at_home].astype(np.int64) - 1) @ self.nets.costs[:at_home])
        columns = [self._own_loads.ravel(), self._own_sizes, np.array([mine], np.int64)]
        sums = self._ranks.summed(np.concatenate(columns))
        self._loads, self._sizes = sums[: -k - 1].reshape(k, -1), sums[-k - 1 : -1]
        self.cost = int(sums[-1])
        self.excess = self._balance.excess_of(self._loads, self._sizes)
        guards = np.array(self._ranks.together(self._own_sizes)).argmax(axis=0)
        is_guard = np.where(self._sizes > 0, guards, np.arange(k) % self._ranks.size) == self._ranks.rank
        # No part may be left empty: one rank sees to it that it keeps a vertex there, the others need not.
        self.state.sizes[:] = self._own_sizes + ~is_guard
        self.state.loads[:] = self._loads

    def _limit(self, active: npt.NDArray[np.bool_]) -> None:
        """Set how much each part may weigh if only this rank moves vertices."""
        room, loads = self._balance.limits - self._loads, self._loads
        count, place = int(active.sum()), int(active[: self._ranks.rank].sum())
        turns = (np.arange(len(loads)) + self._rounds) % count == place
        more = np.maximum(room, 0) // count + np.where(turns[:, None], np.maximum(room, 0) % count, 0)
        # Rounded up, so that what all ranks give away is enough.
        less = np.ceil(np.maximum(-room, 0) * (self._own_loads / np.maximum(loads, 1))).astype(np.int64)
        self.state.limits[:] = loads + more - less

    def _changes_since(self, before: Owners) -> Changes:
        """What this rank's moves have changed in nets that others hold, too."""
        nets, k, parts = self.nets, self._balance.parts, self.state.parts
        moved = np.flatnonzero(parts != before)
        degrees = nets.vertex_starts[moved + 1] - nets.vertex_starts[moved]
        touched = nets.nets[concatenated_ranges(nets.vertex_starts[moved], degrees)].astype(np.int64)
        is_shared = self._is_shared[touched]
        touched, movers = touched[is_shared], np.repeat(moved, degrees)[is_shared]
        keys = np.concatenate([touched * k + before[movers], touched * k + parts[movers]])
        keys, deltas = summed_by_key(keys, np.repeat(np.array([-1, 1]), len(movers)))
        changed = deltas != 0
        return keys[changed] // k, keys[changed] % k, deltas[changed]

    def _exchange(self, changes: Changes) -> None:
        """Tell all ranks of this rank's changes, and add theirs."""
        share, ranks = self._share, self._ranks
        nets, parts, deltas = changes
        is_home = nets < share.at_home
        abroad = nets[~is_home] - share.at_home
        (places, there, pins), came = ranks.sent(
            share.homes[abroad], share.places[abroad], parts[~is_home], deltas[~is_home]
        )
        self._add(places, there, pins)
        senders = np.concatenate([np.repeat(np.arange(ranks.size), came), np.full(int(is_home.sum()), ranks.rank)])
        told = self._told_to_holders(
            senders,
            np.concatenate([places, nets[is_home]]),
            np.concatenate([there, parts[is_home]]),
            np.concatenate([pins, deltas[is_home]]),
        )
        (places, there, pins), came = ranks.sent(*told)
        self._add(share.net_at(np.repeat(np.arange(ranks.size), came), places), there, pins)

    def _told_to_holders(
        self, senders: Numbers, places: Numbers, parts: Numbers, deltas: Numbers
    ) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """To whom, which net at home here, which part, how many pins: all changes but the holder's own."""
        share, k, h = self._share, self._balance.parts, max(1, self._share.at_home)
        keys, sums = summed_by_key(places * k + parts, deltas)
        counts = share.holder_starts[keys // k + 1] - share.holder_starts[keys // k]
        holders = share.holders[concatenated_ranges(share.holder_starts[keys // k], counts)].astype(np.int64)
        is_others = senders != self._ranks.rank
        own = (senders[is_others] * h + places[is_others]) * k + parts[is_others]
        every = holders * (h * k) + np.repeat(keys, counts)
        keys, sums = summed_by_key(
            np.concatenate([every, own]), np.concatenate([np.repeat(sums, counts), -deltas[is_others]])
        )
        keys, sums = keys[sums != 0], sums[sums != 0]
        return keys // (h * k), keys // k % h, keys % k, sums

    def _add(self, nets: Numbers, parts: Numbers, deltas: Numbers) -> None:
        """Count pins of other ranks; those that are fewer first, since parts that are left make room for others."""
        keys, sums = summed_by_key(nets * self._balance.parts + parts, deltas)
        order = np.argsort(sums, kind="stable")
        _add_pins(self.state, keys[order] // self._balance.parts, keys[order] % self._balance.parts, sums[order])


@compiled
def _add_pins(state: State, nets: Numbers, parts: Numbers, deltas: Numbers) -> None:
    for index in range(len(nets)):
        net, part = nets[index], parts[index]
        first = state.slot_starts[net]
        slot, end = first, first + state.spans[net]
        while slot < end and state.slot_parts[slot] != part:
            slot += 1
        if slot == end:
            if deltas[index] == 0:
                continue
            state.slot_parts[slot], state.slot_pins[slot] = part, 0
            state.spans[net] += 1
            end += 1
        state.slot_pins[slot] += deltas[index]
        if state.slot_pins[slot] == 0:
            state.slot_parts[slot], state.slot_pins[slot] = state.slot_parts[end - 1], state.slot_pins[end - 1]
            state.spans[net] -= 1
