"""Means over seeds, and the CSVs."""

import csv
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st

from partition.quality.csv_files import results_as_csv, trials_as_csv
from partition.quality.mean_results import summed_up
from partition.quality.request import Trial
from partition.quality.trial import Outcome
from partition.report.results import LeftOut, Spread, spread


def outcome(model: str, k: int, seed: int, edge_cut: float, messages: int = 3) -> Outcome:
    return Outcome(Trial(model, k, seed), {"edge_cut": edge_cut, "messages": messages}, {"won": seed})


OUTCOMES = [
    outcome("page", 2, 1, 0.25, 2),
    outcome("page", 2, 2, 0.75, 5),
    Outcome(Trial("page", 2, 3), reason="there is not enough memory"),
    Outcome(Trial("site", 2, 1), reason="2 parts of 1 site, really"),
    Outcome(Trial("site", 2, 2), reason="2 parts of 1 site, really"),
    outcome("page-hash", 2, 1, 0.5),
]


@given(st.lists(st.integers(-(2**50), 2**50), min_size=1))
def test_the_spread_of_values(values: list[int]) -> None:
    found = spread(values)
    assert found == Spread(sum(values) / len(values), sorted(values)[0], sorted(values)[-1])


def test_outcomes_are_summed_up_by_model_and_k() -> None:
    results, left_out = summed_up(OUTCOMES)
    page, page_hash = results
    assert (page.model, page.k, page.seeds, page.settings) == ("page", 2, (1, 2), ({"won": 1}, {"won": 2}))
    assert page.figures == {"edge_cut": Spread(0.5, 0.25, 0.75), "messages": Spread(3.5, 2, 5)}
    assert page_hash.figures["messages"] == Spread(3.0, 3, 3)
    assert left_out == [
        LeftOut("page", 2, "seed 3: there is not enough memory"),
        LeftOut("site", 2, "2 parts of 1 site, really"),
    ]


def test_results_as_csv() -> None:
    rows = list(csv.DictReader(StringIO(results_as_csv(summed_up(OUTCOMES)[0]))))
    assert [row["model"] for row in rows] == ["page", "page-hash"]
    assert rows[0] == {
        "model": "page",
        "k": "2",
        "trials": "2",
        "edge_cut_mean": "0.5",
        "edge_cut_min": "0.25",
        "edge_cut_max": "0.75",
        "messages_mean": "3.5",
        "messages_min": "2",
        "messages_max": "5",
    }


def test_trials_as_csv() -> None:
    rows = list(csv.DictReader(StringIO(trials_as_csv(OUTCOMES))))
    assert len(rows) == 6
    first = {"model": "page", "k": "2", "seed": "1", "edge_cut": "0.25", "messages": "2", "left_out": ""}
    assert rows[0] == first
    assert (rows[3]["messages"], rows[3]["left_out"]) == ("", "2 parts of 1 site, really")
