"""Moves against a loop over the pages, and the worked example of docs/measures.md."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay.measuring.moves import Moves, moved
from tests.crawler.replay.courses import Case, cases, ownership_with
from tests.crawler.replay.measuring.test_measures import DOCUMENT, worked_example


@settings(deadline=None, derandomize=True)
@given(cases(), st.data())
def test_moves_are_counted_over_what_both_know(case: Case, data: st.DataObject) -> None:
    count = len(case.recording)
    unknown = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    owners = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    before = case.ownership
    pages = [page for page in range(case.recording.page_count) if not (before.unknown[page] or unknown[page])]
    gone = [page for page in pages if before.owners[page] != owners[page]]
    sizes = case.recording.bytes
    found = moved(case.recording, before, ownership_with(4, owners, unknown=unknown))
    assert found.known == len(pages)
    assert math.isclose(found.pages, len(gone) / max(1, len(pages)))
    assert math.isclose(found.bytes, sum(int(sizes[p]) for p in gone) / max(1, sum(int(sizes[p]) for p in pages)))


def test_the_worked_example_is_right() -> None:
    recording, before = worked_example()
    after = ownership_with(2, [0, 1, 0, 1, 0, 0], unknown=[False] * 4 + [True] * 2)
    found = moved(recording, before, after)
    assert found == Moves(2 / 3, 600 / 700, 3)
    assert f"({100 * found.pages:.2f}%)" in DOCUMENT.read_text()
    assert f"({100 * found.bytes:.2f}%)" in DOCUMENT.read_text()


def test_the_same_ownership_moves_nothing() -> None:
    recording, ownership = worked_example()
    assert moved(recording, ownership, ownership) == Moves(0.0, 0.0, 3)
