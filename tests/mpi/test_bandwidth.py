"""Crawls with a limit of what all ranks receive together."""

from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session
from tests.mpi.conftest import Run

BYTES_PER_SECOND = 1_500_000
LIMIT = f"{8 * BYTES_PER_SECOND // 1000}k"


@pytest.mark.parametrize(
    ("ranks", "options"),
    [
        pytest.param(1, ["--max-bandwidth", LIMIT], marks=pytest.mark.long),
        (4, ["--max-bandwidth", "none", "--bandwidth-hours", f"Mon-Sun 00:00-24:00 {LIMIT}"]),
        pytest.param(3, ["--max-host-bandwidth", LIMIT], marks=pytest.mark.long),
    ],
)
def test_all_ranks_together_keep_to_the_limit_and_fetch_the_same(
    run_ranks: Run, crawl_arguments: list[str], web: LocalWeb, tmp_path: Path, ranks: int, options: list[str]
) -> None:
    out = tmp_path / "session"
    already = len(web.log)
    done = run_ranks(ranks, *crawl_arguments, "--out", str(out), *options)
    assert done.returncode == 0, done.stderr
    session = Session.open(out)
    reports = session.rank_reports()
    received = sum(report["network_bytes"] for report in reports)
    assert received > sum(report["bytes"] for report in reports)
    assert sum(report["network_bytes"] > 0 for report in reports) >= min(ranks, 2)
    served = [time for time, _, _ in web.log[already:]]
    seconds = served[-1] - served[0]
    assert received <= BYTES_PER_SECOND * (seconds + 1.0)
    assert len(session.read("pages", ["url"])) == len(set(session.read("pages", ["url"])["url"].to_pylist())) > 300
    assert check_session(out).is_good
