"""The most memory that this process has held, since it last forgot (Linux: proc(5), VmHWM and clear_refs)."""

from pathlib import Path
from resource import RUSAGE_SELF, getrusage

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_FORGET_PEAK = "5"
_KIB = 1024


def forget_peak() -> None:
    """Let the peak count from now on.  Where the system does not allow it, the peak stays that of the process."""
    try:
        _CLEAR_REFS.write_text(_FORGET_PEAK)
    except OSError:
        return


def peak_bytes() -> int:
    """The largest resident set so far, in bytes."""
    try:
        status = _STATUS.read_text()
    except OSError:
        return getrusage(RUSAGE_SELF).ru_maxrss * _KIB
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * _KIB
