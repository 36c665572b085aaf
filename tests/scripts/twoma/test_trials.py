"""The figures of a reference simulation of the same environment, and the environment beside its description."""

from itertools import pairwise

import numpy as np
import pytest

from scripts.twoma.environment import Environment, Setting
from scripts.twoma.trials import bounds, runs_to_optimum, trial

NEAR = 0.02


def end(name: str, setting: Setting, runs: int = 200, last: int = 50) -> tuple[float, float]:
    """Total and share of sites at their best arm in the last runs."""
    found = trial(name, setting, runs, 1)
    return float(found.total[-last:].mean()), float(found.share[-last:].mean())


def test_without_variation_all_sites_arrive() -> None:
    total, share = end("twoma, site", Setting(), 120, 20)
    assert total == pytest.approx(0.364, abs=NEAR)
    assert share == 1.0


@pytest.mark.parametrize(
    ("name", "sigma", "total", "share"),
    [
        ("twoma, site", 0.0, 0.40, 0.95),
        ("twoma, site", 0.5, 0.54, 0.80),
        ("twoma, site", 1.0, 0.72, 0.46),
        ("twoma, relative", 0.5, 0.40, 0.94),
        ("twoma, relative", 1.0, 0.42, 0.88),
    ],
)
def test_with_variation(name: str, sigma: float, total: float, share: float) -> None:
    found = end(name, Setting(sigma=sigma, variation=0.3), 400)
    assert found == pytest.approx((total, share), abs=NEAR)


def test_trying_all_takes_as_many_runs_as_there_are_arms() -> None:
    total = trial("try-all", Setting(variation=0.3), 30, 1).total
    assert total[:8] == pytest.approx(np.ones(8), abs=NEAR)
    assert total[8] == pytest.approx(0.40, abs=NEAR)
    assert total[9:].mean() == pytest.approx(0.38, abs=NEAR)


@pytest.mark.parametrize(("variation", "later"), [(0.0, 0.36), (0.3, 0.40)])
def test_best_arms_that_change(variation: float, later: float) -> None:
    total = trial("twoma, site", Setting(variation=variation, period=100), 160, 1).total
    assert total[99] == pytest.approx(1.0, abs=NEAR)
    assert total[149:].mean() == pytest.approx(later, abs=NEAR)


def test_settling_is_best_where_arms_change_and_where_they_do_not() -> None:
    """And where there are fewer runs than arms."""
    others = "twoma, site", "twoma, relative", "try-all", "thompson"
    changing = Setting(sites=2_000, sigma=1.0, variation=0.3, period=100)
    for setting, runs in ((Setting(sites=2_000, sigma=1.0, variation=0.3), 100), (changing, 300)):
        assert end("settling", setting, runs, 10)[0] < min(end(name, setting, runs, 10)[0] for name in others)
    few = Setting(sites=2_000, arms=4)
    for runs in (3, 5):
        assert end("settling", few, runs, 1)[0] < min(end(name, few, runs, 1)[0] for name in others) + 1e-3


def test_two_arms_take_one_run() -> None:
    assert [runs_to_optimum(Setting(sites=10_000, arms=2), seed) for seed in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("sites", "arms", "runs", "seeds"),
    [(100, 8, 32, 50), (1_000, 8, 51, 50), (10_000, 4, 25, 10), (10_000, 8, 62, 10), (10_000, 16, 134, 4)],
)
def test_runs_to_the_optimum(sites: int, arms: int, runs: int, seeds: int) -> None:
    found = [runs_to_optimum(Setting(sites=sites, arms=arms), seed) for seed in range(seeds)]
    arrived = [one for one in found if one is not None]
    assert len(arrived) >= 0.9 * seeds
    assert np.mean(arrived) == pytest.approx(runs, rel=0.2)


def test_sites_alone_on_an_arm_never_arrive() -> None:
    assert [runs_to_optimum(Setting(sites=100, arms=32), seed) for seed in range(3)] == [None] * 3


def test_the_environment() -> None:
    environment = Environment(Setting(sites=50_000, sigma=1.0, variation=0.3), 1)
    times = np.sort(environment.means, axis=1)
    assert times[:, 1:] == pytest.approx(3 * times[:, :1] @ np.ones((1, 7)))
    logs = np.log(times[:, 0])
    assert (logs.mean(), logs.std()) == pytest.approx((0.0, 1.0), abs=0.02)
    assert np.bincount(environment.best) == pytest.approx(np.full(8, 6250), rel=0.05)
    relative = environment.durations(environment.best) / times[:, 0]
    assert (relative.mean(), relative.std()) == pytest.approx((1.0, 0.3), abs=0.01)


def test_best_arms_are_drawn_anew_in_runs_whose_number_is_divisible() -> None:
    environment = Environment(Setting(sites=1_000, period=3), 1)
    drawn = []
    for _ in range(7):
        environment.begin_run()
        drawn.append(environment.best.tolist())
    is_new = [one != after for one, after in pairwise(drawn)]
    assert is_new == [False, True, False, False, True, False]


def test_bounds_are_below_what_is_reached() -> None:
    for setting in (Setting(sites=500, arms=4, sigma=1.0), Setting(sites=500, arms=4, fast_arm=True)):
        least = bounds(setting, 1)
        for name in ("twoma, site", "settling"):
            found = trial(name, setting, 30, 1)
            assert least.total <= found.total.min() + 1e-9
            assert least.makespan <= found.makespan.min() + 1e-9
        assert least.makespan <= least.schedule
