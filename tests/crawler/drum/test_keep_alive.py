"""The network is served while something merges: often, and whatever there is to be merged."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler.drum.drum import Drum
from crawler.drum.keep_alive import KeepAlive
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Kind, UpdateRule
from crawler.drum.shape import Shape

KIND = Kind({"depth": ("u2", UpdateRule.MINIMUM)})
SHAPE = Shape(buckets=4, buffer=256, bucket=10**6, block=400, batch=50, table=0)
KEYS_A_BLOCK = SHAPE.block // 10


class Served:
    """How much a DRUM has read and written whenever it served the network."""

    def __init__(self, folder: Path, shape: Shape, choose: Any = None) -> None:
        self.moments: list[int] = []
        self.drum = Drum(
            folder,
            "x",
            KIND,
            budget=0,
            shape=shape,
            choose=choose,
            keep_alive=KeepAlive(self.serve),
        )

    def serve(self) -> None:
        self.moments.append(self.moved)

    @property
    def moved(self) -> int:
        return self.drum.traffic.bytes_read + self.drum.traffic.bytes_written

    def during(self, keys: Any, operation: int, aux: list[str] | None = None) -> list[int]:
        """The moments of a merge of these operations at which it served, the moments before and after it with them."""
        assert list(self.drum.put(keys, operation, np.zeros(len(keys), KIND.value), aux=aux)) == []
        self.moments = [self.moved]
        for _ in self.drum.flush():
            pass
        return [*self.moments, self.moved]


def hashes(count: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)


def test_the_network_is_served_before_each_item() -> None:
    served: list[int] = []
    got = [(item, len(served)) for item in KeepAlive(lambda: served.append(1)).during(iter("abc"))]
    assert got == [("a", 1), ("b", 2), ("c", 3)]


@pytest.mark.parametrize("operation", [CHECK, UPDATE, CHECK_UPDATE])
def test_a_merge_serves_for_each_block_though_hardly_anything_is_merged_or_answered(
    tmp_path: Path, operation: int
) -> None:
    tried = Served(tmp_path, SHAPE)
    keys = hashes(4000)
    tried.during(keys, UPDATE)
    blocks = len(keys) // KEYS_A_BLOCK
    served = tried.during(keys[:1], operation)
    assert len(served) - 2 >= blocks
    assert max(after - before for before, after in pairwise(served)) < 4 * SHAPE.block


@pytest.mark.parametrize("operation", [CHECK, UPDATE, CHECK_UPDATE])
@pytest.mark.parametrize("chosen", [0, 1])
def test_it_serves_evenly_though_much_is_merged(tmp_path: Path, operation: int, chosen: int) -> None:
    tried = Served(tmp_path, SHAPE, lambda answers: np.full(len(answers.keys), bool(chosen)))
    keys = hashes(4000)
    tried.during(keys, UPDATE)
    aux = [f"http://example.org/{number}" for number in range(3000)]
    served = tried.during(np.concatenate([keys[:1000], hashes(2000, 2)]), operation, aux)
    longest = max(after - before for before, after in pairwise(served))
    assert longest < (served[-1] - served[0]) / 15
    assert longest < 40 * SHAPE.block


def test_the_first_generation_is_written_while_serving(tmp_path: Path) -> None:
    tried = Served(tmp_path, SHAPE._replace(table=1 << 18))
    keys = hashes(1000)
    assert list(tried.drum.put(keys, UPDATE, np.zeros(1000, KIND.value))) == []
    assert tried.drum.is_in_memory
    assert not tried.moments
    assert list(tried.drum.put(hashes(9000, 2), UPDATE, np.zeros(9000, KIND.value))) == []
    assert not tried.drum.is_in_memory
    assert len(tried.moments) >= len(keys) // SHAPE.batch


def test_a_look_up_serves(tmp_path: Path) -> None:
    tried = Served(tmp_path, SHAPE)
    keys = hashes(4000)
    tried.during(keys, UPDATE)
    tried.moments.clear()
    tried.drum.look_up(keys)
    assert len(tried.moments) >= len(keys) // KEYS_A_BLOCK
