"""The measures against plain loops over their definitions, and the worked example of docs/measures.md."""

import math
import re
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.figures import BY_NAME, COST, FIGURES, IMPORTANCES, QUALITY_PERCENT, VIRTUAL, quality_name
from crawler.replay.measuring.importance import importance_of
from crawler.replay.measuring.measures import Measures, measures_of
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.support.courses import Case, cases, course_with, ownership_with, recording_with

DOCUMENT = Path(__file__).parents[4] / "docs" / "measures.md"


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def fetching(case: Case) -> dict[str, float]:
    by_page = {page: [f.rank for f in case.fetches if f.page == page] for page in {f.page for f in case.fetches}}
    return {
        "fetches": len(case.fetches),
        "pages": len(by_page),
        "supersteps": case.course.supersteps,
        "coverage": len(by_page) / case.recording.page_count,
        "overlap": ratio(sum(len(ranks) - 1 for ranks in by_page.values()), len(by_page)),
        "shared_pages": sum(len(ranks) > 1 for ranks in by_page.values()),
        "empty_parts": sum(all(rank not in ranks for ranks in by_page.values()) for rank in range(case.course.ranks)),
    }


def communication(case: Case) -> dict[str, float]:
    sums = {"messages_sent": len(case.messages), "urls_sent": 0, "bytes_sent": 0, "wire_bytes_sent": 0}
    sent, received, pairs = ({0: 0}, {0: 0}, {(0, 0): 0})
    for message in case.messages:
        sums["urls_sent"] += message.urls
        sums["bytes_sent"] += message.bytes
        sums["wire_bytes_sent"] += message.wire_bytes
        sent[message.sender] = sent.get(message.sender, 0) + message.bytes
        received[message.receiver] = received.get(message.receiver, 0) + message.bytes
        pair = (message.sender, message.receiver)
        pairs[pair] = pairs.get(pair, 0) + message.bytes
    as_text = sum(message.urls - message.numbers for message in case.messages)
    return {
        **sums,
        **{name.replace("_sent", "_per_page"): ratio(value, len(case.fetches)) for name, value in sums.items()},
        "most_sent_bytes": max(sent.values()),
        "most_received_bytes": max(received.values()),
        "most_pair_bytes": max(pairs.values()),
        "unknown_sent": ratio(as_text, sums["urls_sent"]) if case.ownership.numbers is not None else 0.0,
    }


@settings(deadline=None, derandomize=True)
@given(cases())
def test_measures_are_as_defined(case: Case) -> None:
    found = asdict(measures_of(case.recording, case.ownership, case.course, case.settings))
    for name, expected in (fetching(case) | communication(case)).items():
        assert math.isclose(found[name], expected, abs_tol=1e-12), name
    wrong = [fetch for fetch in case.fetches if case.ownership.seed_owners[fetch.page] != fetch.rank]
    assert found["wrong_owner_pages"] == len(wrong)


@settings(deadline=None, derandomize=True)
@given(cases(), cases())
def test_what_the_replay_read_counts_where_it_was_other_than_the_recording(case: Case, other: Case) -> None:
    recording, reading = case.recording, other.recording
    pages = min(recording.page_count, reading.page_count)
    kept = np.flatnonzero(reading.targets[: reading.starts[pages]] < len(recording))
    sources = np.repeat(np.arange(pages), np.diff(reading.starts[: pages + 1]))[kept]
    counts = np.bincount(sources, minlength=recording.page_count)
    times = pa.array(np.arange(recording.page_count), pa.float32())
    read = replace(
        recording,
        pages=recording.pages.set_column(1, "milliseconds", times),
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        targets=reading.targets[kept],
        flags=reading.flags[kept],
    )
    recorded, found = (
        asdict(measures_of(recording, case.ownership, case.course, case.settings, importance_of(recording), as_read))
        for as_read in (None, read)
    )
    plain = asdict(measures_of(read, case.ownership, case.course, replace(case.settings, replicated=0)))
    affected = {"links_imbalance", "time_imbalance", "unknown_discovered", "wrong_owner_urls"}
    for name in ("links_imbalance", "time_imbalance"):
        assert found[name] == plain[name]
    if not case.settings.replicated:
        assert {name: found[name] for name in affected} == {name: plain[name] for name in affected}
    assert all(found[name] == recorded[name] for name in found.keys() - affected)


