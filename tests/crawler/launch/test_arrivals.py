"""Who has come, and who has not, as those say who wait."""

from pathlib import Path

import pytest

from crawler.launch import arrivals
from crawler.launch.arrivals import Arrivals, who_is_missing


def test_those_who_have_come_are_given_up_once(tmp_path: Path) -> None:
    one, other = Arrivals(tmp_path / "session"), Arrivals(tmp_path / "session")
    one.await_all()
    assert other.has_launcher
    for rank, host in ((0, "near"), (2, "far")):
        other.come(rank, host)
    assert one.are_awaited
    assert one.given_up() == {0: "near", 2: "far"}
    assert other.given_up() is None
    assert not other.are_awaited
    assert list(tmp_path.iterdir()) == []


def test_a_session_that_goes_on_has_them_within(tmp_path: Path) -> None:
    Arrivals(tmp_path).come(1, "near")
    assert [path.name for path in tmp_path.iterdir()] == [f".cutweb-arrivals-{tmp_path.name}"]
    Arrivals(tmp_path).forget()
    assert list(tmp_path.iterdir()) == []


def test_where_rank_0_sees_another_folder_the_last_rank_that_leaves_removes_it(tmp_path: Path) -> None:
    found = Arrivals(tmp_path / "session")
    for rank in (2, 3):
        found.come(rank, "far")
    for rank, left in ((3, 1), (3, 1), (2, 0)):
        found.leave(rank)
        assert len(list(tmp_path.iterdir())) == left


def test_leftovers_are_no_arrivals(tmp_path: Path) -> None:
    found = Arrivals(tmp_path / "session")
    found.come(7, "long ago")
    found.await_all()
    assert found.given_up() == {}


def test_where_nothing_can_be_written_nobody_is_known(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = Arrivals(tmp_path / "file" / "session")
    found._folder = tmp_path / "file" / "no folder"
    found.come(0, "near")
    assert found.given_up() is None
    with pytest.raises(OSError, match="Not a directory"):
        found.await_all()


ASKED = "are cutweb and Python, at the same paths, and the folder of the session there?"


@pytest.mark.parametrize(
    ("hosts", "nodes", "line"),
    [
        ({0: "n1"}, [], f"1 of 4 ranks have come (1 on n1), not 1, 2, 3: {ASKED}"),
        ({}, [], f"0 of 4 ranks have come, not 0, 1, 2, 3: {ASKED}"),
        ({0: "n1", 1: "n1"}, ["n1", "n2"], f"2 of 4 ranks have come (2 on n1), none on n2: {ASKED}"),
        ({0: "n1", 2: "n2"}, ["n1", "n2"], f"2 of 4 ranks have come (1 on n1, 1 on n2), not 1, 3: {ASKED}"),
        (
            {0: "n1", 1: "n1", 2: "n2", 3: "n2"},
            ["n1", "n2"],
            "all 4 ranks have come (2 on n1, 2 on n2), but MPI has not joined them: can these machines connect?",
        ),
    ],
)
def test_one_line_says_who_is_missing(
    monkeypatch: pytest.MonkeyPatch, hosts: dict[int, str], nodes: list[str], line: str
) -> None:
    monkeypatch.setattr(arrivals, "nodes_of_job", lambda environment: nodes)
    assert who_is_missing(hosts, 4, 20, {}) == f"after 20 s (--start-seconds) {line}"


def test_a_line_names_some_of_many() -> None:
    named = ", ".join(map(str, range(20)))
    assert f"0 of 1000 ranks have come, not {named} and 980 more: " in who_is_missing({}, 1000, 20, {})


def test_no_job_has_no_nodes() -> None:
    assert arrivals.nodes_of_job({}) == []
