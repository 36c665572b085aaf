"""Which commit records count, and what runs add up to."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sessions.runs import brought_up_to_date, counting, holds_only_last_words, last_reports, merged, runs_of, withdrawn

AT = "2026-01-02T03:04:05+00:00"
END = {"reason": "signal", "seconds": 1.0, "at": AT}
HEADER = {"run": "a", "ranks": 2, "assignment": "page-hash", "configuration": {"x": 1}, "started": AT, "ended": None}
FIRST = {"run": "a", "ranks": 2, "assignment": "page-hash", "configuration": {"x": 1}, "started": AT, "first_epoch": 1}


def records(kinds: str) -> list[dict[str, Any]]:
    """Commit records: ``.`` an epoch, ``e`` one that ends the crawl, ``r`` another run."""
    made: list[dict[str, Any]] = []
    run = "a"
    for number, kind in enumerate(kinds, start=1):
        run = chr(ord(run) + (kind == "r"))
        record: dict[str, Any] = {"epoch": number, "run": run, "ended": END if kind == "e" else None, "ranks": []}
        if kind == "r":
            record["resumes"] = {"ranks": number, "assignment": "site-hash", "configuration": {}, "started": AT}
        else:
            record["ranks"] = [{"tables": {}, "warc": [], "report": {"number": number}}]
        made.append(record)
    return made


@given(st.text(".er", max_size=12))
def test_an_end_counts_only_as_the_last(kinds: str) -> None:
    epochs = records(kinds)
    counted = [number for number, kind in enumerate(kinds, 1) if kind == "." or (kind == "e" and number == len(kinds))]
    assert [record["epoch"] for record in counting(epochs)] == counted
    assert [record["epoch"] for record in withdrawn(epochs)] == [
        number for number, kind in enumerate(kinds, 1) if kind == "e" and number < len(kinds)
    ]
    of_run = {record["run"]: record["epoch"] for record in epochs if record["epoch"] in counted}
    assert last_reports(epochs) == [[{"number": number}] for number in of_run.values()]


@given(st.text(".er", max_size=12))
def test_records_say_what_the_header_may_not_know(kinds: str) -> None:
    epochs = records(kinds)
    header = brought_up_to_date(HEADER | {"runs": [FIRST], "epochs": 0}, epochs)
    numbers = [number for number, kind in enumerate(kinds, 1) if kind == "r"]
    assert header["epochs"] == len(kinds)
    assert header["ended"] == (END if kinds.endswith("e") else None)
    assert header["run"] == chr(ord("a") + len(numbers))
    assert header["ranks"] == (numbers[-1] if numbers else 2)
    assert [run["first_epoch"] for run in header["runs"]] == [1, *(number + 1 for number in numbers)]
    assert header["runs"][0] == FIRST
    assert brought_up_to_date(header, epochs) == header


def test_the_header_of_an_older_session_stays_as_it_is() -> None:
    header = HEADER | {"epochs": 1, "ended": END}
    record = {"epoch": 1, "run": "a", "ranks": []}
    assert brought_up_to_date(header, [record]) == header
    assert [run.run for run in runs_of(header, [record])] == ["a"]
    assert counting([record, record]) == [record, record]


def test_what_may_be_withdrawn() -> None:
    ranks = [{"tables": {"frontier": {}, "outcomes": {}}}, {"tables": {}}]
    assert holds_only_last_words({"ended": END, "ranks": ranks})
    assert not holds_only_last_words({"ended": END, "ranks": [*ranks, {"tables": {"pages": {}}}]})
    assert holds_only_last_words({"ended": None, "ranks": [{"tables": {"pages": {}}}]})


COUNTS = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 9), max_size=3)
REPORTS = st.fixed_dictionaries(
    {
        "pages": st.integers(-9, 9),
        "statuses": COUNTS,
        "reasons": st.fixed_dictionaries({"failed": COUNTS}),
        "supersteps": st.integers(0, 9),
        "peak_rss": st.integers(0, 9),
    },
    optional={"letters": st.integers(0, 9)},
)
RUNS = st.lists(st.lists(REPORTS, min_size=1, max_size=4), min_size=1, max_size=4)


@given(RUNS)
def test_runs_add_up(runs: list[list[dict[str, Any]]]) -> None:
    result = merged(runs)
    assert len(result) == max(map(len, runs))
    for rank, report in enumerate(result):
        its = [reports[rank] for reports in runs if rank < len(reports)]
        for name in ("pages", "letters"):
            assert report.get(name, 0) == sum(one.get(name, 0) for one in its)
        for name in ("supersteps", "peak_rss"):
            assert report[name] == max(one[name] for one in its)
        statuses, failed = Counter[str](), Counter[str]()
        for one in its:
            statuses.update(one["statuses"])
            failed.update(one["reasons"]["failed"])
        assert (Counter(report["statuses"]), Counter(report["reasons"]["failed"])) == (statuses, failed)


def test_adding_up_changes_no_report() -> None:
    reports = [[{"reasons": {"failed": {"dns": 1}}}] for _ in range(2)]
    merged(reports)
    assert reports == [[{"reasons": {"failed": {"dns": 1}}}] for _ in range(2)]
