"""The experiments of the paper on TWOMA, the baselines that it lacks beside it, and where each of them wins.

Chen, Wang and Olsen, "Towards distribution of web sites in a crawler used for large scale web accessibility assessment"
(Agder University College, about 2006).  The environment, which the paper describes and does not give, is that of
scripts/twoma/environment.py.

    python -m scripts.reproduce_twoma             print all tables
    python -m scripts.reproduce_twoma --save      and keep them, and the plots, in docs/
    ... --only few optimum                        some of them: totals, sizes, changes, noisy, optimum, few, fast
    ... --runs 300                                fewer runs of the first, which takes longest
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scripts.shared.doc_tables import ROOT, keep, table
from scripts.shared.this_machine import this_machine
from scripts.twoma.environment import Floats, Setting
from scripts.twoma.plots import Panel, draw
from scripts.twoma.trials import LEARNERS, MOST_RUNS, Trial, bounds, runs_to_optimum, trial

SEEDS = range(1, 11)
OPTIMUM_SEEDS = range(1, 51)
RUNS, CHANGING_RUNS, FEW_RUNS = 300, 600, 6
PERIOD = 100
LAST = 50
SIGMAS, VARIATIONS = (0.0, 0.5, 1.0), (0.0, 0.3)
SITES = 2_000
"""Where 10,000 would take hours; the figures were the same but for the third digit."""
PAGE = "learning.md"


class Told(NamedTuple):
    """An experiment's table, and its plot, if it has one."""

    text: str
    panels: Sequence[Panel] = ()


def main() -> None:
    options = _options()
    for name in options.only or EXPERIMENTS:
        told = EXPERIMENTS[name](options.runs)
        print(told.text, flush=True)
        if options.save:
            plot = f"learning-{name}.svg"
            image = f"![{name}]({plot})\n\n" if told.panels else ""
            keep(PAGE, name, f"{this_machine()}.\n\n{image}{told.text}")
            if told.panels:
                draw(told.panels, ROOT / "docs" / plot)


def totals(runs: int) -> Told:
    """Figure 2: what all sites take, and the slowest arm, run by run."""
    return _run_by_run([Setting(variation=variation) for variation in VARIATIONS], runs)


def sizes(_runs: int) -> Told:
    """The same of sites that are not alike."""
    return _run_by_run(list(_settings(Setting(sites=SITES), sigmas=(0.5, 1.0))), RUNS)


def _run_by_run(settings: Sequence[Setting], runs: int) -> Told:
    rows, panels = [], []
    for setting in settings:
        seeds = [bounds(setting, seed) for seed in SEEDS]
        least, makespan, schedule = (_mean_and_range([one[figure] for one in seeds]) for figure in range(3))
        rows.append([*_of(setting), "bounds", "", "", least, "100%", f"{makespan}; a greedy schedule {schedule}"])
        curves = {}
        for name in LEARNERS:
            trials = _trials(name, setting, runs)
            curves[name] = trials.total, trials.makespan
            at = [_mean_and_range(trials.total[:, run - 1]) for run in (9, 50)]
            end = [_mean_and_range(part[:, -LAST:].mean(axis=1)) for part in (trials.total, trials.makespan)]
            share = trials.share[:, -LAST:].mean()
            rows.append([*_of(setting), name, *at, end[0], f"{share:.1%}", end[1]])
        if setting.variation and setting.sigma != 0.5:
            for figure, label in enumerate(("total", "makespan")):
                title = f"{label}, sigma {setting.sigma:g}, variation {setting.variation:g}"
                bound = float(np.mean([one[figure] for one in seeds]))
                of_figure = {name: both[figure] for name, both in curves.items()}
                panels.append(Panel(title, "run", label, of_figure, bound=bound))
    head = ["sigma", "variation", "learner", "run 9", "run 50", f"last {LAST} runs", "at the best rank", "makespan"]
    return Told(f"{settings[0].sites:,} sites, {runs:,} runs.\n\n" + table(head, rows), panels)


def changes(_runs: int) -> Told:
    """Figure 3: best arms are drawn anew in every hundredth run."""
    rows, panels = [], []
    for setting in _settings(Setting(sites=SITES, period=PERIOD), sigmas=(0.0, 1.0)):
        curves = {}
        for name in LEARNERS:
            totals = _trials(name, setting, CHANGING_RUNS).total
            curves[name] = totals
            ends = [totals[:, end - 11 : end - 1].mean(axis=1) for end in (PERIOD, 2 * PERIOD, 6 * PERIOD)]
            after = totals[:, PERIOD + 49]
            figures = [totals[:, PERIOD - 1], after, *ends, totals.mean(axis=1)]
            rows.append([*_of(setting), name, *map(_mean_and_range, figures)])
        if setting.variation:
            panels.append(
                Panel(f"sigma {setting.sigma:g}, variation 0.3", "run", "total", curves, is_logarithmic=False)
            )
    head = ["sigma", "variation", "learner", "after a change", "50 runs later", "end of period 1", "of 2", "of 6"]
    return Told(f"{SITES:,} sites.\n\n" + table([*head, "mean of all runs"], rows), panels)


