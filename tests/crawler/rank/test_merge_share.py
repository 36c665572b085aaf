"""Pieces of a merge take their share of a busy rank's time, and all of it where nothing else is to be done."""

import pytest

from crawler.rank.merge_share import SHARE, MergeShare


class Merge:
    """A merge of so many pieces, each of so many seconds, and the clock."""

    def __init__(self, pieces: int, seconds: float) -> None:
        self.pieces = pieces
        self.seconds = seconds
        self.now = 100.0

    @property
    def is_merging(self) -> bool:
        return self.pieces > 0

    @property
    def merge_lag(self) -> float:
        return -1.0 if self.pieces else float("-inf")

    def merge_on(self) -> None:
        self.pieces -= 1
        self.now += self.seconds


def test_no_merge_takes_no_time_and_is_due_never() -> None:
    merge = Merge(0, 1.0)
    assert MergeShare([merge], lambda: merge.now).go_on(is_busy=False) == float("inf")
    assert merge.now == 100.0


def test_a_rank_with_nothing_to_read_goes_on_at_once() -> None:
    merge = Merge(5, 1.0)
    share = MergeShare([merge], lambda: merge.now)
    assert [share.go_on(is_busy=False) for _ in range(5)] == [101.0, 102.0, 103.0, 104.0, 105.0]
    assert not merge.is_merging


def test_a_busy_rank_reads_pages_for_most_of_the_time() -> None:
    merge = Merge(10, 0.25)
    share = MergeShare([merge], lambda: merge.now)
    turns = 0
    while merge.is_merging:
        before = merge.pieces
        due = share.go_on(is_busy=True)
        if merge.pieces == before:
            assert due > merge.now
            merge.now += 0.01
            turns += 1
    assert 10 * 0.25 / (merge.now - 100.0) == pytest.approx(SHARE, rel=0.15)
    assert turns > 0


class Gathering(Merge):
    """A merge during which the next batch gathers: a thousandth of it in each turn of the loop."""

    turns = 0
    all_pieces = 100

    @property
    def merge_lag(self) -> float:
        done = 1 - self.pieces / self.all_pieces
        return self.turns / 1000 - done if self.is_merging else -1.0


def test_a_merge_that_lags_takes_more_than_its_share_and_ends_before_the_next_is_due() -> None:
    merge = Gathering(Gathering.all_pieces, 0.25)
    share = MergeShare([merge], lambda: merge.now)
    while merge.is_merging:
        share.go_on(is_busy=True)
        assert merge.merge_lag <= 0
        merge.turns += 1
        merge.now += 0.01
    assert merge.turns <= 1000
    spent = Gathering.all_pieces * merge.seconds
    assert spent / (spent + merge.turns * 0.01) > 0.7


def test_of_several_merges_all_come_to_their_end_together_in_one_share() -> None:
    clock = Merge(0, 0.0)
    merges = [Merge(pieces, 0.25) for pieces in (4, 6)]
    share = MergeShare(merges, lambda: clock.now + sum(merge.now for merge in merges))
    while any(merge.is_merging for merge in merges):
        share.go_on(is_busy=True)
        clock.now += 0.01
    assert 10 * 0.25 / (10 * 0.25 + clock.now - 100.0) == pytest.approx(SHARE, rel=0.15)
