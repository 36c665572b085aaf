"""Outcomes of trials put together: for each model and K the mean over seeds, the least and the most."""

from collections.abc import Iterable, Sequence

from partition.quality.trial import Outcome
from partition.report.results import LeftOut, Result, spread


def summed_up(outcomes: Iterable[Outcome]) -> tuple[list[Result], list[LeftOut]]:
    """One result for each model and K, in the order of their first outcomes, and what there is no result of.

    Trials without an assignment are left out of the means; if a model has none at a K for any seed, there is no
    result.  The reason of the first is told either way.
    """
    groups: dict[tuple[str, int], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.trial.model, outcome.trial.k), []).append(outcome)
    results, left_out = [], []
    for (model, k), group in groups.items():
        failed = [outcome for outcome in group if outcome.reason is not None]
        done = [outcome for outcome in group if outcome.reason is None]
        if done:
            results.append(_result(model, k, done))
        if failed:
            which = f"seed {', '.join(str(outcome.trial.seed) for outcome in failed)}: " if done else ""
            left_out.append(LeftOut(model, k, f"{which}{failed[0].reason}"))
    return results, left_out


def _result(model: str, k: int, done: Sequence[Outcome]) -> Result:
    names = done[0].figures
    return Result(
        model,
        k,
        tuple(outcome.trial.seed for outcome in done),
        {name: spread([outcome.figures[name] for outcome in done]) for name in names},
        tuple(outcome.settings for outcome in done),
    )