def optimum(_runs: int) -> Told:
    """Figure 4: runs until the paper's TWOMA has every site at its best arm, without variation."""
    rows = []
    for sites in (100, 1_000, 10_000):
        row = [f"{sites:,}"]
        for arms in (2, 4, 8, 16, 32):
            found = [runs_to_optimum(Setting(sites=sites, arms=arms), seed) for seed in OPTIMUM_SEEDS]
            arrived = [runs for runs in found if runs is not None]
            share = "" if len(arrived) == len(found) else f", {len(arrived) / len(found):.0%} arrived"
            row.append(
                f"{np.mean(arrived):.1f} ({min(arrived)} - {max(arrived)}){share}" if arrived else "none arrived"
            )
        rows.append(row)
    head = ["sites", *(f"{arms} ranks" for arms in (2, 4, 8, 16, 32))]
    return Told(f"{len(OPTIMUM_SEEDS)} seeds, {MOST_RUNS:,} runs at most.\n\n" + table(head, rows))


def few(_runs: int) -> Told:
    """Fewer sessions than ranks, or a few more."""
    rows = []
    for setting in _settings(Setting(sites=1_000, arms=4), sigmas=(0.0, 1.0)):
        for name in LEARNERS:
            totals = _trials(name, setting, FEW_RUNS).total
            rows.append([*_of(setting), name, *map(_mean_and_range, (totals / totals[:, :1]).T)])
    return Told(table(["sigma", "variation", "learner", *(f"session {run + 1}" for run in range(FEW_RUNS))], rows))


def fast(_runs: int) -> Told:
    """One rank is twice as fast for all sites."""
    rows = []
    for variation in VARIATIONS:
        setting = Setting(sites=SITES, variation=variation, fast_arm=True)
        seeds = [bounds(setting, seed) for seed in SEEDS]
        least, makespan, schedule = (_mean_and_range([one[figure] for one in seeds]) for figure in range(3))
        rows.append([f"{variation:g}", "bounds", least, "", f"{makespan}; a greedy schedule {schedule}"])
        for name in LEARNERS:
            trials = _trials(name, setting, RUNS)
            total, longest = (_mean_and_range(part[:, -LAST:].mean(axis=1)) for part in (trials.total, trials.makespan))
            rows.append([f"{variation:g}", name, total, f"{trials.share[:, -LAST:].mean():.1%}", longest])
    head = ["variation", "learner", "total", "at the fast rank", "makespan"]
    return Told(f"{SITES:,} sites, the last {LAST} of {RUNS} runs.\n\n" + table(head, rows))


def noisy(_runs: int) -> Told:
    """Durations that vary more from run to run."""
    rows = []
    for variation in (0.6, 1.0):
        for name in LEARNERS:
            total, _, share = _trials(name, Setting(sites=SITES, sigma=1.0, variation=variation), RUNS)
            at = [_mean_and_range(total[:, run - 1]) for run in (9, 50)]
            end = _mean_and_range(total[:, -LAST:].mean(axis=1))
            rows.append([f"{variation:g}", name, *at, end, f"{share[:, -LAST:].mean():.1%}"])
    head = ["variation", "learner", "run 9", "run 50", f"last {LAST} runs", "at the best rank"]
    return Told(f"{SITES:,} sites, {RUNS} runs.\n\n" + table(head, rows))


EXPERIMENTS: dict[str, Callable[[int], Told]] = {
    "few": few,
    "optimum": optimum,
    "fast": fast,
    "noisy": noisy,
    "changes": changes,
    "sizes": sizes,
    "totals": totals,
}


def _settings(like: Setting, sigmas: Sequence[float] = SIGMAS) -> Iterator[Setting]:
    for sigma in sigmas:
        for variation in VARIATIONS:
            yield replace(like, sigma=sigma, variation=variation)


def _of(setting: Setting) -> list[str]:
    return [f"{setting.sigma:g}", f"{setting.variation:g}"]


def _trials(name: str, setting: Setting, runs: int) -> Trial:
    """Trials with all seeds: each figure is float64[seeds, runs]."""
    found = [trial(name, setting, runs, seed) for seed in SEEDS]
    return Trial(*(np.array(figures) for figures in zip(*found, strict=True)))


def _mean_and_range(values: Sequence[float] | Floats) -> str:
    least, most = f"{np.min(values):.2f}", f"{np.max(values):.2f}"
    mean = f"{np.mean(values):.3f}"
    return mean if least == most else f"{mean} ({least} - {most})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, metavar="EXPERIMENT")
    parser.add_argument("--runs", type=int, default=1_000, help="of the experiment totals")
    parser.add_argument("--save", action="store_true", help=f"write docs/{PAGE} and its plots")
    return parser.parse_args()


if __name__ == "__main__":
    main()
