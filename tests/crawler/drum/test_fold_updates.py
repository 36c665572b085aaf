"""Operations on one key as if one after the other, against a loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.fold_updates import Runs, play
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Kind, Rule
from tests.crawler.drum.support.oracle import KINDS, Operation, Oracle, rows


@settings(max_examples=50)
@given(st.sampled_from(sorted(KINDS)), st.data())
def test_every_rule_does_what_a_loop_does(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    one = st.tuples(st.sampled_from([CHECK, UPDATE, CHECK_UPDATE]), rows(kind.value))
    runs = data.draw(
        st.lists(st.tuples(st.none() | rows(kind.value), st.lists(one, min_size=1, max_size=9)), min_size=1)
    )
    records = [record for _, run in runs for record in run]
    lengths = np.array([len(run) for _, run in runs])
    nothing = np.zeros((), kind.value).item()
    outcome = play(
        kind,
        Runs(np.cumsum(lengths) - lengths, lengths, np.array([bool(code & UPDATE) for code, _ in records])),
        np.array([value for _, value in records], kind.value),
        np.array([before is not None for before, _ in runs]),
        np.array([before or nothing for before, _ in runs], kind.value),
    )
    oracle = Oracle(kind, {key: before for key, (before, _) in enumerate(runs) if before is not None})
    # Each is played as check and update, or as a check: then every record says what was there before and after.
    said = [
        oracle.play([Operation(key, code | CHECK, value, (), "")])[0]
        for key, (_, run) in enumerate(runs)
        for code, value in run
    ]
    assert outcome.found.tolist() == [one.found for one in said]
    assert outcome.before.tolist() == [one.before for one in said]
    assert outcome.after.tolist() == [one.after for one in said]
    assert outcome.is_there.tolist() == [key in oracle.values for key in range(len(runs))]
    assert outcome.end.tolist() == [oracle.values.get(key, nothing) for key in range(len(runs))]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 100_000])
def test_a_key_may_come_as_often_as_it_likes(length: int) -> None:
    kind = Kind({"least": ("i4", Rule.MINIMUM), "sum": ("u8", Rule.ADD)})
    given = np.zeros(length, kind.value)
    given["least"] = np.random.default_rng(length).integers(-(10**9), 10**9, length)
    given["sum"] = np.arange(length)
    runs = Runs(np.array([0]), np.array([length]), np.ones(length, bool))
    outcome = play(kind, runs, given, np.array([True]), np.array([(0, 7)], kind.value))
    assert outcome.after["least"].tolist() == np.minimum(np.minimum.accumulate(given["least"]), 0).tolist()
    assert outcome.after["sum"].tolist() == (np.cumsum(np.arange(length)) + 7).tolist()
    assert outcome.before["sum"].tolist() == [7, *outcome.after["sum"].tolist()[:-1]]
