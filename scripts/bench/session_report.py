"""What a report of a session costs: CPU and wall seconds, and the most memory that `cutweb report` held.

python -m scripts.bench.session_report NAME=SESSION...           print the table
python -m scripts.bench.session_report --save NAME=SESSION...    and keep it in docs/reports.md
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import Session


def measured(session: Path) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and bytes of memory of a report."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cutweb", "report", str(session), "--out", f"{folder}/report"]
        began = perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{session}: cutweb report ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, seconds, used.ru_maxrss << 10


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", metavar="NAME=SESSION")
    parser.add_argument("--save", action="store_true", help="write docs/reports.md")
    asked = parser.parse_args()
    rows = []
    for name, _, path in (named.partition("=") for named in asked.sessions):
        opened = Session.open(path)
        counts = [sum(file.rows for file in opened.table_files(kind)) for kind in ("pages", "links")]
        cpu, seconds, memory = measured(Path(path))
        rows.append(
            [name, *(f"{count:,}" for count in counts), f"{cpu:.1f}", f"{seconds:.1f}", f"{memory / 2**20:.0f}"]
        )
    text = table(["session", "pages", "links", "CPU s", "wall s", "memory, MiB"], rows) + f"\n{this_machine()}.\n"
    print(text)
    if asked.save:
        keep("reports.md", "report costs", text)


if __name__ == "__main__":
    main()
