"""What a fuzz target is: where its inputs come from, and what must hold of each."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from hypothesis.strategies import SearchStrategy

Check = Callable[[Any], str]
"""Looks at one input.  It raises if something does not hold, and else says in a word what came of the input."""


@dataclass(frozen=True)
class Target:
    """Inputs are plain Python literals, so that a failing one can be written down and tried again.

    ``opened`` makes the check and what it needs, a server for instance; of all inputs of a run this target gets at
    least ``share``.
    """

    name: str
    inputs: SearchStrategy[Any]
    opened: Callable[[], AbstractContextManager[Check]]
    share: float


def alone(check: Check) -> Callable[[], AbstractContextManager[Check]]:
    """A check that needs nothing."""

    return lambda: nullcontext(check)
