"""The seam: a learner says where each site stands in the next run."""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from partition.choices import DEFAULT_DURATION, DEFAULT_LEARNER, LEARNERS
from partition.twoma.experience import Experience, Floats, Numbers

INNERMOST = 5
"""N of the paper: a rank has the states 0 to N."""


@dataclass(frozen=True)
class LearnerSettings:
    """Which learner, by name; for TWOMA the number of its innermost state, and what a duration is, by name.

    The names are those of `partition.choices.LEARNERS` and `partition.choices.DURATIONS`.
    """

    learner: str = DEFAULT_LEARNER
    duration: str = DEFAULT_DURATION
    innermost: int = INNERMOST


@dataclass(frozen=True)
class Standing:
    """Where n sites stand: ``parts``, int64[n], their ranks; ``states``, int64[n], from 0, the boundary, inwards."""

    parts: Numbers
    states: Numbers


@dataclass(frozen=True)
class Run:
    """One run: n sites were measured where they stood.

    Attributes:
        seconds: float64[n], seconds a page; NaN for sites that were not measured.
        pages: int64[n], pages of each site.
    """

    seconds: Floats
    pages: Numbers

    @property
    def measured(self) -> Numbers:
        """The sites that were measured, int64[m]."""
        return np.flatnonzero(~np.isnan(self.seconds))


class Learner(Protocol):
    """Says after each run where sites go.  It keeps nothing itself: what is known is in the arguments."""

    @classmethod
    def of(cls, settings: LearnerSettings) -> Self:
        """Return the learner with those of the settings that concern it."""
        ...

    def after(self, run: Run, standing: Standing, experience: Experience, chance: np.random.Generator) -> Standing:
        """Return where all sites stand next.

        ``experience`` has the run in it already; a learner may make it forget what does not hold any more.  Sites that
        were not measured stay where they are, in their state.
        """
        ...


def learner_of(settings: LearnerSettings) -> Learner:
    """Return the learner of that name.  Raises ValueError if there is none."""
    learner: Learner = LEARNERS.load(settings.learner).of(settings)
    return learner
