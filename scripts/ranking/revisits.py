"""Compare orders of visits in a simulation: which share of the stored pages is up to date, on the mean.

4,000 pages change in the groups of docs/evolving-web.md.  Each was visited twice, three weeks apart, before the
simulation begins; then a third of the pages is visited a week, a seventh of that each day, those that an order puts
first.  A page is up to date from a visit until it changes; the share is the mean over 140 days.  Links do not come
into it.  Visits in proportion to the rates are computed from these, not simulated.

    python -m scripts.ranking.revisits             print the table: the mean of five seeds, some minutes
    python -m scripts.ranking.revisits --save      and keep it in docs/ranking.md
"""

import argparse
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from crawler.worklist.change_rates import (
    GRID,
    ROUNDS,
    chance_of_change,
    in_units,
    likelihoods,
    normalised,
    posteriors,
    worth_of_visit,
    worths,
)
from scripts.shared.doc_tables import keep, table
from sessions.localweb.evolve.rates import EDITED

PAGES, DAYS, SEEDS = 4000, 140, 5
VISITED_A_DAY = PAGES // 21
DAYS_BETWEEN_FIRST_VISITS = 21.0

Floats = npt.NDArray[np.float64]
Order = Callable[["Pages", Floats], Floats]
"""How much a visit to each page counts, so many days after its last one."""


class Pages:
    """Pages that change, and what their visits have told."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        shares, rates = zip(*EDITED, strict=True)
        counts = np.rint(np.array(shares) * PAGES).astype(int)
        self.rates: Floats = self.random.permutation(np.repeat(rates, counts))
        self.likelihood: Floats = np.ones((PAGES, len(GRID)))
        self._prior: Floats = np.full(len(GRID), 1 / len(GRID))
        self._changes: Floats = np.zeros(PAGES)
        self._last: Floats = np.full(PAGES, -DAYS_BETWEEN_FIRST_VISITS)
        everyone = np.arange(PAGES)
        self._fetch(everyone, -DAYS_BETWEEN_FIRST_VISITS)
        self.visit(everyone, 0.0)

    def posterior(self) -> Floats:
        """The chance of each rate of each page."""
        for _ in range(ROUNDS):
            self._prior = normalised(in_units(posteriors(self.likelihood, self._prior)).sum(axis=0))
        return posteriors(self.likelihood, self._prior)

    def visit(self, pages: npt.NDArray[np.intp], now: float) -> None:
        """Fetch pages and see whether they have changed."""
        days = now - self._last[pages]
        found = self.likelihood[pages] * likelihoods(
            np.arange(len(pages)), days, self._changes[pages] < now, len(pages)
        )
        self.likelihood[pages] = found / found.max(axis=1, keepdims=True)
        self._fetch(pages, now)

    def _fetch(self, pages: npt.NDArray[np.intp], now: float) -> None:
        self._last[pages] = now
        with np.errstate(divide="ignore"):
            self._changes[pages] = now + self.random.exponential(1.0, len(pages)) / self.rates[pages]

    def days_since(self, now: float) -> Floats:
        """How long ago each page was visited."""
        return now - self._last

    def fresh(self, now: float) -> float:
        """Which share of the day that begins now pages are up to date, on the mean."""
        return float(np.clip(self._changes - now, 0, 1).mean())


ORDERS: dict[str, Order] = {
    "random": lambda pages, days: pages.random.random(PAGES),
    "oldest first": lambda pages, days: days,
    "`change`": lambda pages, days: chance_of_change(pages.posterior(), days),
    "`change`, rates known": lambda pages, days: -np.expm1(-pages.rates * days),
    "`value`": lambda pages, days: worth_of_visit(pages.posterior(), days),
    "`value`, rates known": lambda pages, days: worths(pages.rates, days),
}


def simulated(order: Order, seed: int) -> float:
    """Return the mean share of pages that are up to date."""
    pages = Pages(seed)
    shares = [pages.fresh(0.0)]
    for day in range(1, DAYS):
        counts = order(pages, pages.days_since(day))
        pages.visit(np.argsort(-counts, kind="stable")[:VISITED_A_DAY], float(day))
        shares.append(pages.fresh(day))
    return float(np.mean(shares))


def in_proportion() -> float:
    """Return the share up to date if each page is visited as often as it changes, in proportion, at even intervals."""
    mean = sum(share * rate for share, rate in EDITED)
    changes_between_visits = mean / (VISITED_A_DAY / PAGES)
    return sum(
        share * (-np.expm1(-changes_between_visits) / changes_between_visits if rate else 1.0) for share, rate in EDITED
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true")
    arguments = parser.parse_args()
    rows = [["in proportion to the rates, known", f"{in_proportion():.3f}", ""]]
    for name, order in ORDERS.items():
        shares = [simulated(order, seed) for seed in range(SEEDS)]
        rows.append([name, f"{np.mean(shares):.3f}", f"{min(shares):.3f} to {max(shares):.3f}"])
    text = table(["order of visits", "share up to date", f"of {SEEDS} seeds"], rows)
    print(text)
    if arguments.save:
        keep("ranking.md", "revisits", text)


if __name__ == "__main__":
    main()
