"""A further counter is a line in sessions/counters.py and a line where it is raised: all else follows."""

import json
import subprocess
import sys
from pathlib import Path

from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session

ROOT = Path(__file__).resolve().parents[1]
COMMAND = """
import sys
sys.path.insert(0, {root!r})
from sessions.counters import COUNTERS, Counter
COUNTERS["titles"] = Counter("titles", "pages with a title", is_later=True, is_tally=True, line="titles", words="pages")
if sys.argv[1] == "crawl":
    from crawler.intake.intake import Intake
    count = Intake._count

    def counting(self, row):
        self._counters.titles += 1
        count(self, row)

    Intake._count = counting
if sys.argv[1] == "tables":
    from scripts.counter_tables import tables
    print("".join(tables().values()))
else:
    from crawler.main import main
    main()
"""


def cutweb(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", COMMAND.format(root=str(ROOT)), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_counter_is_reported_summed_checked_shown_and_documented(tmp_path: Path) -> None:
    made = make_web(tmp_path / "web.warc.gz", sites=1, pages=30, seed=4)
    with LocalWeb([tmp_path / "web.warc.gz"]) as web:
        where = ["--connect-to", web.connect_to, "--contact", "me@a.example", "--max-pages", "20", "--out", "session"]
        cutweb(tmp_path, "crawl", *made.seeds, *where, "--delay", "0", "--server-delay", "0", "--superstep", "0.1")
    (report,) = Session.open(tmp_path / "session").rank_reports()
    assert report["titles"] == report["fetched"] == 20
    told = json.loads(cutweb(tmp_path, "info", "--json", "session"))
    assert told["total"]["titles"] == told["ranks"][0]["titles"] == 20
    assert "  titles       20 pages\n" in cutweb(tmp_path, "info", "session")
    assert "good" in cutweb(tmp_path, "check", "session")
    tables = cutweb(ROOT, "tables")
    assert "| `titles` | int | pages with a title. Missing in older sessions: none |\n" in tables
    record = min((tmp_path / "session" / "epochs").glob("*.json"))
    record.write_text(record.read_text().replace('"titles":', '"titles": "many", "was":', 1))
    checked = subprocess.run(
        [sys.executable, "-c", COMMAND.format(root=str(ROOT)), "check", "session"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 1
    assert "report.titles is" in checked.stdout + checked.stderr
