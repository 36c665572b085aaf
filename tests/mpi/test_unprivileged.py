"""A user without rights crawls with an installation that is not theirs to write into: in namespaces of the kernel.

The checkout and what is installed can only be read, and there is no network but the machine's own.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.checking.check import check_session
from sessions.localweb.generate.make import MadeWeb
from sessions.session import Session
from tests.mpi.conftest import PATIENCE_SECONDS, ROOT

USER = 1000
NAMESPACES = ["unshare", "--user", f"--map-user={USER}", f"--map-group={USER}", "--net", "--mount", "--keep-caps"]
LOWERED = "exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all"
READ_ONLY = 'for it in "$1" "$2"; do mount --bind "$it" "$it" && mount -o remount,bind,ro "$it"; done'
PREPARED = f'set -e; PATH=$PATH:/usr/sbin:/sbin; ip link set lo up; {READ_ONLY}; shift 2; {LOWERED} "$@"'


@pytest.fixture(scope="module")
def lowered() -> list[str]:
    """What runs a command without rights."""
    lacking = [
        name
        for name in ("unshare", "setpriv", "ip")
        if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
    ]
    if lacking:
        pytest.skip(f"a user without rights needs {', '.join(lacking)}")
    prefix = [*NAMESPACES, "sh", "-c", PREPARED, "sh", str(ROOT), os.path.realpath(sys.prefix)]
    tried = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"namespaces of users are not allowed here: {tried.stderr.strip()}")
    return prefix


def test_a_user_without_rights_crawls(lowered: list[str], made: MadeWeb, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home / "tmp"), "PYTHONPATH": str(ROOT)}
    command = [*lowered, sys.executable, "-m", "tests.mpi.unprivileged_crawl", str(made.path), str(home)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, cwd=home, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["code"] == 0, told["words"]
    assert told["user"] == USER
    assert {int(rights, 16) for rights in told["rights"]} == {0}
    assert told["writable"] == []
    findings = check_session(home / "session")
    assert findings.is_good, findings.problems
    session = Session.open(home / "session")
    assert (session.ranks, session.ended and session.ended["reason"]) == (2, "complete")
    assert {path.name for path in home.iterdir()} <= {"session", "tmp", ".cache"}
