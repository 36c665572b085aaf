"""Segments of shared memory that MPICH makes for the ranks on a machine: a rank that is killed leaves them there."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

FOLDER = Path("/dev/shm")
_NAME = re.compile(r"mpich_shm_\w+")


def shared_memory_of(pid: int) -> tuple[str, ...]:
    """The names of MPICH's segments that a process has mapped; none if it cannot be looked at."""
    with suppress(OSError):
        paths = {line.split()[-1] for line in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines()}
        return tuple(sorted(Path(path).name for path in paths if _is_segment(Path(path))))
    return ()


def remove_shared_memory(names: Iterable[str]) -> list[str]:
    """Remove segments that no living process has mapped, as far as this user may; which ones were removed."""
    wanted = {name for name in names if _is_segment(FOLDER / name) and (FOLDER / name).exists()}
    if not wanted:
        return []
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    left = wanted - {name for pid in pids for name in shared_memory_of(pid)}
    for name in left:
        with suppress(OSError):
            (FOLDER / name).unlink(missing_ok=True)
    return sorted(left)


def _is_segment(path: Path) -> bool:
    return path.parent == FOLDER and _NAME.fullmatch(path.name) is not None
