"""What figures were measured on, in a line."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path


def this_machine() -> str:
    """Cores, processor, Python and the day."""
    model = next(
        (line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.machine()
    )
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}"


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []
