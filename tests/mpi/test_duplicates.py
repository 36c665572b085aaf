"""The same documents on several ranks."""

from itertools import cycle
from pathlib import Path

from sessions.checking.check import check_session
from sessions.session import Session
from tests.mpi.conftest import RANKS, Run

PROGRAM = str(Path(__file__).with_name("intake_ranks.py"))


def test_the_first_page_of_each_document_is_the_same_on_any_number_of_ranks(run_ranks: Run, tmp_path: Path) -> None:
    """Whether what is known of documents fits in memory, or is on disk from the first superstep on."""
    told = []
    for ranks, content_memory in zip((1, *RANKS), cycle((1 << 22, 1 << 12)), strict=False):
        path = tmp_path / f"{ranks}-{content_memory}"
        done = run_ranks(ranks, PROGRAM, str(path), str(content_memory))
        assert done.returncode == 0, done.stdout + done.stderr
        findings = check_session(path)
        assert findings.is_good, findings.problems
        pages = Session.open(path).read("pages", ["url", "duplicate_of"]).to_pylist()
        told.append({page["url"]: page["duplicate_of"] for page in pages})
        assert findings.checked["revisits"] == sum(first is not None for first in told[-1].values()) == 200
        assert len(list(tmp_path.glob(f"{path.name}.scratch-*"))) == (ranks if content_memory == 1 << 12 else 0)
    assert all(of_ranks == told[0] for of_ranks in told)
