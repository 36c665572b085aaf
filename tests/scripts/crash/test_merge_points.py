"""Crawls whose URLs, documents and pairs of domains merge on disk in pieces, killed while they do."""

import errno
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from crawler.drum.drum import Drum
from crawler.drum.kind import Answers
from scripts.crash.journal import Journal
from scripts.crash.merge_points import ALONE, TOGETHER, around_merges, merging_name
from scripts.crash.points import COMMIT, FETCHING, Scene, faults_of_failing
from scripts.crash.ranks import played_by_ranks
from scripts.crash.tiny_crawl import ON_DISK, begin
from scripts.crash.verdict import Found
from sessions.session import Session

Pieces = dict[str, set[int]]


class Played:
    """A crawl on disk, which operations its merges in pieces did, and what it finds."""

    def __init__(self, folder: Path) -> None:
        (folder / "nothing").mkdir()
        self.pieces: Pieces = defaultdict(set)
        self.scene = Scene("new", folder / "nothing", self._work, beginning=ON_DISK).play(folder / "played")
        self.found = Found.of(Session.open(folder / "played" / "new" / "session"))

    def _work(self, out: Path, journal: Journal) -> None:
        merge_on = Drum.merge_on

        def noted(drum: Drum) -> Iterator[Answers]:
            before = len(journal.operations)
            yield from merge_on(drum)
            self.pieces[drum.name].update(range(before, len(journal.operations)))

        with mock.patch.object(Drum, "merge_on", noted):
            begin(out, journal, beginning=ON_DISK)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(tmp_path_factory.mktemp("on-disk"))


def test_kills_come_before_each_operation_of_merges_in_pieces_and_of_the_commit_that_follows(played: Played) -> None:
    points = around_merges(played.scene, ALONE)
    operations, numbers = played.scene.operations, {point.number for point in points}
    for name in ALONE:
        its = {number for number in played.pieces[name] if merging_name(operations[number]) == name}
        pieces = {number for number in its if number <= points[-1].number}
        assert pieces <= numbers
        kinds = {operations[number].kind for number in pieces}
        assert {"create", "write", "unlink"} <= kinds, name
    first = min(min(played.pieces[name]) for name in ALONE)
    assert {point.phase for point in points if point.number > first} == {FETCHING, COMMIT}
    assert points[-1].phase == COMMIT
    assert played.scene.unseen == []


def test_nothing_is_lost_by_a_kill_within_a_merge_in_pieces(played: Played, tmp_path: Path) -> None:
    points = {point.number: point for point in around_merges(played.scene, ALONE)}
    some = sorted({max(played.pieces[name] & set(points)) for name in ALONE} | {max(points)})
    judged = played.scene.judged(played.found, [points[number] for number in some], tmp_path / "left")
    assert [found for _, found in judged if found] == []


@pytest.mark.parametrize(("number", "stays"), [(errno.ENOSPC, True), (errno.EIO, False)])
def test_a_disk_that_fails_within_a_merge_in_pieces_costs_nothing_but_a_line(
    played: Played, tmp_path: Path, number: int, stays: bool
) -> None:
    points = [point for point in around_merges(played.scene, ALONE) if point.number in played.pieces["content-seen"]]
    creates = [point for point in points if played.scene.operations[point.number].kind == "create"]
    for before in played.scene.attempts(creates[:2]):
        left = tmp_path / "left"
        assert faults_of_failing(played.scene, before, number, played.found, left, stays=stays) == []


def test_several_ranks_merge_what_they_sent(tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    scene, *_ = played_by_ranks("new", tmp_path / "nothing", tmp_path / "played", ON_DISK)
    points = around_merges(scene, TOGETHER)
    assert {merging_name(scene.operations[point.number]) for point in points} >= {*TOGETHER}
    begin(tmp_path / "alone", beginning=ON_DISK)
    found = Found.of(Session.open(tmp_path / "alone"))
    last = [point for point in points if merging_name(scene.operations[point.number]) == "sent"][-1:]
    assert [faults for _, faults in scene.judged(found, last, tmp_path / "left") if faults] == []
