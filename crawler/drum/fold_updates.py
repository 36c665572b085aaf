"""What operations on equal keys make of a value, one after the other, computed for all keys at once.

The records are sorted by key and, within a key, by arrival: each key has a *run* of them.  An update's effect on all
later records of its run is a scan in segments (Blelloch, "Prefix Sums and Their Applications", section 1.5); each
rule has the one that suits it, and none loops over records or over the length of a run.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.drum.kind import Kind, UpdateRule, Values
from crawler.urls.batch import Mask

Column = npt.NDArray[Any]
Positions = npt.NDArray[np.int64]


class Runs(NamedTuple):
    """n records in g runs: where each run starts and how long it is, int64[g]; which records update, bool[n]."""

    starts: Positions
    lengths: Positions
    is_update: Mask


class Outcome(NamedTuple):
    """For n records whether a value was there and which, before and after; for g runs, the same at the end."""

    found: Mask
    before: Values
    after: Values
    is_there: Mask
    end: Values


def play(kind: Kind, runs: Runs, given: Values, was_there: Mask, values: Values) -> Outcome:
    """Apply the updates of each run in order.

    ``given`` structured[n] is what the records bring (read for updates only); ``was_there`` bool[g] and ``values``
    structured[g] (zeros where nothing was) what was there before.
    """
    updated = _updated_so_far(runs)
    there = np.repeat(was_there, runs.lengths) | updated
    state = _State(runs, was_there, updated, there)
    after = np.empty(len(there), kind.value)
    before = np.empty(len(there), kind.value)
    for name, rule in kind.rules.items():
        after[name] = _SCANS[rule](state, given[name], values[name])
        before[name] = _shifted(after[name], values[name], runs.starts)
    last = runs.starts + runs.lengths - 1
    return Outcome(_shifted(there, was_there, runs.starts), before, after, there[last], after.take(last))


def merged(rule: UpdateRule, before: Column, given: Column) -> Column:
    """What one update makes of each of n values that are there."""
    return _MERGES[rule](before, given)


class _State(NamedTuple):
    runs: Runs
    was_there: Mask
    updated: Mask
    there: Mask


def _updated_so_far(runs: Runs) -> Mask:
    """Which records have an update in their run before them, or are one."""
    if bool(runs.is_update.all()):
        return runs.is_update
    updates = np.cumsum(runs.is_update)
    return updates > np.repeat((updates - runs.is_update)[runs.starts], runs.lengths)


def _shifted(after: Column, first: Column, starts: Positions) -> Column:
    before = np.empty_like(after)
    before[1:] = after[:-1]
    before[starts] = first
    return before


def _first(state: _State, given: Column, values: Column) -> Column:
    runs = state.runs
    updates = np.flatnonzero(runs.is_update)
    first = np.searchsorted(updates, runs.starts)
    kept = values.copy()
    brought = ~state.was_there & (first < len(updates))  # by a later run, if this one has no update: masked below
    kept[brought] = given[updates[first[brought]]]
    after = np.repeat(kept, runs.lengths)
    after[~state.there] = np.zeros((), after.dtype)
    return after


def _last(state: _State, given: Column, values: Column) -> Column:
    runs = state.runs
    latest = np.where(runs.is_update, np.arange(len(runs.is_update)), 0)
    np.maximum.accumulate(latest, out=latest)
    after = np.repeat(values, runs.lengths)
    after[state.updated] = given[latest[state.updated]]
    return after


def _add(state: _State, given: Column, values: Column) -> Column:
    runs = state.runs
    added = given.astype(given.dtype)
    added[~runs.is_update] = 0
    sums: Column = np.cumsum(added, dtype=given.dtype)
    offsets = values - (sums - added)[runs.starts]
    sums += np.repeat(offsets, runs.lengths)
    return sums


def _minimum(state: _State, given: Column, values: Column) -> Column:
    runs = state.runs
    least = given.astype(given.dtype)
    least[~runs.is_update] = _greatest(given.dtype)
    known = runs.starts[state.was_there]
    least[known] = np.minimum(least[known], values[state.was_there])
    places = np.arange(len(least)) - np.repeat(runs.starts, runs.lengths)
    later = np.flatnonzero(places)
    reach = 1
    while later.size:
        least[later] = np.minimum(least[later], least[later - reach])
        reach *= 2
        later = later[places[later] >= reach]
    least[~state.there] = 0
    return least


def _greatest(dtype: np.dtype[Any]) -> float | int:
    return np.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)


_SCANS: dict[UpdateRule, Callable[[_State, Column, Column], Column]] = {
    UpdateRule.FIRST: _first,
    UpdateRule.LAST: _last,
    UpdateRule.ADD: _add,
    UpdateRule.MINIMUM: _minimum,
}

_MERGES: dict[UpdateRule, Callable[[Column, Column], Column]] = {
    UpdateRule.FIRST: lambda before, given: before,
    UpdateRule.LAST: lambda before, given: given,
    UpdateRule.ADD: np.add,
    UpdateRule.MINIMUM: np.minimum,
}
