"""The lists of successors in a WebGraph file, decoded one after the other.

A node's list is written as: how many successors; how many nodes back the list stands that it copies from, and which
blocks of that; intervals of consecutive numbers; the rest, each as the distance from the one before.  A list only
refers to earlier ones, so no index (.offsets) is needed.  All decoding is compiled; whatever the stream says is
checked against what is possible before it is believed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sessions.compiled import compiled, inlined
from sessions.importing.bit_codes import Bytes, Code, read_coded, read_gamma

Starts = npt.NDArray[np.int64]
Targets = npt.NDArray[np.int32]

_NODES_AT_ONCE = 1 << 14
_FIRST_ROOM = 1 << 16


class Coding(NamedTuple):
    """How a graph is written: the codes of the parts of a list, and their parameters.

    ``window`` is how many nodes back a list may refer, ``shortest_interval`` 0 if there are no intervals, ``k`` the
    parameter of the residuals' code.
    """

    outdegrees: Code = Code.GAMMA
    blocks: Code = Code.GAMMA
    residuals: Code = Code.ZETA
    references: Code = Code.UNARY
    block_counts: Code = Code.GAMMA
    window: int = 7
    shortest_interval: int = 4
    k: int = 3


class Fault(IntEnum):
    """Why decoding stopped: for want of room, or because the stream is damaged."""

    NONE = 0
    WANTS_ROOM = 1
    ENDS_EARLY = 2
    OUTDEGREE = 3
    TOO_MANY_LINKS = 4
    REFERENCE = 5
    BLOCKS = 6
    INTERVALS = 7
    RESIDUALS = 8
    TWICE = 9


FAULTS = {
    Fault.ENDS_EARLY: "the lists go on beyond the end of the file",
    Fault.OUTDEGREE: "more successors than there are nodes",
    Fault.TOO_MANY_LINKS: "more links than the properties say",
    Fault.REFERENCE: "a list that is copied from beyond the window",
    Fault.BLOCKS: "more successors copied than there are",
    Fault.INTERVALS: "an interval beyond the nodes or the number of successors",
    Fault.RESIDUALS: "a successor beyond the nodes",
    Fault.TWICE: "a successor that is there twice",
}
"""What is wrong, for people."""

(_NONE, _WANTS_ROOM, _ENDS_EARLY, _OUTDEGREE, _TOO_MANY_LINKS, _REFERENCE, _BLOCKS, _INTERVALS, _RESIDUALS, _TWICE) = (
    map(int, Fault)
)


class DamagedError(Exception):
    """The stream is no graph from some ``bit`` on, in the list of ``node``; ``fault`` says why."""

    def __init__(self, fault: Fault, node: int, bit: int) -> None:
        super().__init__(f"node {node}, bit {bit}: {FAULTS[fault]}")
        self.fault, self.node, self.bit = fault, node, bit


@dataclass(frozen=True, slots=True)
class Successors:
    """The lists of some nodes, from node ``first`` on.

    The successors of the i-th of them are ``targets[starts[i]:starts[i + 1]]``, ascending; ``bit`` is where the next
    node's list begins.
    """

    first: int
    starts: Starts
    targets: Targets
    bit: int


def decode(data: Bytes, nodes: int, links: int, coding: Coding) -> Iterator[Successors]:
    """Decode the lists of a graph of so many nodes and links, some thousand nodes at a time.

    Raises DamagedError.  Memory grows with the longest lists that are really there, and with the window.
    """
    end = 8 * len(data)
    window = min(coding.window, nodes)
    starts, targets = np.zeros(window + _NODES_AT_ONCE + 1, np.int64), np.empty(_FIRST_ROOM, np.int32)
    scratch = np.empty(_FIRST_ROOM, np.int32)
    in_numbers = Coding._make(map(int, coding))  # what is compiled for one coding serves all
    node = bit = kept = dropped = 0
    while node < nodes:
        begin, held = node, node - kept  # starts[0] is where the list of node `held` begins
        stop = min(node + _NODES_AT_ONCE, nodes)
        fault = int(Fault.WANTS_ROOM)
        while fault == Fault.WANTS_ROOM:
            fault, node, bit, wanted = _decode(
                data, end, bit, node, stop, nodes, links - dropped, in_numbers, held, starts, targets, scratch
            )
            if fault == Fault.WANTS_ROOM:
                scratch = _with_room(scratch, 0, wanted)
                targets = _with_room(targets, int(starts[node - held]), wanted)
            elif fault != Fault.NONE:
                raise DamagedError(Fault(fault), node, bit)
        own = starts[kept : node - held + 1]
        yield Successors(begin, own - own[0], targets[own[0] : own[-1]].copy(), bit)
        # Later lists may copy from the last ones of the window.
        kept = min(window, node)
        last = starts[node - held - kept : node - held + 1].copy()
        targets[: last[-1] - last[0]] = targets[last[0] : last[-1]].copy()
        starts[: kept + 1] = last - last[0]
        dropped += int(last[0])


def _with_room(numbers: Targets, used: int, wanted: int) -> Targets:
    """The array, or a larger one that has its first ``used`` numbers, with room for ``wanted`` more."""
    if used + wanted <= len(numbers):
        return numbers
    larger = np.empty(max(used + wanted, 2 * len(numbers)), np.int32)
    larger[:used] = numbers[:used]
    return larger


@compiled
def _decode(
    data: Bytes,
    end: int,
    position: int,
    node: int,
    stop: int,
    nodes: int,
    links: int,
    coding: Coding,
    held: int,
    starts: Starts,
    targets: Targets,
    scratch: Targets,
) -> tuple[int, int, int, int]:
    """Decode the lists of ``node`` to ``stop - 1``: (fault, node come to, its position or that of the fault, room).

    ``starts`` begins with node ``held``; ``links`` is how many there may be in ``targets``.
    """
    while node < stop:
        place = node - held
        fault, after, room = _decode_list(
            data, end, position, node, nodes, links, coding, place, starts, targets, scratch
        )
        if fault == _WANTS_ROOM:
            return fault, node, position, room
        if fault:
            return fault, node, after, 0
        position = after
        node += 1
    return _NONE, node, position, 0


@inlined
def _decode_list(
    data: Bytes,
    end: int,
    position: int,
    node: int,
    nodes: int,
    links: int,
    coding: Coding,
    place: int,
    starts: Starts,
    targets: Targets,
    scratch: Targets,
) -> tuple[int, int, int]:
    """Decode the list of a node, which stands at a ``place`` of ``starts``: (fault, position, room)."""
    used = starts[place]
    degree, position = read_coded(data, end, position, coding.outdegrees, 1)
    if degree < 0:
        return _ENDS_EARLY, position, 0
    if degree > nodes:
        return _OUTDEGREE, position, 0
    if degree > links - used:
        return _TOO_MANY_LINKS, position, 0
    if degree > len(scratch) or used + degree > len(targets):
        return _WANTS_ROOM, position, degree
    starts[place + 1] = used + degree
    if degree == 0:
        return _NONE, position, 0
    fault, position, copied = _copy(data, end, position, place, degree, coding, starts, targets, scratch)
    if fault:
        return fault, position, 0
    fault, position, listed = _read_intervals(data, end, position, node, nodes, copied, degree, coding, scratch)
    if fault:
        return fault, position, 0
    fault, position = _read_residuals(data, end, position, node, nodes, listed, degree, coding, scratch)
    if fault:
        return fault, position, 0
    if _merge(scratch, copied, listed, degree, targets, used):
        return _TWICE, position, 0
    return _NONE, position, 0


@inlined
def _copy(
    data: Bytes,
    end: int,
    position: int,
    place: int,
    degree: int,
    coding: Coding,
    starts: Starts,
    targets: Targets,
    scratch: Targets,
) -> tuple[int, int, int]:
    """Copy what the list at a place of ``starts`` takes from an earlier one: (fault, position, how many)."""
    reference = 0
    if coding.window > 0:
        reference, position = read_coded(data, end, position, coding.references, 1)
        if reference < 0:
            return _ENDS_EARLY, position, 0
    if reference == 0:
        return _NONE, position, 0
    if reference > coding.window or reference > place:
        return _REFERENCE, position, 0
    at, last = starts[place - reference], starts[place - reference + 1]
    return _copy_blocks(data, end, position, degree, coding, targets[at:last], scratch)


@inlined
def _copy_blocks(
    data: Bytes, end: int, position: int, degree: int, coding: Coding, earlier: Targets, scratch: Targets
) -> tuple[int, int, int]:
    """Copy every other block of an earlier list, the first one first: (fault, position, how many)."""
    blocks, position = read_coded(data, end, position, coding.block_counts, 1)
    if blocks < 0:
        return _ENDS_EARLY, position, 0
    if blocks > len(earlier) + 1:
        return _BLOCKS, position, 0
    at = copied = 0
    for block in range(blocks + 1):
        if block < blocks:
            length, position = read_coded(data, end, position, coding.blocks, 1)
            if length < 0:
                return _ENDS_EARLY, position, 0
            if block > 0:
                length += 1
        else:
            length = len(earlier) - at  # the rest is one more block, taken or left like the others in turn
        if length > len(earlier) - at:
            return _BLOCKS, position, 0
        if block % 2 == 0:
            if copied + length > degree:
                return _BLOCKS, position, 0
            for index in range(length):
                scratch[copied + index] = earlier[at + index]
            copied += length
        at += length
    return _NONE, position, copied


@inlined
def _read_intervals(
    data: Bytes,
    end: int,
    position: int,
    node: int,
    nodes: int,
    done: int,
    degree: int,
    coding: Coding,
    scratch: Targets,
) -> tuple[int, int, int]:
    """Write the numbers of the intervals out behind the ``done`` ones: (fault, position, how many are done now)."""
    shortest = coding.shortest_interval
    if shortest == 0 or done == degree:
        return _NONE, position, done
    intervals, position = read_gamma(data, end, position)
    if intervals < 0:
        return _ENDS_EARLY, position, 0
    if intervals > (degree - done) // shortest:
        return _INTERVALS, position, 0
    left = 0
    for interval in range(intervals):
        number, position = read_gamma(data, end, position)
        if number < 0:
            return _ENDS_EARLY, position, 0
        left = node + _signed(number) if interval == 0 else left + number + 1
        length, position = read_gamma(data, end, position)
        if length < 0:
            return _ENDS_EARLY, position, 0
        length += shortest
        if length > degree - done or left < 0 or left > nodes - length:
            return _INTERVALS, position, 0
        for _ in range(length):
            scratch[done] = left
            done += 1
            left += 1
    return _NONE, position, done


@inlined
def _read_residuals(
    data: Bytes,
    end: int,
    position: int,
    node: int,
    nodes: int,
    done: int,
    degree: int,
    coding: Coding,
    scratch: Targets,
) -> tuple[int, int]:
    """Read the successors that are neither copied nor in an interval: (fault, position)."""
    previous = -1
    for index in range(done, degree):
        number, position = read_coded(data, end, position, coding.residuals, coding.k)
        if number < 0:
            return _ENDS_EARLY, position
        previous = node + _signed(number) if index == done else previous + number + 1
        if previous < 0 or previous >= nodes:
            return _RESIDUALS, position
        scratch[index] = previous
    return _NONE, position


@compiled
def _signed(number: int) -> int:
    """Whole numbers from those of at least 0: 0, -1, 1, -2, 2, ..."""
    return number >> 1 if number & 1 == 0 else -((number + 1) >> 1)


@compiled
def _merge(scratch: Targets, second: int, third: int, degree: int, targets: Targets, at: int) -> bool:
    """Merge three ascending runs, which begin at 0, ``second`` and ``third``, into ``targets``; true if one number
    is there twice."""
    one, two, three = 0, second, third
    previous = -1
    for index in range(at, at + degree):
        least = 1 << 32
        run = 0
        if one < second:
            least, run = scratch[one], 1
        if two < third and scratch[two] < least:
            least, run = scratch[two], 2
        if three < degree and scratch[three] < least:
            least, run = scratch[three], 3
        if run == 1:
            one += 1
        elif run == 2:
            two += 1
        else:
            three += 1
        if least <= previous:
            return True
        targets[index] = least
        previous = least
    return False
