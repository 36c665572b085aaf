"""Lines that say what the ranks take of their machines."""

import re
from pathlib import Path

import pytest

from crawler.monitoring.usage_lines import UsageLines
from tests.crawler.monitoring.support.states import NOTHING

MB = 10**6


def test_a_line_tells_what_came_since_the_one_before(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = UsageLines(60.0, tmp_path)
    first = NOTHING._replace(milliseconds=60_000, cpu_milliseconds=30_000, memory_bytes=100 * MB, bytes=60 * MB)
    second = NOTHING._replace(cpu_milliseconds=6_000, memory_bytes=300 * MB, written_bytes=120 * MB)
    lines.show([first._replace(milliseconds=59_000), second])
    assert capsys.readouterr().err == ""
    lines.show([first, second])
    told = capsys.readouterr().err
    assert told.startswith(
        "0:01:00  usage  ranks 2  CPU mean 30% most 50% (rank 0)  memory mean 200 MB most 300 MB (rank 1)  "
        "received 1 MB/s  written 2 MB/s  disk free "
    )
    lines.show([first._replace(milliseconds=120_000), second._replace(cpu_milliseconds=66_000)])
    told = capsys.readouterr().err
    assert re.match(r"0:02:00  usage  ranks 2  CPU mean 50% most 100% \(rank 1\) .*received 0 B/s  written 0 B/s", told)


def test_the_last_superstep_is_told_of_and_a_disk_that_is_gone_is_left_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = UsageLines(60.0, tmp_path / "gone")
    lines.show([NOTHING._replace(milliseconds=1_000)], is_last=True)
    assert capsys.readouterr().err.endswith("written 0 B/s\n")
    lines.show([NOTHING._replace(milliseconds=1_000)], is_last=True)
    assert capsys.readouterr().err == ""
