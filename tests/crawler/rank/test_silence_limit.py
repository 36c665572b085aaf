"""When a rank has waited too long for one that gives no sign of life."""

from pathlib import Path

import pytest

from crawler.monitoring.presence import Presence
from crawler.monitoring.silence import Silence, Standstill
from crawler.process.attendance import Attendance
from crawler.rank.silence_limit import ending_after, too_long


@pytest.fixture
def presence(tmp_path: Path) -> Presence:
    found = Presence(tmp_path, "run", 0, 2, 1.0, Attendance(), lambda words: None)
    found.listened = 100.0
    return found


def test_who_is_too_long_silent_is_named(presence: Presence) -> None:
    presence.silences = [Silence(1, "node1", 60.0, False, "fetch")]
    presence.missed = 60.0
    assert too_long(61.0, presence, 0.0, 100.0) is None
    reason = too_long(60.0, presence, 0.0, 100.0)
    assert reason == "rank 1 on node1 has given no sign of life for 0:01:00; --max-silence 60 is over"
    assert too_long(60.0, presence, None, 100.0) is None


def test_ranks_that_wait_for_each_other_end_too(presence: Presence) -> None:
    presence.standstill, presence.missed = Standstill(("node1", "node2"), 60.0), 60.0
    assert "the network of node1, node2; --max-silence 60 is over" in str(too_long(60.0, presence, 0.0, 100.0))


def test_ranks_that_leave_the_telling_to_others_end_too(presence: Presence) -> None:
    presence.missed = 62.0
    assert too_long(60.0, presence, 0.0, 100.0) is None
    presence.missed = 63.0
    assert too_long(60.0, presence, 0.0, 100.0) == "another rank misses one; --max-silence 60 is over"


def test_a_disk_that_does_not_answer_is_waited_for_as_long(presence: Presence) -> None:
    assert too_long(60.0, presence, 0.0, 159.0) is None
    assert "does not answer" in str(too_long(60.0, presence, 0.0, 160.0))
    assert too_long(60.0, presence, 101.0, 160.0) is None


def test_without_a_limit_nothing_looks(presence: Presence) -> None:
    with ending_after(None, presence, Attendance(), str, lambda code: None):
        pass
