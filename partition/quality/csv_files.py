"""The figures as CSV (RFC 4180): for spreadsheets, R and pandas."""

from collections.abc import Sequence

from partition.quality.figures import figures_told
from partition.quality.trial import Outcome
from partition.report.csv_table import Cell, as_csv
from partition.report.results import Result


def results_as_csv(results: Sequence[Result]) -> str:
    """A row for each model and K; of each figure its mean, least and most over seeds."""
    figures = figures_told(name for result in results for name in result.figures)
    head = [f"{figure.name}_{what}" for figure in figures for what in ("mean", "min", "max")]
    rows: list[list[Cell]] = []
    for result in results:
        row: list[Cell] = [result.model, result.k, len(result.seeds)]
        for figure in figures:
            spread = result.figures.get(figure.name)
            row += [spread.mean, spread.least, spread.most] if spread else [None] * 3
        rows.append(row)
    return as_csv(["model", "k", "trials", *head], rows)


def trials_as_csv(outcomes: Sequence[Outcome]) -> str:
    """A row for each trial; those without an assignment have the reason in the last column, and no figures."""
    figures = figures_told(name for outcome in outcomes for name in outcome.figures)
    rows: list[list[Cell]] = [
        [
            outcome.trial.model,
            outcome.trial.k,
            outcome.trial.seed,
            *(outcome.figures.get(figure.name) for figure in figures),
            outcome.reason,
        ]
        for outcome in outcomes
    ]
    return as_csv(["model", "k", "seed", *(figure.name for figure in figures), "left_out"], rows)
