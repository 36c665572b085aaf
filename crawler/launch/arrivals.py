"""Which ranks have come: before MPI begins each puts its host's name into a folder beside the session.

MPI itself waits for ranks that never come, and names none.  The folder is there only until all have come, or those who
have waited for them give up.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from crawler.launch.common_ground import nearest_folder
from crawler.process.mpi_environment import launched_as

_LAUNCHER = "launcher"
_ASKING_SECONDS = 10.0
_MOST_NAMED = 20


class Arrivals:
    """The ranks that have come for the session ``out``, as far as this machine sees the folder that it goes into."""

    def __init__(self, out: Path) -> None:
        self._folder = nearest_folder(out) / f".cutweb-arrivals-{out.absolute().name}"

    @property
    def has_launcher(self) -> bool:
        """Is there a process that waits for all ranks, and will say who is missing?"""
        return (self._folder / _LAUNCHER).exists()

    @property
    def are_awaited(self) -> bool:
        """Is somebody waiting still?"""
        return self._folder.exists()

    def await_all(self) -> None:
        """Say that this process waits for the ranks that it starts.  Raises OSError if nothing can be written there."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        (self._folder / _LAUNCHER).touch()

    def come(self, rank: int, host: str) -> None:
        """Say that a rank has come; where nothing can be written this is not known, and told by others."""
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            (self._folder / str(rank)).write_text(host)

    def forget(self) -> None:
        """Remove what ranks have said: nobody waits any more."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def leave(self, rank: int) -> None:
        """Remove what a rank has said, with the folder if nothing is left in it: nodes may not share it."""
        with suppress(OSError):
            (self._folder / str(rank)).unlink()
            self._folder.rmdir()

    def given_up(self) -> dict[int, str] | None:
        """Return the hosts of the ranks that have come, and remove them; None if somebody else has, who tells."""
        taken = self._folder.with_name(f"{self._folder.name}-{os.uname().nodename}-{os.getpid()}")
        try:
            self._folder.rename(taken)
        except OSError:
            return None
        hosts = {}
        for path in taken.iterdir():
            with suppress(OSError, ValueError):
                hosts[int(path.name)] = path.read_text()
        shutil.rmtree(taken, ignore_errors=True)
        return hosts


def who_is_missing(hosts: Mapping[int, str], ranks: int, seconds: float, environment: Mapping[str, str]) -> str:
    """Return the line that says which ranks, and which nodes of a job of Slurm's, have not come within ``seconds``."""
    after = f"after {seconds:g} s (--start-seconds)"
    came = Counter(hosts.values())
    told = ", ".join(f"{count} on {host}" for host, count in sorted(came.items()))
    missing = [rank for rank in range(ranks) if rank not in hosts]
    if not missing:
        return f"{after} all {ranks} ranks have come ({told}), but MPI has not joined them: can these machines connect?"
    absent = [node for node in nodes_of_job(environment) if node not in came]
    where = f"none on {_some(absent)}" if absent else f"not {_some(missing)}"
    return (
        f"{after} {len(hosts)} of {ranks} ranks have come{f' ({told})' if told else ''}, {where}: are cutweb and "
        "Python, at the same paths, and the folder of the session there?"
    )


def _some(names: Sequence[object]) -> str:
    """The first of many names."""
    more = len(names) - _MOST_NAMED
    return ", ".join(map(str, names[:_MOST_NAMED])) + (f" and {more:,} more" if more > 0 else "")


def nodes_of_job(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the nodes of the job of Slurm's that this process is in; none if it is in none."""
    named = environment.get("SLURM_JOB_NODELIST")
    if not named:
        return []
    with suppress(OSError, subprocess.SubprocessError):
        asked = ["scontrol", "show", "hostnames", named]
        told = subprocess.run(asked, capture_output=True, text=True, timeout=_ASKING_SECONDS, check=True)
        return told.stdout.split()
    return []


def own_rank() -> tuple[int, int]:
    """Return this rank's number, and how many there are, by what the launcher says before MPI begins."""
    return launched_as(os.environ)
