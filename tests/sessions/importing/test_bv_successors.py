"""Lists of bv_successors, decoded from what a plain writer wrote, whole and damaged."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing import bv_successors
from sessions.importing.bit_codes import Code
from sessions.importing.bv_successors import Coding, DamagedError, Fault, decode
from tests.sessions.importing.support.bvwriter import as_bytes, bit_string, delta, gamma, unary, zeta

THREE = (Code.GAMMA, Code.DELTA, Code.UNARY)
RESIDUALS = (Code.GAMMA, Code.DELTA, Code.ZETA, Code.NIBBLE, Code.GOLOMB)
PLAIN = Coding(residuals=Code.GAMMA, window=0, shortest_interval=0)

codings = st.builds(
    Coding,
    st.sampled_from(THREE[:2]),
    st.sampled_from(THREE),
    st.sampled_from(RESIDUALS),
    st.sampled_from(THREE),
    st.sampled_from(THREE),
    st.sampled_from([0, 1, 3, 7]),
    st.sampled_from([0, 1, 2, 4]),
    st.integers(1, 8),
)


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    """Graphs in which nodes have much in common with earlier ones, and runs of consecutive bv_successors."""
    nodes = draw(st.integers(1, 30))
    lists: list[list[int]] = []
    for _ in range(nodes):
        found = draw(st.sets(st.integers(0, nodes - 1), max_size=8))
        if draw(st.booleans()):
            start = draw(st.integers(0, nodes - 1))
            found |= set(range(start, min(nodes, start + draw(st.integers(1, 12)))))
        if lists and draw(st.booleans()):
            found |= set(lists[draw(st.integers(max(0, len(lists) - 7), len(lists) - 1))])
        lists.append(sorted(found))
    return lists


def decoded(data: bytes, nodes: int, links: int, coding: Coding) -> list[list[int]]:
    return [
        found.targets[start:end].tolist()
        for found in decode(np.frombuffer(data, np.uint8), nodes, links, coding)
        for start, end in pairwise(found.starts)
    ]


def check_or_refuse(data: bytes, nodes: int, links: int, coding: Coding) -> None:
    """What is decoded is a graph of at most so many links, or its damage is told, with a place within the data."""
    try:
        found = decoded(data, nodes, links, coding)
    except DamagedError as error:
        place = error.fault in bv_successors.FAULTS, 0 <= error.node < nodes, 0 <= error.bit <= 8 * len(data)
        found = [] if all(place) else [[-1]]
    assert sum(map(len, found)) <= links
    assert all(numbers == sorted(set(numbers)) for numbers in found)
    assert all(0 <= number < nodes for numbers in found for number in numbers)


@given(graphs(), codings, st.integers(0, 9), st.sampled_from([1, 2, 5, 1 << 14]))
def test_what_was_written_is_read(lists: list[list[int]], coding: Coding, seed: int, at_once: int) -> None:
    data = as_bytes(bit_string(lists, coding, random.Random(seed)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bv_successors, "_NODES_AT_ONCE", at_once)
        assert decoded(data, len(lists), sum(map(len, lists)), coding) == lists


def test_lists_of_any_length_and_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bv_successors, "_FIRST_ROOM", 3)
    monkeypatch.setattr(bv_successors, "_NODES_AT_ONCE", 100)
    choice = random.Random(5)
    lists = [sorted(choice.sample(range(500), choice.choice([0, 1, 4, 200]))) for _ in range(500)]
    coding = Coding()
    data = as_bytes(bit_string(lists, coding, choice))
    assert decoded(data, 500, sum(map(len, lists)), coding) == lists


@given(graphs(), codings, st.integers(0, 9), st.data())
def test_damage_is_noticed_or_gives_another_graph(
    lists: list[list[int]], coding: Coding, seed: int, data: st.DataObject
) -> None:
    whole = bytearray(as_bytes(bit_string(lists, coding, random.Random(seed))))
    for bit in data.draw(st.lists(st.integers(0, 8 * len(whole) - 1), min_size=1, max_size=5)):
        whole[bit >> 3] ^= 0x80 >> (bit & 7)
    links = sum(map(len, lists))
    check_or_refuse(bytes(whole), len(lists), links, coding)


@given(st.binary(max_size=200), st.integers(1, 50), codings)
def test_anything_is_a_graph_or_damaged(data: bytes, nodes: int, coding: Coding) -> None:
    check_or_refuse(data, nodes, 1000, coding)


@given(graphs(), codings, st.integers(0, 9), st.data())
def test_a_graph_that_is_cut_off_ends_early(
    lists: list[list[int]], coding: Coding, seed: int, data: st.DataObject
) -> None:
    bits = bit_string(lists, coding, random.Random(seed))
    cut = as_bytes(bits)[: data.draw(st.integers(0, (len(bits) - 1) // 8))]
    with pytest.raises(DamagedError) as caught:
        decoded(cut, len(lists), sum(map(len, lists)), coding)
    assert caught.value.fault == Fault.ENDS_EARLY
    assert caught.value.bit <= 8 * len(cut)


COPYING = PLAIN._replace(window=2)
IN_INTERVALS = PLAIN._replace(shortest_interval=2)


@pytest.mark.parametrize(
    ("fault", "coding", "bits"),
    [
        (Fault.OUTDEGREE, PLAIN, gamma(5)),
        (Fault.TOO_MANY_LINKS, PLAIN, gamma(4)),
        (Fault.RESIDUALS, PLAIN, gamma(1) + gamma(8)),
        (Fault.RESIDUALS, PLAIN, gamma(1) + gamma(1)),
        (Fault.RESIDUALS, PLAIN, gamma(2) + gamma(0) + gamma(3)),
        (Fault.REFERENCE, COPYING, gamma(1) + unary(1)),
        (Fault.REFERENCE, COPYING, gamma(0) + gamma(1) + unary(2)),
        (Fault.REFERENCE, COPYING, gamma(0) * 3 + gamma(1) + unary(3)),
        (Fault.BLOCKS, COPYING, gamma(1) + unary(0) + gamma(0) + gamma(1) + unary(1) + gamma(3)),
        (Fault.BLOCKS, COPYING, gamma(1) + unary(0) + gamma(0) + gamma(1) + unary(1) + gamma(1) + gamma(2)),
        (Fault.BLOCKS, COPYING, gamma(2) + unary(0) + gamma(0) + gamma(0) + gamma(1) + unary(1) + gamma(0)),
        (Fault.INTERVALS, IN_INTERVALS, gamma(2) + gamma(2)),
        (Fault.INTERVALS, IN_INTERVALS, gamma(2) + gamma(1) + gamma(6) + gamma(0)),
        (Fault.INTERVALS, IN_INTERVALS, gamma(2) + gamma(1) + gamma(1) + gamma(0)),
        (Fault.INTERVALS, IN_INTERVALS, gamma(2) + gamma(1) + gamma(0) + gamma(1)),
        (Fault.TWICE, IN_INTERVALS, gamma(3) + gamma(1) + gamma(0) + gamma(0) + gamma(2)),
        (Fault.ENDS_EARLY, PLAIN, gamma(1)),
    ],
)
def test_what_cannot_be_is_named(fault: Fault, coding: Coding, bits: str) -> None:
    data = np.frombuffer(as_bytes(bits), np.uint8)
    with pytest.raises(DamagedError, match=bv_successors.FAULTS[fault]) as caught:
        list(decode(data, 4, 3, coding))
    assert caught.value.fault == fault


def test_a_degree_is_read_in_its_code() -> None:
    coding = PLAIN._replace(outdegrees=Code.DELTA, residuals=Code.ZETA)
    bits = delta(2) + zeta(0, 3) + zeta(1, 3) + delta(0) * 2
    assert decoded(as_bytes(bits), 3, 2, coding) == [[0, 2], [], []]
