"""The weights that were recorded, and what becomes of weights beside them.

`recorded.toml` is changed by hand, with a reason.  It has one record for each tool, processor and Python.  Where this
processor has none, a record of another with the same tool and Python serves, with the wider limit.
"""

import platform
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.guard.weighing import CPU_TIME, Weights

FILE = Path(__file__).with_name("recorded.toml")
_MORE, _MORE_UNSURE, _LESS = 1.10, 1.25, 0.90
_MORE_OF_FETCHES = {"fetch": 1.5, "fetch over TLS": 1.5}
"""Wider limits: a rank that waits for a server wakes up more or less often, a fifth more were seen on one machine."""
DEARER, CHEAPER, AS_RECORDED, NEW = "DEARER", "cheaper: record it", "as recorded", "not recorded yet: record it"


class Record(NamedTuple):
    """``weights`` by load, as ``tool`` weighed them, and why they are what they are."""

    tool: str
    processor: str
    python: str
    reason: str
    weights: Mapping[str, float]


class Judged(NamedTuple):
    """A load's weight beside the one recorded, if there is one."""

    load: str
    weight: float
    recorded: float | None
    verdict: str


def records(file: Path = FILE) -> list[Record]:
    """All records.  Raises ValueError if one lacks something, its reason first of all."""
    return [_record(file, entry) for entry in tomllib.loads(file.read_text())["record"]]


def _record(file: Path, entry: Mapping[str, Any]) -> Record:
    missing = [name for name in Record._fields if not entry.get(name)]
    if missing:
        raise ValueError(f"{file}: a record lacks {', '.join(missing)}")
    return Record(**entry)


def fitting(kept: Sequence[Record], tool: str, processor: str, python: str) -> tuple[Record | None, float]:
    """The record to compare with, and the ratio beyond which a load is too dear."""
    alike = [record for record in kept if (record.tool, record.python) == (tool, python)]
    same = [record for record in alike if record.processor == processor]
    is_sure = bool(same) and tool != CPU_TIME
    return next(iter(same or alike), None), _MORE if is_sure else _MORE_UNSURE


def judged(weights: Weights, record: Record, most: float) -> list[Judged]:
    """Each load's weight, judged."""
    return [
        Judged(
            load,
            weight,
            record.weights.get(load),
            _verdict(weight, record.weights.get(load), _MORE_OF_FETCHES.get(load, most)),
        )
        for load, weight in weights.items()
    ]


def _verdict(weight: float, recorded: float | None, most: float) -> str:
    if recorded is None:
        return NEW
    if weight > most * recorded:
        return DEARER
    return CHEAPER if weight < _LESS * recorded else AS_RECORDED


def as_record(tool: str, weights: Weights) -> str:
    """These weights as an entry for `recorded.toml`; the reason is for a person to give."""
    lines = [
        f'"{load}" = {weight:.4g}' if weight < 100 else f'"{load}" = {weight:.0f}' for load, weight in weights.items()
    ]
    return (
        f'[[record]]\ntool = "{tool}"\nprocessor = "{processor()}"\npython = "{python()}"\nreason = ""\n\n'
        "[record.weights]\n" + "\n".join(lines) + "\n"
    )


def processor() -> str:
    """This machine's processor, by its model's name."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def python() -> str:
    """This Python, without its patch level."""
    return ".".join(platform.python_version_tuple()[:2])
