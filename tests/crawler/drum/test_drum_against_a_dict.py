"""DRUM against a dict: mixed batches, flushes, look-ups."""

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from crawler.drum.drum import Drum
from crawler.drum.kind import Answers
from crawler.drum.shape import Shape
from tests.crawler.drum.support.oracle import (
    KEYS,
    KINDS,
    Operation,
    Oracle,
    Said,
    columns,
    many_operations,
    operations,
    said,
)

CHOICES = {
    "unique": None,
    "all": lambda answers: np.ones(len(answers.keys), bool),
    "found": lambda answers: answers.found,
    "none": lambda answers: np.zeros(len(answers.keys), bool),
}
CHOSEN = {
    "unique": lambda one: not one.found,
    "all": lambda one: True,
    "found": lambda one: one.found,
    "none": lambda one: False,
}
SHAPES = [
    Shape(buckets=2, buffer=64, bucket=8, block=64, batch=8, table=0),
    Shape(buckets=4, buffer=100, bucket=20, block=200, batch=5, table=0),
    Shape(buckets=1, buffer=1000, bucket=12, block=64, batch=16, table=2000),
    Shape(buckets=8, buffer=64, bucket=40, block=1000, batch=40, table=6000),
]


class DrumAgainstADict(RuleBasedStateMachine):
    """One DRUM and its dict."""

    @initialize(
        kind=st.sampled_from(sorted(KINDS)),
        choice=st.sampled_from(sorted(CHOICES)),
        shape=st.sampled_from(SHAPES),
        seed=st.integers(0, 2**32),
        in_pieces=st.booleans(),
    )
    def begin(self, kind: str, choice: str, shape: Shape, seed: int, in_pieces: bool) -> None:
        """An empty DRUM."""
        self.folder = Path(tempfile.mkdtemp())
        self.kind, self.choice, self.shape = KINDS[kind], choice, shape
        self.chance = random.Random(seed)
        self.oracle = Oracle(self.kind)
        self.expected: list[Said] = []
        self.got: list[Said] = []
        self.drum = Drum(
            self.folder,
            "tried",
            self.kind,
            budget=4096,
            choose=CHOICES[self.choice],
            shape=self.shape,
            in_pieces=in_pieces,
        )

    def take(self, given: Iterator[Answers]) -> None:
        """Note answers."""
        for answers in given:
            assert len(answers.keys) == len(answers.aux) > 0
            self.got += said(answers)

    @rule(data=st.data(), without=st.sampled_from(["", "aux", "notes", "both"]))
    def put(self, data: st.DataObject, without: str) -> None:
        """A batch of mixed operations."""
        self.put_batch(data.draw(operations(self.kind)), without)

    @rule(count=st.integers(30, 90))
    def put_many(self, count: int) -> None:
        """A larger batch."""
        self.put_batch(many_operations(self.kind, self.chance, count), "")

    def put_batch(self, batch: list[Operation], without: str) -> None:
        """Put it, to the dict as well."""
        no_note = np.zeros((), self.kind.note).item()
        if without in ("aux", "both"):
            batch = [operation._replace(aux="") for operation in batch]
        if without in ("notes", "both"):
            batch = [operation._replace(note=no_note) for operation in batch]
        keys, codes, values, notes, aux = columns(self.kind, batch)
        self.expect(batch)
        given_notes = None if without in ("notes", "both") else notes
        given_aux = None if without in ("aux", "both") else aux
        self.take(self.drum.put(keys, codes, values, given_notes, given_aux))

    def expect(self, batch: list[Operation]) -> None:
        """What the dict says."""
        self.expected += filter(CHOSEN[self.choice], self.oracle.play(batch))

    @rule(pieces=st.integers(1, 6))
    def merge_on(self, pieces: int) -> None:
        """Some pieces of a merge that was begun, if there is one."""
        for _ in range(pieces):
            self.take(self.drum.merge_on())

    @rule()
    def flush(self) -> None:
        """Everything is answered."""
        self.take(self.drum.flush())
        assert self.drum.pending == 0
        assert not self.drum.is_merging

    @rule()
    def read_everything(self) -> None:
        """What is merged, in ascending order."""
        self.take(self.drum.flush())
        blocks = [(keys.tolist(), values.tolist()) for keys, values in self.drum.blocks()]
        merged = [pair for keys, values in blocks for pair in zip(keys, values, strict=True)]
        assert merged == sorted(self.oracle.values.items())
        assert len(self.drum) == len(merged)
        keys = np.array(sorted({*self.oracle.values, 0, 5}), np.uint64)
        found, rows = self.drum.look_up(keys)
        assert found.tolist() == [key in self.oracle.values for key in keys.tolist()]
        assert rows[found].tolist() == [value for _, value in merged]
        assert rows[~found].tolist() == [np.zeros((), self.kind.value).item()] * int((~found).sum())
        known, values = self.drum.known(keys)
        if self.drum.is_in_memory:
            assert known.tolist() == [key in self.oracle.values for key in keys.tolist()]
            of_known = list(zip(*(column[known].tolist() for column in values.values()), strict=True))
            assert (of_known or [()] * int(known.sum())) == [value for _, value in merged]
        else:
            assert not known.any()

    @rule(data=st.data())
    def look_up(self, data: st.DataObject) -> None:
        """What is merged, of keys in any order, though more may wait."""
        merged = {}
        for keys, values in self.drum.blocks():
            merged |= zip(keys.tolist(), values.tolist(), strict=True)
        asked = data.draw(st.lists(KEYS, max_size=12))
        found, values = self.drum.look_up(np.array(asked, np.uint64))
        nothing = np.zeros((), self.kind.value).item()
        assert list(zip(found.tolist(), values.tolist(), strict=True)) == [
            (key in merged, merged.get(key, nothing)) for key in asked
        ]

    @invariant()
    def says_what_the_dict_says(self) -> None:
        """In order of arrival: over all in memory, within a bucket on disk."""
        if not hasattr(self, "drum"):
            return
        if self.drum.is_in_memory:
            assert self.got == self.expected
        shift = 64 - self.shape.prefix_bits
        for bucket in range(self.shape.buckets):
            expected = [one for one in self.expected if one.key >> shift == bucket]
            got = [one for one in self.got if one.key >> shift == bucket]
            assert got == expected[: len(got)]
            assert self.drum.pending or got == expected

    def teardown(self) -> None:
        """Remove the folder."""
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)


DrumAgainstADict.TestCase.settings = settings(max_examples=80, stateful_step_count=25, deadline=None, derandomize=True)
TestDrumAgainstADict = DrumAgainstADict.TestCase