@settings(deadline=None, derandomize=True)
@given(cases())
def test_what_moves_has_another_owner_than_it_had(case: Case) -> None:
    recording, owners = case.recording, case.ownership.owners.tolist()
    fetchers = [] if recording.is_imported else recording.pages["rank"].to_pylist()
    had = [(page, rank) for page, rank in enumerate(fetchers) if owners[page] != FINDER]
    gone = [page for page, rank in had if owners[page] != rank]
    sizes = recording.bytes.tolist()
    measures = measures_of(recording, case.ownership, case.course, case.settings)
    assert math.isclose(measures.moved_pages, ratio(len(gone), len(had)))
    assert math.isclose(measures.moved_bytes, ratio(sum(sizes[p] for p in gone), sum(sizes[p] for p, _ in had)))


def test_every_measure_is_a_figure_and_stands_in_the_document() -> None:
    names = [field.name for field in fields(Measures)]
    assert names == [figure.name for figure in FIGURES if figure.group not in (COST, VIRTUAL)]
    text = DOCUMENT.read_text()
    missing = [name for name in names if f"`{name}`" not in text and f"`{re.sub('[0-9]+$', '', name)}1`" not in text]
    assert missing == []


def worked_example() -> tuple[Recording, Ownership]:
    """The recording and the first ownership of docs/measures.md."""
    a, b, c, d, e, x = range(6)
    links = [(a, b, 0), (a, c, 0), (a, x, 0), (b, d, 0), (c, d, 0), (c, a, 0), (d, e, 0), (e, d, 0)]
    names = [f"http://{name}.example/" for name in "abcdex"]
    sizes, times = [100, 400, 200, 200, 200], [10.0, 10.0, 40.0, 20.0, 20.0]
    recording = recording_with(sizes, links, times=times, names=names, seeds=[a], fetchers=[0, 1, 0, 1, 1])
    unknown = [False, False, False, True, True, True]
    numbers = [0, 1, 2, -1, -1, -1]
    owners = [0, 0, 1, FINDER, FINDER, FINDER]
    return recording, ownership_with(2, owners, [0, 0, 1, 1, 0, 0], unknown=unknown, numbers=numbers)


ROWS = re.findall(r"^\| `(\w+)` \| (.*) \| ([0-9.]+)(%?) \|$", DOCUMENT.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("name", "value", "unit"), [(name, value, unit) for name, _, value, unit in ROWS])
def test_the_worked_example_is_right(name: str, value: str, unit: str) -> None:
    recording, ownership = worked_example()
    course = estimate(recording, ownership, ReplaySettings(pages_per_superstep=1))
    found = getattr(measures_of(recording, ownership, course), name)
    decimals = len(value.partition(".")[2])
    assert f"{100 * found if unit else found:.{decimals}f}" == value


def test_the_worked_example_has_measures_of_each_kind() -> None:
    groups = {figure.group for figure in FIGURES if figure.name in {row[0] for row in ROWS}}
    assert groups == {figure.group for figure in FIGURES} - {COST, VIRTUAL}


def test_a_course_in_which_nothing_happens_can_be_measured() -> None:
    recording = recording_with([1, 2], [], seeds=[0])
    measures = measures_of(recording, ownership_with(2, [0, 1]), course_with(2, 0, [], []))
    assert (measures.coverage, measures.overlap, measures.urls_per_page, measures.idle_share) == (0, 0, 0, 0)
    assert measures.empty_parts == 2


# The registry of a replay's figures.


def test_names_and_titles_are_distinct_and_meanings_are_sentences() -> None:
    assert len(BY_NAME) == len(FIGURES) == len({figure.title for figure in FIGURES})
    assert all(figure.meaning.endswith(".") for figure in FIGURES)


def test_quality_is_told_by_each_importance_and_percentage() -> None:
    wanted = {quality_name(name, percent) for name in IMPORTANCES for percent in QUALITY_PERCENT}
    assert wanted == {name for name in BY_NAME if "_quality_" in name}
