"""What watches a crawl of several ranks."""

import json
from pathlib import Path

from crawler.monitoring.event_log import log_path
from crawler.monitoring.live_file import read_live
from sessions.checking.check import check_session
from sessions.session import Session
from tests.mpi.conftest import Run


def test_each_rank_keeps_a_log_and_rank_0_tells_of_all(
    run_ranks: Run, crawl_arguments: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "session"
    done = run_ranks(3, *crawl_arguments, "--out", str(out), "--log-json")
    assert done.returncode == 0, done.stderr
    session, live = Session.open(out), read_live(out)
    assert live is not None
    reports = session.rank_reports()
    assert [rank.pages for rank in live.ranks] == [report["fetched"] for report in reports]
    run, origins = str(session.header["run"]), []
    for rank, report in enumerate(reports):
        events = [json.loads(line) for line in log_path(out, rank, run).read_text().splitlines()]
        assert {(event["run"], event["rank"]) for event in events} == {(run, rank)}
        names = [event["event"] for event in events]
        assert (names[0], names[-1]) == ("run began", "crawl ended")
        assert ("epoch committed" in names) == (rank == 0)
        assert names.count("epoch closed") == len(session.epochs)
        supersteps = [event for event in events if event["event"] == "superstep ended"]
        assert [event["superstep"] for event in supersteps] == sorted({event["superstep"] for event in supersteps})
        assert supersteps[-1]["superstep"] == live.superstep
        assert (supersteps[-1]["pages"], supersteps[-1]["bytes"]) == (report["fetched"], report["bytes"])
        origins += [event["origin"] for event in events if event["event"] == "robots.txt fetched"]
    assert sorted(origins) == sorted(session.read("robots", ["origin"])["origin"].to_pylist())
    findings = check_session(out)
    assert findings.is_good
    assert not [note for note in findings.notes if "not committed" in note]
