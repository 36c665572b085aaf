"""A batch: some hundreds of a target's inputs, which depend on the seed, the target and the batch's number alone."""

import traceback
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity
from xxhash import xxh3_64_intdigest

from tests.fuzz.target import Target
from tests.fuzz.watch import NotBoundedError, Watch, peak_memory

BATCH_INPUTS = 500
"""Hypothesis remembers all that it has tried, so it begins afresh now and then."""


@dataclass
class BatchResult:
    """What a batch came to; ``failure`` is a traceback, empty if all held, and ``failing`` the input."""

    inputs: int = 0
    hashes: set[int] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    peak: int = 0
    failure: str = ""
    failing: Any = None


def run_batch(target: Target, number: int, seed: int, watch: Watch, inputs: int = BATCH_INPUTS) -> BatchResult:
    """Try the inputs of a batch; a failing one is made smaller."""
    failure = ""
    with target.opened() as check:

        @hypothesis.seed(xxh3_64_intdigest(f"{seed} {target.name} {number}".encode()))
        @hypothesis.settings(
            max_examples=inputs,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
        )
        @hypothesis.given(target.inputs)
        def each(value: Any) -> None:
            watch.look(check, value)

        try:
            each()
        except (Exception, NotBoundedError):
            failure = traceback.format_exc()
    result = BatchResult(watch.inputs, watch.hashes, watch.outcomes, watch.slowest, peak_memory(), failure)
    result.failing = watch.failing if failure else None
    return result
