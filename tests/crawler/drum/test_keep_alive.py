"""Breathing while a merge goes on: often, and whatever there is to be merged."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler.drum.drum import Drum
from crawler.drum.keep_alive import breathing
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Kind, Rule
from crawler.drum.shape import Shape

KIND = Kind({"depth": ("u2", Rule.MINIMUM)})
SHAPE = Shape(buckets=4, buffer=256, bucket=10**6, block=400, batch=50, table=0)
KEYS_A_BLOCK = SHAPE.block // 10


class Breaths:
    """How much a DRUM has read and written whenever it breathed."""

    def __init__(self, folder: Path, shape: Shape, choose: Any = None) -> None:
        self.drawn: list[int] = []
        self.drum = Drum(
            folder, "x", KIND, budget=0, shape=shape, answer=lambda answers: None, choose=choose, breathe=self.breathe
        )

    def breathe(self) -> None:
        self.drawn.append(self.moved)

    @property
    def moved(self) -> int:
        return self.drum.traffic.bytes_read + self.drum.traffic.bytes_written

    def during(self, keys: Any, operation: int, aux: list[str] | None = None) -> list[int]:
        """The breaths of a merge of these operations, the moments before and after it with them."""
        self.drum.put(keys, operation, np.zeros(len(keys), KIND.value), aux=aux)
        self.drawn = [self.moved]
        self.drum.flush()
        return [*self.drawn, self.moved]


def hashes(count: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)


def test_there_is_a_breath_before_each_item() -> None:
    drawn: list[int] = []
    got = [(item, len(drawn)) for item in breathing(iter("abc"), lambda: drawn.append(1))]
    assert got == [("a", 1), ("b", 2), ("c", 3)]


@pytest.mark.parametrize("operation", [CHECK, UPDATE, CHECK_UPDATE])
def test_a_merge_breathes_for_each_block_though_hardly_anything_is_merged_or_answered(
    tmp_path: Path, operation: int
) -> None:
    tried = Breaths(tmp_path, SHAPE)
    keys = hashes(4000)
    tried.during(keys, UPDATE)
    blocks = len(keys) // KEYS_A_BLOCK
    drawn = tried.during(keys[:1], operation)
    assert len(drawn) - 2 >= blocks
    assert max(after - before for before, after in pairwise(drawn)) < 4 * SHAPE.block


@pytest.mark.parametrize("operation", [CHECK, UPDATE, CHECK_UPDATE])
@pytest.mark.parametrize("chosen", [0, 1])
def test_breaths_are_drawn_evenly_though_much_is_merged(tmp_path: Path, operation: int, chosen: int) -> None:
    tried = Breaths(tmp_path, SHAPE, lambda answers: np.full(len(answers.keys), bool(chosen)))
    keys = hashes(4000)
    tried.during(keys, UPDATE)
    aux = [f"http://example.org/{number}" for number in range(3000)]
    drawn = tried.during(np.concatenate([keys[:1000], hashes(2000, 2)]), operation, aux)
    longest = max(after - before for before, after in pairwise(drawn))
    assert longest < (drawn[-1] - drawn[0]) / 15
    assert longest < 40 * SHAPE.block


def test_the_first_generation_is_written_with_breaths(tmp_path: Path) -> None:
    tried = Breaths(tmp_path, SHAPE._replace(table=1 << 18))
    keys = hashes(1000)
    tried.drum.put(keys, UPDATE, np.zeros(1000, KIND.value))
    assert tried.drum.is_in_memory
    assert not tried.drawn
    tried.drum.put(hashes(9000, 2), UPDATE, np.zeros(9000, KIND.value))
    assert not tried.drum.is_in_memory
    assert len(tried.drawn) >= len(keys) // SHAPE.batch


def test_a_look_up_breathes(tmp_path: Path) -> None:
    tried = Breaths(tmp_path, SHAPE)
    keys = hashes(4000)
    tried.during(keys, UPDATE)
    tried.drawn.clear()
    tried.drum.look_up(keys)
    assert len(tried.drawn) >= len(keys) // KEYS_A_BLOCK
