"""Answers, in blocks."""

from collections.abc import Callable

import numpy as np
import pytest

from crawler.drum.answering import Answering, PutBatch
from crawler.drum.aux_file import AuxStream, encoded
from crawler.drum.batch import Batch
from crawler.drum.keep_alive import KeepAlive
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Answers, Kind
from crawler.drum.memory_phase import AuxInMemory
from crawler.urls.batch import Mask

KEYS = np.array([7, 3, 7, 3, 9, 5], np.uint64)
OPERATIONS = np.array([UPDATE, CHECK, CHECK, CHECK_UPDATE, CHECK, CHECK], np.uint8)
AUX = ["zero", "one", "two", "three", "four", "five"]


def delivered(
    block: int, choose: Callable[[Answers], Mask] | None, most: int = 1000
) -> list[tuple[list[int], list[str]]]:
    kind = Kind()
    batch = Batch(kind, KEYS, OPERATIONS, np.zeros(6, kind.value))
    batch.play(0, 4, np.array([False, True, False, False]), batch.no_values(4))
    answering = Answering(choose, block)
    stream = AuxStream(iter([bytearray(encoded(AUX))]), np.array([len(text) for text in AUX]), most, "x")
    asked = PutBatch(KEYS, OPERATIONS, np.zeros(6, kind.note))
    got = [(answers.keys.tolist(), answers.aux) for answers in answering.answers(asked, batch, stream)]
    in_memory = list(answering.answers(asked, batch, AuxInMemory(AUX)))
    assert [text for answers in in_memory for text in answers.aux] == [text for _, texts in got for text in texts]
    return got


def test_the_unique_ones_are_given_unless_told_otherwise() -> None:
    assert delivered(10, None) == [([3, 3, 9], ["one", "three", "four"])]
    assert delivered(10, lambda answers: answers.found) == [([7, 5], ["two", "five"])]
    assert delivered(10, lambda answers: np.zeros(len(answers.keys), bool)) == []


@pytest.mark.parametrize(
    ("block", "most", "sizes"), [(2, 1000, [2, 2, 1]), (10, 7, [2, 1, 1, 1]), (10, 1, [1] * 5), (3, 8, [2, 1, 2])]
)
def test_answers_come_in_blocks_of_bounded_size(block: int, most: int, sizes: list[int]) -> None:
    got = delivered(block, lambda answers: np.ones(len(answers.keys), bool), most)
    assert [len(keys) for keys, _ in got] == sizes
    assert [text for _, texts in got for text in texts] == AUX[1:]


@pytest.mark.parametrize("chosen", [False, True])
def test_the_network_is_served_for_each_block_and_each_piece_of_it_but_not_while_it_answers(chosen: bool) -> None:
    kind = Kind()
    batch = Batch(kind, KEYS, np.full(6, CHECK, np.uint8), np.zeros(6, kind.value))
    came: list[str] = []
    answering = Answering(lambda answers: np.full(len(answers.keys), chosen), 3)
    stream = AuxStream(iter([bytearray(encoded(AUX))]), np.array([len(text) for text in AUX]), 1, "x")
    asked = PutBatch(KEYS, np.full(6, CHECK, np.uint8), np.zeros(6, kind.note))
    keep_alive = KeepAlive(lambda: came.append("served"))
    for answers in answering.answers(asked, batch, stream, keep_alive):
        came += ["answer"] * len(answers.keys)
    assert came == ["served", *["answer", "served"] * (3 if chosen else 0)] * 2
