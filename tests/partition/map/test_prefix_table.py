"""The longest prefix in a table."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from partition.map.prefix_table import PrefixTable, make_trie, numbers_in

TEXTS = st.text("ab/", min_size=1, max_size=6)


@given(st.dictionaries(TEXTS, st.integers(0, 300)), st.lists(TEXTS, max_size=20))
def test_the_longest_string_that_a_text_begins_with(part_of: dict[str, int], asked: list[str]) -> None:
    trie = make_trie(list(part_of))
    parts = np.zeros(len(part_of), np.uint16)
    parts[numbers_in(trie, list(part_of))] = list(part_of.values())
    table = PrefixTable(trie, parts)
    assert len(table) == len(part_of)
    for text in asked:
        prefixes = [prefix for prefix in part_of if text.startswith(prefix)]
        assert table.longest_match(text) == (part_of[max(prefixes, key=len)] if prefixes else -1)
        assert table.part_of(text) == part_of.get(text, -1)
