"""The same documents on several ranks."""

from pathlib import Path

from sessions.check import check_session
from sessions.session import Session
from tests.mpi.conftest import RANKS, Run

PROGRAM = str(Path(__file__).with_name("intake_ranks.py"))


def test_the_first_page_of_each_document_is_the_same_on_any_number_of_ranks(run_ranks: Run, tmp_path: Path) -> None:
    told = []
    for ranks in RANKS:
        done = run_ranks(ranks, PROGRAM, str(tmp_path / str(ranks)))
        assert done.returncode == 0, done.stdout + done.stderr
        findings = check_session(tmp_path / str(ranks))
        assert findings.is_good, findings.problems
        pages = Session.open(tmp_path / str(ranks)).read("pages", ["url", "duplicate_of"]).to_pylist()
        told.append({page["url"]: page["duplicate_of"] for page in pages})
        assert findings.checked["revisits"] == sum(first is not None for first in told[-1].values()) == 45
    assert all(of_ranks == told[0] for of_ranks in told)
