"""One crawl, and what it cost."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from crawler.monitoring.stage_clock import STAGES
from scripts.shared.without_rules import WITHOUT_RULES
from sessions.session import Session

ROOT = Path(__file__).resolve().parents[2]


def measured_crawl(arguments: list[str], code: Path = ROOT, *, has_rules: bool = False) -> dict[str, Any]:
    """Crawl with these options of ``cutweb crawl``, all but ``--out``; the figures, per page where that makes sense.

    ``code`` is a folder with this project, as it stands or as it was.  With ``has_rules`` the rules and caps that are
    the default of the open web hold; an older project has none.
    """
    is_older = not any((code / "scripts" / place / "without_rules.py").exists() for place in ("", "shared"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "session"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "crawler", "crawl", "--out", str(out)]
        command += [*([] if has_rules or is_older else WITHOUT_RULES), *arguments]
        # The packages in the working folder would come first.
        environment = {**os.environ, "PYTHONPATH": str(code), "PYTHONSAFEPATH": "1"}
        subprocess.run(command, check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        reports = Session.open(out).rank_reports()
    pages = sum(report["fetched"] for report in reports)
    seconds = max(report["seconds"] for report in reports)
    milliseconds = {stage: 1000 * sum(report["cpu"][stage] for report in reports) / pages for stage in STAGES}
    return {
        "pages": pages,
        "seconds": seconds,
        "pages_per_second": pages / seconds,
        "cpu_ms": sum(milliseconds.values()),
        "process_cpu_ms": 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / pages,
        "received_bytes": sum(report["bytes"] for report in reports) / pages,
        "decoded_bytes": sum(report["decoded_bytes"] for report in reports) / pages,
        "links": sum(report["links"] for report in reports) / pages,
        "sent_urls": sum(report["sent_urls"] for report in reports) / pages,
        "packets": sum(report["letters"] for report in reports) / pages,
        "wire_bytes": sum(report["wire_bytes"] for report in reports) / pages,
        "peak_rss": max(report["peak_rss"] for report in reports),
        **{f"stage_{stage}": value for stage, value in milliseconds.items()},
    }
