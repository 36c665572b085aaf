"""What this process takes of its machine: processor time and memory (Linux: proc(5), statm)."""

from os import sysconf
from resource import RUSAGE_SELF, getrusage

_STATM = "/proc/self/statm"
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
        # Told at the end of each superstep, and a Path takes twice as long.
        with open(_STATM, "rb", buffering=0) as file:
            return int(file.read().split()[_RESIDENT]) * _PAGE_BYTES
    except OSError:
        return getrusage(RUSAGE_SELF).ru_maxrss * _KIB
