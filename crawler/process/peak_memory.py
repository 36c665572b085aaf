"""The most memory that this process has had."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """The largest resident set of this process so far, in bytes.

    On Linux from its own status: what getrusage says begins with that of the process that started it, and a large one
    hides what a small one takes.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
