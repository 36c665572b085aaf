"""Handing in the files of slurm/, as a user of the cluster does."""

import subprocess
import sys
from pathlib import Path

from tests.cluster.cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]
NODES, TASKS_PER_NODE = 2, 2
RANKS = NODES * TASKS_PER_NODE
PATIENCE_SECONDS = 480
SHAPE = [f"--nodes={NODES}", f"--ntasks-per-node={TASKS_PER_NODE}"]


class Jobs:
    """What `cutweb slurm init` writes into a folder, for `SHAPE` and with more options; jobs leave their logs there."""

    def __init__(self, cluster: Cluster, folder: Path, *options: str) -> None:
        self.cluster = cluster
        self.folder = folder
        self.environment = {"PYTHONPATH": str(ROOT)}
        shape = ["--nodes", str(NODES), "--tasks-per-node", str(TASKS_PER_NODE), "--time", "00:30:00"]
        command = [sys.executable, "-m", "crawler", "slurm", "init", str(folder), *shape, *options]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)

    def submit(self, name: str | Path, *arguments: str | Path, options: tuple[str, ...] = ()) -> int:
        """Hand a file in, one of ours if no path is given; the job's number."""
        log = [f"--output={self.folder}/%j.log", "--open-mode=append"]
        return self.cluster.submit(*log, *options, self.folder / name, *arguments, **self.environment)

    def run(self, name: str | Path, *arguments: str | Path, options: tuple[str, ...] = ()) -> int:
        """Hand a file in and wait until the job has ended well, however often it is requeued; its number."""
        job = self.submit(name, *arguments, options=options)
        self.has_ended_well(job)
        return job

    def run_in_job(self, command: str, *, ranks: int = RANKS) -> str:
        """Run a line of shell in a job of its own, with this Python's commands on the path; what it prints."""
        shape = SHAPE if ranks == RANKS else ["--nodes=1", f"--ntasks={ranks}"]
        line = f"export PATH={Path(sys.executable).parent}:$PATH; {command}"
        output = f"--output={self.folder}/%j.log"
        job = self.cluster.submit(*shape, output, "--wrap", line, **self.environment)
        self.has_ended_well(job)
        return self.log(job)

    def has_ended_well(self, job: int) -> dict[str, str]:
        """Wait until the job has ended, well; its state."""
        state = self.cluster.end_of(job, PATIENCE_SECONDS)
        assert (state["JobState"], state["ExitCode"]) == ("COMPLETED", "0:0"), f"{state}\n{self.log(job)}"
        return state

    def log(self, job: int) -> str:
        """What a job has written."""
        path = self.folder / f"{job}.log"
        return path.read_text(errors="replace") if path.exists() else ""
