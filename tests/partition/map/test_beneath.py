"""Majorities beneath prefixes, by counting."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.assignment.url_prefixes import url_key
from partition.map.beneath import majority_beneath
from tests.partition.models.support.cases import WEBS
from tests.partition.quality.support.webs import SmallWeb


@settings(max_examples=100)
@given(WEBS, st.data())
def test_most_pages_decide_and_the_lowest_of_equals(web: SmallWeb, data: st.DataObject) -> None:
    keys = [url_key(url) for url in web.sizes]
    parts = data.draw(st.lists(st.integers(0, 3), min_size=len(keys), max_size=len(keys)))
    prefixes = sorted({key[:length] for key in keys for length in range(1, len(key) + 1)})
    found = majority_beneath(keys, np.array(parts, np.int32), prefixes)
    assert found.dtype == np.int32
    for prefix, part in zip(prefixes, found.tolist(), strict=True):
        counts = Counter(own for key, own in zip(keys, parts, strict=True) if key.startswith(prefix))
        assert part == min(own for own, count in counts.items() if count == max(counts.values()))


def test_of_nothing_nothing() -> None:
    assert majority_beneath(["a/"], np.zeros(1, np.int32), []).tolist() == []
