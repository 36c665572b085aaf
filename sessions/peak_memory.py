"""The most memory that this process has held, since it last forgot (Linux: proc(5), VmHWM and clear_refs)."""

from pathlib import Path
from resource import RUSAGE_SELF, getrusage

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"
_KIB = 1024


def peak_memory() -> int:
    """Return the largest resident set of this process so far, in bytes.

    On Linux from its own status: what getrusage says begins with that of the process that started it, and a large one
    hides what a small one takes.
    """
    try:
        status = _STATUS.read_text()
    except OSError:
        status = ""
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * _KIB
    return getrusage(RUSAGE_SELF).ru_maxrss * _KIB


def forget_peak() -> None:
    """Let the peak count from now on.  Where the system does not allow it, the peak stays that of the process."""
    try:
        _CLEAR_REFS.write_text(_FORGET_PEAK)
    except OSError:
        return
