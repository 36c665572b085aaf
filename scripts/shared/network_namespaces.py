"""Hosts that are network namespaces of this machine: what makes them, and what leaves nothing of them behind.

Namespaces want root and iproute2.  Names are the caller's; a host's name is that of its namespace.
"""

import ctypes
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_SYSTEM_FOLDERS = "/usr/sbin:/sbin"


def program(name: str) -> str | None:
    """Return the path of a program, of the administrator's too; None if this machine lacks it."""
    return shutil.which(name) or shutil.which(name, path=_SYSTEM_FOLDERS)


def lacking(programs: Sequence[str], *namespaces: str) -> str | None:
    """Return what this machine lacks for hosts with ``namespaces`` (`unshare`'s options), in words; None if nothing."""
    if os.geteuid() != 0:
        return "hosts in network namespaces need root"
    absent = [name for name in ("ip", "unshare", *programs) if program(name) is None]
    if absent:
        return f"hosts in network namespaces need {', '.join(absent)}: make test-cluster installs them on Debian"
    tried = subprocess.run(["unshare", "--net", *namespaces, "true"], capture_output=True, check=False)
    return None if tried.returncode == 0 else f"namespaces are not allowed here: {tried.stderr.decode().strip()}"


def ip(*arguments: str) -> str:
    """Return what `ip` prints; RuntimeError with its words if it fails."""
    return _call("ip", *arguments)


def traffic_control(*arguments: str) -> str:
    """Return what `tc` prints; RuntimeError with its words if it fails."""
    return _call("tc", *arguments)


def hosts_file(host: str) -> Path:
    """What `ip netns exec` shows a host as /etc/hosts."""
    return Path("/etc/netns") / host / "hosts"


def add_host(host: str, names: Sequence[tuple[str, str]]) -> None:
    """Make a host whose /etc/hosts has these (address, name), besides itself."""
    ip("netns", "add", host)
    ip("-n", host, "link", "set", "lo", "up")
    file = hosts_file(host)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{address} {name}\n" for address, name in (("127.0.0.1", "localhost"), *names)))


def hosts_with(prefix: str) -> list[str]:
    """Return the hosts whose names begin so, in order."""
    return sorted(line.split()[0] for line in ip("netns", "list").splitlines() if line.startswith(prefix))


def remove_host(host: str) -> None:
    """Remove a host with all of its processes, its interfaces and its files."""
    for number in processes(host):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    ip("netns", "del", host)
    shutil.rmtree(hosts_file(host).parent, ignore_errors=True)


def processes(host: str) -> list[int]:
    """Return the numbers of the processes that run on a host."""
    return list(map(int, ip("netns", "pids", host).split()))


def end_with_parent() -> None:
    """Have the kernel end this process when its parent dies, however it dies: for `preexec_fn`."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _call(name: str, *arguments: str) -> str:
    done = subprocess.run([program(name) or name, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
