"""Run as a user without rights: crawls the small web WEB from its home HOME, in 2 ranks, and says as JSON how it was.

python -m tests.mpi.unprivileged_crawl WEB HOME
"""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from sessions.localweb.serve.server import LocalWeb
from sessions.localweb.web_files import seeds_path

ROOT = Path(__file__).resolve().parents[2]


def can_write(folder: Path) -> bool:
    """Can this process make a file there?"""
    with suppress(OSError):
        (folder / ".written").touch()
        return True
    return False


def main() -> None:
    web, home = Path(sys.argv[1]), Path(sys.argv[2])
    with LocalWeb([web]) as local:
        command = [sys.executable, "-P", "-m", "cutweb", "crawl", "--ranks", "2", "--seeds", str(seeds_path(web))]
        where = ["--connect-to", local.connect_to, "--ca-cert", str(local.ca_cert), "--out", str(home / "session")]
        pace = ["--delay", "0", "--server-delay", "0", "--superstep", "0.2"]
        done = subprocess.run([*command, *where, *pace], capture_output=True, text=True, check=False)
    status = Path("/proc/self/status").read_text().splitlines()
    rights = [line.split()[1] for line in status if line.startswith(("CapPrm", "CapEff", "CapInh", "CapAmb", "CapBnd"))]
    writable = [str(folder) for folder in (ROOT, Path(sys.prefix)) if can_write(folder)]
    told = {"user": os.geteuid(), "rights": rights, "writable": writable, "code": done.returncode, "words": done.stderr}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
