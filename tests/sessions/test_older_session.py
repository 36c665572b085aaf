"""A session that an older version has written, whose reports have lists by destination rank, is read as it ever was."""

import json
import tarfile
from pathlib import Path

import pytest

from sessions.analysis.summary import summarise
from sessions.checking.check import check_session
from sessions.session import Session
from tests.sessions.checking.test_check_runs import same_ranks
from tests.sessions.support.builder import GoingOn

ARCHIVE = Path(__file__).parent / "data" / "session-with-lists.tar.xz"
"""What `same_ranks` wrote before reports had sums: three runs of two ranks, eight commit records."""


@pytest.fixture
def older(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "session"


def test_it_has_lists(older: Path) -> None:
    record = json.loads((older / "epochs" / "000001.json").read_text())
    assert record["ranks"][0]["report"]["sent_urls"] == [0, 4]


def test_it_is_good_and_says_what_a_new_one_says(older: Path, tmp_path: Path) -> None:
    assert check_session(older).problems == {}
    same_ranks(tmp_path / "new")
    was, now = (summarise(Session.open(path)) for path in (older, tmp_path / "new"))
    assert was.total.as_dict() == now.total.as_dict()
    assert [rank.as_dict() for rank in was.ranks] == [rank.as_dict() for rank in now.ranks]
    for table in ("links", "urls", "exchanges"):
        assert Session.open(older).read(table).equals(Session.open(tmp_path / "new").read(table))


def test_a_run_goes_on_with_it(older: Path) -> None:
    again = GoingOn(older, "29990102T000000-cccccc")
    again.end("complete")
    again.close()
    assert check_session(older).problems == {}
    assert len(Session.open(older).runs) == 4
