"""One clock for the dates that ranks write."""

from types import SimpleNamespace

import pytest

from crawler.process import common_clock as clocks
from crawler.process.common_clock import apart, common_clock
from crawler.process.sole_rank import sole_rank

DAY = 86400.0


def test_hosts_whose_clocks_are_far_from_that_of_rank_0_are_named_once() -> None:
    times = [("a", 1000.0), ("a", 1003.0), ("b", 1000.0 + 2 * DAY), ("b", 1001.0 + 2 * DAY), ("c", 1000.0 - 61.0)]
    assert [line.partition(", where rank 0 is: ")[0] for line in apart(times)] == [
        "the clock of b is 172,800 s ahead of that of a",
        "the clock of c is 61 s behind that of a",
    ]
    assert apart(times[:2]) == apart([]) == []


def test_dates_are_those_of_rank_0_and_what_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine's clock says, and however it is set meanwhile."""
    passed = [50.0]
    monkeypatch.setattr(clocks, "monotonic", lambda: passed[0])
    monkeypatch.setattr(clocks, "time", lambda: 9 * DAY)
    dates = common_clock(SimpleNamespace(bcast=lambda mine: 1000.0))
    assert dates() == 1000.0
    passed[0] += 7.5
    monkeypatch.setattr(clocks, "time", lambda: 0.0)
    assert dates() == 1007.5
    monkeypatch.setattr(clocks, "time", lambda: 9 * DAY)
    assert common_clock(sole_rank())() == 9 * DAY
