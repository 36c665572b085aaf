"""What each rank did, against plain loops over fetches and messages, and the worked example of docs/measures.md."""

import re
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
from hypothesis import given, settings

from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.figures import OF_RANKS
from crawler.replay.measuring.load import imbalance
from crawler.replay.measuring.measures import measures_of
from crawler.replay.measuring.rank_totals import RankTotals, rank_totals
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.measuring.test_measures import worked_example
from tests.crawler.replay.support.courses import Case, cases

DOCUMENT = Path(__file__).parents[4] / "docs" / "measures.md"


@settings(deadline=None, derandomize=True)
@given(cases())
def test_totals_are_sums_over_fetches_and_messages(case: Case) -> None:
    recording, ranks = case.recording, range(case.course.ranks)
    totals = rank_totals(recording, case.course)
    degrees = np.diff(recording.starts)
    for rank in ranks:
        pages = [fetch.page for fetch in case.fetches if fetch.rank == rank]
        assert totals.fetches[rank] == len(pages)
        assert totals.bytes[rank] == sum(int(recording.bytes[page]) for page in pages)
        assert totals.links[rank] == sum(int(degrees[page]) for page in pages)
        waited = sum(float(recording.milliseconds[page]) for page in pages)
        assert abs(totals.milliseconds[rank] - waited) <= 0.0005 * len(pages) + 1e-9
        for name in ("urls", "bytes"):
            sent = sum(getattr(message, name) for message in case.messages if message.sender == rank)
            received = sum(getattr(message, name) for message in case.messages if message.receiver == rank)
            assert getattr(totals, f"{name}_sent")[rank] == sent
            assert getattr(totals, f"{name}_received")[rank] == received


@settings(deadline=None, derandomize=True)
@given(cases())
def test_imbalances_follow_from_them(case: Case) -> None:
    totals = rank_totals(case.recording, case.course)
    told = measures_of(case.recording, case.ownership, case.course)
    assert told.requests_imbalance == float(imbalance(totals.fetches))
    assert told.storage_imbalance == float(imbalance(totals.bytes))
    assert told.links_imbalance == float(imbalance(totals.links))


def test_the_worked_example_has_the_totals_of_the_document() -> None:
    recording, ownership = worked_example()
    course = estimate(recording, ownership, ReplaySettings(pages_per_superstep=1))
    found = {name: values.tolist() for name, values in asdict(rank_totals(recording, course)).items()}
    _, example = DOCUMENT.read_text().split("| of each rank |")
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+), ([\d.]+) \|$", example, re.MULTILINE)
    assert {name: [float(first), float(second)] for name, first, second in rows} == found


def test_each_total_is_explained() -> None:
    assert [figure.name for figure in OF_RANKS] == [field.name for field in fields(RankTotals)]
