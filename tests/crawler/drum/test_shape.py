"""How memory is divided."""

import pytest

from crawler.drum.put_records import record_type
from crawler.drum.shape import shape_for
from tests.crawler.drum.support.oracle import KINDS

MIB = 1 << 20


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", [MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1000 * MIB, 4096 * MIB])
def test_the_parts_stay_within_the_budget(kind: str, budget: int) -> None:
    shape = shape_for(budget, KINDS[kind])
    assert shape.buckets & (shape.buckets - 1) == 0
    assert shape.buckets == 1 << shape.prefix_bits
    record = record_type(KINDS[kind]).itemsize
    assert 2 * shape.buckets * shape.buffer <= budget / 4
    assert shape.bucket * (record + 100) <= budget / 2
    assert shape.batch * (record + 100) + 6 * shape.block <= budget / 4
    assert shape.bucket * record >= shape.buffer


def test_the_sizes_that_the_documentation_names() -> None:
    shape = shape_for(256 * MIB, KINDS["seen"])
    assert (shape.buckets, shape.buffer) == (256, 128 << 10)
    shape = shape_for(64 * MIB, KINDS["seen"])
    assert (shape.buckets, shape.buffer) == (128, 64 << 10)


@pytest.mark.parametrize("budget", [1, 100, 4096])
def test_tiny_budgets_have_a_shape(budget: int) -> None:
    assert min(shape_for(budget, KINDS["all rules"])[:5]) >= 1
