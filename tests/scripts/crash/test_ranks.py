"""Crawls by two ranks, killed when one of them is ahead of the other; `make crash` tries every operation."""

from pathlib import Path

from scripts.crash.points import SESSION
from scripts.crash.ranks import ORDERS, played_by_ranks
from scripts.crash.tiny_crawl import begin
from scripts.crash.verdict import Found
from sessions.session import Session


def test_two_ranks_of_which_one_is_ahead_lose_nothing_by_a_kill(tmp_path: Path) -> None:
    begin(tmp_path / "undisturbed")
    expected = Found.of(Session.open(tmp_path / "undisturbed"))
    (tmp_path / "nothing").mkdir()
    scenes = played_by_ranks("new", tmp_path / "nothing", tmp_path / "played")
    assert len(scenes) == len(ORDERS)
    for scene in scenes:
        assert scene.unseen == []
        # When a commit record, or a table of rank 1, is about to get its name.
        kinds = [
            point
            for point in scene.points()[:-1]
            if scene.operations[point.number].target.startswith((f"{SESSION}/epochs/", f"{SESSION}/rank-0001/links-"))
        ]
        assert len(kinds) > 3
        found = [faults for _, faults in scene.judged(expected, kinds, tmp_path / "left")]
        assert [faults for faults in found if faults] == []
