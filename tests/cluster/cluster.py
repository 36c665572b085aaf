"""A Slurm cluster of several hosts on one machine, for the time of a `with`: slurmctld, slurmd and munged of its own.

Each node has its own network, host name, /dev/shm and System V memory (namespaces of the kernel); a bridge joins them.
File systems are shared, as the session's folder is on a real cluster.  Everything stands in one folder and in names
that begin with `PREFIX`; what an earlier cluster that was killed left behind is removed first.
"""

import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Self

from scripts.shared.network_namespaces import (
    add_host,
    end_with_parent,
    hosts_with,
    ip,
    lacking,
    processes,
    remove_host,
)

PREFIX = "cutweb"
BRIDGE = f"{PREFIX}-bridge"
HEAD_ADDRESS = "10.77.0.254"
"""Of the machine itself: what it serves there, all nodes reach."""
_POLL_SECONDS = 0.1
_START_SECONDS = 60
_LIVES = {"PENDING", "CONFIGURING", "RUNNING", "SIGNALING", "SUSPENDED", "COMPLETING", "REQUEUED"}
"""The states of jobs that have not ended."""
_SYSTEM_FOLDERS = "/usr/sbin:/sbin"

_BETWEEN_INSTANCES_SECONDS = 10

_CONFIGURATION = """\
ClusterName={prefix}
SlurmctldHost=head({head})
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdSpoolDir={folder}/spool/%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
TmpFS={folder}/tmp/%n
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=15
KillWait=10
SchedulerParameters=batch_sched_delay=0,sched_interval=2
NodeName={prefix}[1-{nodes}] NodeAddr=10.77.0.[1-{nodes}] CPUs=8 RealMemory=8000 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
"""Nodes claim more processors than there are, so that several jobs run at once on a small machine."""


def missing() -> str | None:
    """What this machine lacks for a cluster, in words; None if nothing."""
    return lacking(("slurmctld", "slurmd", "munged", "sbatch", "scontrol"), "--uts", "--mount", "--ipc")


def wait_until(what: str, is_so: Callable[[], bool], seconds: float) -> None:
    """Ask until it is so; AssertionError that names it if that takes longer."""
    end = monotonic() + seconds
    while not is_so():
        assert monotonic() < end, f"{what}: not within {seconds:.0f} s"
        sleep(_POLL_SECONDS)


class Cluster:
    """``nodes`` hosts under Slurm, in an empty ``folder``; they run while the `with` does."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.folder = folder
        self.nodes = [f"{PREFIX}{number}" for number in range(1, nodes + 1)]
        self._daemons: list[subprocess.Popen[bytes]] = []
        self._configuration = folder / "slurm.conf"

    def __enter__(self) -> Self:
        _remove_network()
        try:
            self._make_files()
            self._make_network()
            self._start_daemons()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def environment(self) -> dict[str, str]:
        """With this, Slurm's commands speak to this cluster; nothing of a job that we may run in."""
        ours = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "CUTWEB"))
        }
        path = f"{ours.get('PATH', os.defpath)}:{_SYSTEM_FOLDERS}"
        return {**ours, "PATH": path, "SLURM_CONF": str(self._configuration)}

    def call(self, *command: str | Path, **more: str) -> str:
        """What a command of Slurm's prints; ``more`` is added to its environment.  AssertionError if it fails."""
        done = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self.environment | more,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout.strip()

    def submit(self, *arguments: str | Path, **more: str) -> int:
        """Hand a job in by sbatch with these arguments; its number."""
        return int(self.call("sbatch", "--parsable", *arguments, **more))

    def state(self, job: int) -> dict[str, str]:
        """What `scontrol show job` says of a job."""
        words = self.call("scontrol", "show", "job", "--oneliner", str(job)).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def end_of(self, job: int, seconds: float) -> dict[str, str]:
        """Wait until a job has ended and is not queued any more; its state.

        Slurm has a job that was requeued wait for two minutes.  Here it waits for seconds, but not for none: if it
        begins before word of its last instance's end has come, that seems to be taken for the end of the new one (it
        fails at once, and its script has said nothing; no log was had that proves why).
        """
        state: dict[str, str] = {}
        hurried = ""

        def has_ended() -> bool:
            nonlocal state, hurried
            state = self.state(job)
            if state["JobState"] == "PENDING" and state["Reason"] == "BeginTime" and state["Restarts"] != hurried:
                hurried = state["Restarts"]
                self.call("scontrol", "update", f"jobid={job}", f"StartTime=now+{_BETWEEN_INSTANCES_SECONDS}seconds")
            return state["JobState"] not in _LIVES

        wait_until(f"the end of job {job}", has_ended, seconds)
        return state

    def bytes_sent(self, node: str) -> int:
        """What a node's network interface has sent, in bytes, headers included."""
        return int(Path(f"/sys/class/net/{_interface(node)}/statistics/rx_bytes").read_text())

    def cut_off(self, node: str) -> None:
        """Take a node's cable out: nothing that it sends arrives anywhere, and nothing arrives there."""
        ip("link", "set", _interface(node), "nomaster")

    def join(self, node: str) -> None:
        """Put a node's cable in again."""
        ip("link", "set", _interface(node), "master", BRIDGE)

    def is_idle(self, node: str) -> bool:
        """Can a node take a job, and has none?"""
        return self.call("sinfo", "--noheader", "--nodes", node, "--format", "%T") == "idle"

    def commands(self, node: str) -> list[str]:
        """The command lines of the processes on a node."""
        found = []
        for number in processes(node):
            with suppress(OSError):
                found.append(Path(f"/proc/{number}/cmdline").read_text().replace("\0", " "))
        return found

    def start_on(self, node: str, *command: str | Path) -> subprocess.Popen[str]:
        """Start something on a node without Slurm; it ends with the cluster at the latest."""
        return subprocess.Popen(
            ["ip", "netns", "exec", node, *map(str, command)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self.environment,
            preexec_fn=end_with_parent,
        )

    def log(self) -> str:
        """The end of the controller's log: for messages about tests that fail."""
        with suppress(OSError):
            return (self.folder / "slurmctld.log").read_text()[-2000:]
        return ""

    def _make_files(self) -> None:
        for name in ("state", *(f"{kind}/{node}" for kind in ("spool", "tmp") for node in self.nodes)):
            (self.folder / name).mkdir(parents=True)
        text = _CONFIGURATION.format(prefix=PREFIX, head=HEAD_ADDRESS, folder=self.folder, nodes=len(self.nodes))
        self._configuration.write_text(text)
        # `ip netns exec` hides /sys/fs/cgroup, which slurmd otherwise looks for; this plugin can do without.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def _make_network(self) -> None:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{HEAD_ADDRESS}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        names = [(HEAD_ADDRESS, "head")]
        names += [(f"10.77.0.{number}", node) for number, node in enumerate(self.nodes, 1)]
        for number, node in enumerate(self.nodes, 1):
            add_host(node, names)
            ip("link", "add", _interface(node), "type", "veth", "peer", "name", "eth0", "netns", node)
            ip("link", "set", _interface(node), "master", BRIDGE, "up")
            ip("-n", node, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            ip("-n", node, "link", "set", "eth0", "up")

    def _start_daemons(self) -> None:
        folder = self.folder
        files = [f"--{kind}-file={folder / f'munge.{kind}'}" for kind in ("key", "pid", "seed", "log")]
        self._start("munged", "--foreground", "--force", f"--socket={folder / 'munge.socket'}", *files)
        wait_until("munged", (folder / "munge.socket").exists, _START_SECONDS)
        self._start("unshare", "--uts", *_as_host("head", f"exec slurmctld -D -f {self._configuration}"))
        for node in self.nodes:
            run = f"mount -t tmpfs tmpfs /dev/shm; exec slurmd -D -f {self._configuration} -N {node}"
            alone = ["unshare", "--uts", "--mount", "--ipc", *_as_host(node, run)]
            self._start("ip", "netns", "exec", node, *alone)
        wait_until("all nodes", self._are_all_idle, _START_SECONDS)

    def _start(self, *command: str) -> None:
        with (self.folder / "daemons.log").open("ab") as log:
            daemon = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environment,
                preexec_fn=end_with_parent,
            )
        self._daemons.append(daemon)

    def _are_all_idle(self) -> bool:
        answers = subprocess.run(["scontrol", "ping"], capture_output=True, check=False, env=self.environment)
        return answers.returncode == 0 and all(map(self.is_idle, self.nodes))

    def _stop(self) -> None:
        for daemon in reversed(self._daemons):
            daemon.terminate()
        for daemon in reversed(self._daemons):
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self._daemons.clear()
        _remove_network()


def _as_host(name: str, command: str) -> Sequence[str]:
    return "sh", "-c", f"hostname {name}; {command}"


def _remove_network() -> None:
    """Remove what has our names: hosts with all their processes, their interfaces, and the bridge."""
    for host in hosts_with(PREFIX):
        remove_host(host)
        subprocess.run(["ip", "link", "del", _interface(host)], capture_output=True, check=False)
    subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True, check=False)


def _interface(node: str) -> str:
    """The near end of a node's cable."""
    return f"{node}-veth"
