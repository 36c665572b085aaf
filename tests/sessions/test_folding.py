"""Folded records say what all records said: files, reports, runs, and how many epochs there were."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from sessions.folding import first_record, folded_into, table_files_of, unfolded, warc_files_of
from sessions.runs import brought_up_to_date, counting, last_reports
from tests.sessions.test_runs import FIRST, HEADER, records

WARC = st.sampled_from(["a", "b", "c"])


@st.composite
def sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Commit records of two ranks, with files that were merged over the last epochs of their run now and then."""
    epochs = records("." + draw(st.text("...er", max_size=12)))
    held: dict[tuple[int, str], list[int]] = {}
    for record in epochs:
        number = record["epoch"]
        if "resumes" in record:
            held.clear()
            continue
        record["ranks"] = [{"tables": {}, "warc": [], "report": {"number": number, "rank": rank}} for rank in range(2)]
        for rank, entry in enumerate(record["ranks"]):
            for table in draw(st.sets(st.sampled_from(["pages", "links"]))):
                file: dict[str, Any] = {"file": f"{table}-{rank}-{number}"}
                firsts = held.setdefault((rank, table), [])
                if not record["ended"]:
                    if firsts and draw(st.booleans()):
                        place = draw(st.integers(0, len(firsts) - 1))
                        file |= {"first": firsts[place], "last": number}
                        del firsts[place:]
                    firsts.append(file.get("first", number))
                entry["tables"][table] = file
            entry["warc"] = [{"file": f"{rank}{name}", "bytes": number} for name in draw(st.sets(WARC))]
    return epochs


def told(epochs: list[dict[str, Any]]) -> Any:
    """What a session is made of."""
    header = brought_up_to_date(HEADER | {"runs": [FIRST], "epochs": 0}, epochs)
    warcs = {name: (rank, file) for name, (_, rank, file) in warc_files_of(epochs).items()}
    count = sum(record.get("epochs", 1) for record in counting(epochs))
    return header, table_files_of(epochs), warcs, last_reports(epochs), count


def by_definition(epochs: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """Files by epoch, rank and table that no later file of the same rank and table covers."""
    files = [
        (record["epoch"], rank, table, file.get("first", record["epoch"]))
        for record in counting(epochs)
        for rank, entry in enumerate(record["ranks"])
        for table, file in entry["tables"].items()
    ]
    return [
        (epoch, rank, table)
        for epoch, rank, table, _ in files
        if not any(epoch < later and first <= epoch for later, *its, first in files if its == [rank, table])
    ]


@given(sessions())
def test_a_file_replaces_those_whose_rows_it_has(epochs: list[dict[str, Any]]) -> None:
    kept = by_definition(epochs)
    held = [tuple(file[:3]) for file in table_files_of(epochs)]
    assert sorted(held) == sorted(kept)
    assert [file[0] for file in held] == sorted(file[0] for file in held)


@given(sessions(), st.data())
def test_records_from_a_number_on_are_kept_whole(epochs: list[dict[str, Any]], data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(epochs)))
    once = unfolded(folded_into(epochs[-1], epochs[:-1], number))
    assert told(once) == told(epochs)
    whole = [record for record in counting(epochs) if record["epoch"] >= number and not record.get("ended")]
    kept = [record for record in counting(once) if record["epoch"] >= number and not record.get("ended")]
    assert [record["ranks"] for record in kept] == [record["ranks"] for record in whole]


@given(st.lists(st.lists(st.integers(), max_size=2), min_size=1, max_size=5))
def test_notes_of_dropped_bodies_are_kept_in_order(notes: list[list[int]]) -> None:
    epochs = records("." * len(notes))
    for record, its in zip(epochs, notes, strict=True):
        record |= {"dropped": its} if its else {}
    expected = [note for its in notes for note in its]
    once = unfolded(folded_into(epochs[-1], epochs[:-1]))
    assert brought_up_to_date(HEADER | {"runs": [FIRST], "epochs": 0}, once).get("dropped", []) == expected
    assert once[-1].get("dropped", []) == expected


@given(sessions(), st.data())
def test_a_folded_session_says_the_same(epochs: list[dict[str, Any]], data: st.DataObject) -> None:
    expected = told(epochs)
    place = data.draw(st.integers(0, len(epochs) - 1))
    assume(place == len(epochs) - 1 or not epochs[place].get("ended"))  # nobody folds into an end that is withdrawn
    once = [*unfolded(folded_into(epochs[place], epochs[:place])), *epochs[place + 1 :]]
    assert told(once) == expected
    twice = unfolded(folded_into(once[-1], once[:-1]))
    assert told(twice) == expected
    (goes_on,) = records("r")
    goes_on |= {"epoch": epochs[-1]["epoch"] + 1, "run": "z"}
    assert told([*twice, goes_on]) == told([*epochs, goes_on]), "an end may be withdrawn"
    assert all("folded" not in record for record in twice[:-1])
    assert first_record(twice) == twice[-1]["epoch"]
