"""By what URLs are ranked: a priority for each new and each old one, the highest first.

`anansi` is of the thesis (Anansi, NC State, 2010): new pages by in-degree, known ones by change x age x degree.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sessions.registry import Choice, Registry

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

FORMULAS = Registry(
    "formula",
    Choice("anansi", "old URLs by change x age x degree, new ones by in-degree", "crawler.worklist.formulas:ANANSI"),
    Choice("backlinks", "all by in-degree", "crawler.worklist.formulas:BACKLINKS"),
    Choice("pagerank", "all by PageRank", "crawler.worklist.formulas:PAGERANK"),
    Choice(
        "change",
        "old URLs by the chance that they have changed, times 1 + in-degree; new ones by in-degree",
        "crawler.worklist.formulas:CHANGE",
    ),
    Choice(
        "value",
        "old URLs by what a visit is worth, if they change as they did; new ones by in-degree",
        "crawler.worklist.formulas:VALUE",
    ),
)
"""The choices of ``--by``, each a `Formula`."""

WEIGHTS = ("none", "backlinks")
"""By what ``value`` is multiplied: by nothing, or by 1 + in-degree."""


@dataclass(frozen=True)
class UrlFacts:
    """What is known of n URLs; of new ones all but ``in_degree`` and ``page_rank`` is 0.

    ``in_degree`` (I) and ``out_degree`` (O) are int64[n], ``change`` (C, from 0 to 1) and ``age`` (T, in crawl
    intervals) float64[n].  ``page_rank`` sums to 1; ``has_changed`` is the chance that a page has changed since its
    last fetch, and ``worth`` what a visit is worth, in days (`crawler.worklist.change_rates`): float64[n] each, and
    zeros for formulas that do not ask for them.
    """

    in_degree: Numbers
    out_degree: Numbers
    change: Floats
    age: Floats
    page_rank: Floats
    has_changed: Floats
    worth: Floats


@dataclass(frozen=True)
class Formula:
    """Priorities, float64[n] and not negative, of ``new`` and of ``old`` URLs, and what has to be known for them."""

    new: Callable[[UrlFacts], Floats]
    old: Callable[[UrlFacts], Floats]
    needs_page_rank: bool = False
    needs_rates: bool = False


def by_in_degree(facts: UrlFacts) -> Floats:
    """P = I."""
    return facts.in_degree.astype(np.float64)


def by_change_age_and_degree(facts: UrlFacts) -> Floats:
    """P = C T (I + O)."""
    return facts.change * facts.age * (facts.in_degree + facts.out_degree)


def by_page_rank(facts: UrlFacts) -> Floats:
    """P = PageRank."""
    return facts.page_rank


def by_chance_of_change(facts: UrlFacts) -> Floats:
    """P = (1 + I) (1 - e^(-r t)), in expectation over the rate of change r."""
    return (1 + facts.in_degree) * facts.has_changed


def by_worth(facts: UrlFacts) -> Floats:
    """P = (1 - e^(-r t)) / r - t e^(-r t), in expectation over the rate of change r."""
    return facts.worth


def by_weighted_worth(facts: UrlFacts) -> Floats:
    """P = (1 + I) times `by_worth`."""
    return (1 + facts.in_degree) * facts.worth


ANANSI = Formula(by_in_degree, by_change_age_and_degree)
BACKLINKS = Formula(by_in_degree, by_in_degree)
PAGERANK = Formula(by_page_rank, by_page_rank, needs_page_rank=True)
CHANGE = Formula(by_in_degree, by_chance_of_change, needs_rates=True)
VALUE = Formula(by_in_degree, by_worth, needs_rates=True)
WEIGHTED_VALUE = Formula(by_in_degree, by_weighted_worth, needs_rates=True)
