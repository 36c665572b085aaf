"""What this process takes of its machine: processor time and memory (Linux: proc(5), statm)."""

from os import sysconf
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

_STATM = Path("/proc/self/statm")
_RESIDENT = 1
_PAGE_BYTES = sysconf("SC_PAGE_SIZE")
_KIB = 1024


def cpu_milliseconds() -> int:
    """Return the processor time of all threads so far, user's and system's."""
    usage = getrusage(RUSAGE_SELF)
    return round(1000 * (usage.ru_utime + usage.ru_stime))


def resident_bytes() -> int:
    """Return what the process holds in memory now; where that is not told, the most that it has held."""
    try:
        return int(_STATM.read_text().split()[_RESIDENT]) * _PAGE_BYTES
    except OSError:
        return getrusage(RUSAGE_SELF).ru_maxrss * _KIB
