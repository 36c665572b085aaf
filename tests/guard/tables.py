"""What the loads weighed when the tables in docs were made, so that the guard can say which of them are out of date.

`make docs` and `make bench-large` have it remembered, in docs/guarded.json: by page, the commit and its weights.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scripts.shared.other_commit import named
from tests.guard.recorded import processor, python
from tests.guard.weighing import CALLGRIND, ROOT, Weights

FILE = ROOT / "docs" / "guarded.json"
_MOVED = 0.05


class Moved(NamedTuple):
    """A page whose tables were made at ``commit``, and how many times as heavy loads are since."""

    page: str
    commit: str
    ratios: dict[str, float]


def remember(pages: Sequence[str], weights: Weights, file: Path = FILE) -> None:
    """Keep these weights, which callgrind found, beside pages of docs whose tables have just been made."""
    here = {"commit": named(), "processor": processor(), "python": python(), "weights": weights}
    kept = {**_kept(file), **dict.fromkeys(pages, here)}
    file.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


def moved(by: str, weights: Weights, file: Path = FILE) -> list[Moved]:
    """The pages since whose tables were made a load has become heavier or lighter by more than 5%.

    Only instructions are compared, and only those of the same processor and Python.
    """
    pages = []
    for page, then in _kept(file).items() if by == CALLGRIND else ():
        if (then["processor"], then["python"]) != (processor(), python()):
            continue
        ratios = {load: weights[load] / weight for load, weight in then["weights"].items() if load in weights}
        far = {load: ratio for load, ratio in ratios.items() if abs(ratio - 1) > _MOVED}
        if far:
            pages.append(Moved(page, then["commit"], far))
    return pages


def _kept(file: Path) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return kept
