"""session.json and the commit records, broken: the check must say so and name the file."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.analysis.summary import summarise
from sessions.checking.check import check_session
from sessions.session import Session
from tests.sessions.support.breaking import HEADER, LAST_RECORD, Breakage, Json, edit_epoch, edit_header


def header(change: Callable[[Json], object]) -> Breakage:
    """Change session.json."""

    def breakage(session: Path) -> str:
        edit_header(session, change)
        return HEADER

    return breakage


def epoch(change: Callable[[Json], object]) -> Breakage:
    """Change the last commit record."""

    def breakage(session: Path) -> str:
        edit_epoch(session, change)
        return LAST_RECORD

    return breakage


def rank(change: Callable[[Json], object]) -> Breakage:
    """Change what the last commit record says of rank 0."""
    return epoch(lambda record: change(record["ranks"][0]))


def report(change: Callable[[Json], object]) -> Breakage:
    """Change the last report of rank 0."""
    return rank(lambda entry: change(entry["report"]))


def text(content: str) -> Breakage:
    """Write something else over the last commit record."""

    def breakage(session: Path) -> str:
        (session / LAST_RECORD).write_text(content)
        return LAST_RECORD

    return breakage


def missing(session: Path) -> str:
    (session / LAST_RECORD).unlink()
    return LAST_RECORD


def frontier_too_early(session: Path) -> str:
    edit_epoch(session, lambda record: record.update(ended=None))
    return LAST_RECORD


def elsewhere(breakage: Breakage) -> Breakage:
    """Something that is told of the last commit record."""
    return lambda session: breakage(session) and LAST_RECORD


def moved_warc(entry: Json) -> None:
    entry["warc"][0]["file"] = "rank-0001/x.warc.gz"


def moved_table(entry: Json) -> None:
    entry["tables"]["frontier"]["file"] = "rank-0001/frontier.parquet"


BREAKAGES: dict[str, tuple[str, Breakage]] = {
    "a key missing": ("header_shape", header(lambda content: content.pop("assignment"))),
    "a number as text": ("header_shape", header(lambda content: content.update(ranks="2"))),
    "no ranks": ("header_shape", header(lambda content: content.update(ranks=0))),
    "true as a number": ("header_shape", header(lambda content: content.update(epochs=True))),
    "no time": ("header_shape", header(lambda content: content.update(started="yesterday"))),
    "an unknown end": ("header_shape", header(lambda content: content["ended"].update(reason="bored"))),
    "an end without a time": ("header_shape", header(lambda content: content["ended"].pop("at"))),
    "another end than the last record's": ("header_is_of_records", header(lambda content: content.update(ended=None))),
    "another K than the last record's": ("epochs_agree", elsewhere(header(lambda content: content.update(ranks=3)))),
    "runs that are no list": ("header_shape", header(lambda content: content.update(runs={}))),
    "a run without a K": ("header_shape", header(lambda content: content["runs"][0].pop("ranks"))),
    "an end of the record without a time": ("read_epochs", epoch(lambda record: record["ended"].pop("at"))),
    "a run that goes on without a K": ("read_epochs", epoch(lambda record: record.update(resumes={}))),
    "a record missing": ("read_epochs", missing),
    "an epoch too many": (
        "read_epochs",
        lambda session: header(lambda it: it.update(epochs=4))(session) and "epochs/000004.json",
    ),
    "a record that is no JSON": ("read_epochs", text("{")),
    "a record that is a list": ("read_epochs", text("[]")),
    "ranks that are no list": ("read_epochs", epoch(lambda record: record.update(ranks={}))),
    "a length missing": ("read_epochs", rank(lambda entry: entry["warc"][0].pop("bytes"))),
    "a negative number of rows": ("read_epochs", rank(lambda entry: entry["tables"]["frontier"].update(rows=-1))),
    "no report": ("read_epochs", rank(lambda entry: entry.pop("report"))),
    "a counter missing": ("read_epochs", report(lambda counters: counters.pop("fetched"))),
    "a counter that is text": ("read_epochs", report(lambda counters: counters.update(links="many"))),
    "a state without reasons": ("read_epochs", report(lambda counters: counters["reasons"].pop("queued"))),
    "a number that is a list": ("read_epochs", report(lambda counters: counters.update(fetched=[8]))),
    "numbers that are text": ("read_epochs", report(lambda counters: counters.update(sent_numbers=["x", 0]))),
    "another number": ("read_epochs", epoch(lambda record: record.update(epoch=2))),
    "a rank missing": ("epochs_agree", epoch(lambda record: record["ranks"].pop())),
    "a superstep backwards": ("epochs_agree", epoch(lambda record: record.update(superstep=1))),
    "an earlier run": ("epochs_agree", epoch(lambda record: record.update(run="20250101T000000-000000"))),
    "another run than the header's": ("epochs_agree", epoch(lambda record: record.update(run="2027"))),
    "a counter backwards": ("reports_grow", report(lambda counters: counters.update(bytes=1))),
    "a table of another name": (
        "names_are_right",
        rank(lambda entry: entry["tables"].update(pgaes=entry["tables"]["frontier"])),
    ),
    "a table in another folder": ("names_are_right", rank(moved_table)),
    "a WARC file in another folder": ("names_are_right", rank(moved_warc)),
    "a frontier before the end": ("names_are_right", frontier_too_early),
}


@pytest.mark.parametrize(("kind", "breakage"), BREAKAGES.values(), ids=BREAKAGES.keys())
def test_finds(session_copy: Path, kind: str, breakage: Breakage) -> None:
    file = breakage(session_copy)
    findings = check_session(session_copy)
    assert file in {problem.file for problem in findings.problems.get(kind, [])}, findings.problems


def test_unknown_keys_are_ignored(session_copy: Path) -> None:
    edit_header(session_copy, lambda content: content.update(colour="blue"))
    edit_epoch(session_copy, lambda record: record["ranks"][1]["report"].update(largest_warc=7))
    assert check_session(session_copy).is_good


def test_tells_where_in_a_record_something_is_wrong(session_copy: Path) -> None:
    rank(lambda entry: entry["report"].update(sent_urls=[None, 8]))(session_copy)
    (problem,) = check_session(session_copy).problems["read_epochs"]
    assert problem.text == "ranks[0].report.sent_urls[0] is null, not a whole number of at least 0"


def test_sessions_from_before_a_counter_came_are_good(session_copy: Path) -> None:
    for rank in range(2):
        edit_epoch(session_copy, lambda record, rank=rank: record["ranks"][rank]["report"].pop("sent_numbers"))
    assert check_session(session_copy).is_good
    assert summarise(Session.open(session_copy)).total["sent_numbers"] == 0
