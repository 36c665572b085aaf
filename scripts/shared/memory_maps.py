"""What a process holds in memory, as the kernel adds up its mappings (proc(5), smaps_rollup)."""

import re
from pathlib import Path

SELF = Path("/proc/self")


def memory_of(process: Path = SELF) -> dict[str, int]:
    """Bytes by the kernel's names (Rss, Pss, ...) of a process; "Own" is what lies in no file, or was swapped.

    Pages of a file are shared with whoever reads it, though the kernel counts them as private as long as nobody else
    happens to.  Nothing if the process has ended; raises OSError where it cannot be looked at.
    """
    told = (process / "smaps_rollup").read_text()
    held = {name: int(kib) << 10 for name, kib in re.findall(r"^(\w+): +(\d+) kB", told, re.MULTILINE)}
    return {**held, "Own": held["Anonymous"] + held["Swap"]} if held else {}
