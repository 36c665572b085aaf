"""The guard itself: its loads run, its records are whole, and its verdicts follow from them."""

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from scripts.shared.other_commit import named
from tests.guard import __main__ as command
from tests.guard import tables, weighing
from tests.guard.loads import prepared
from tests.guard.recorded import (
    AS_RECORDED,
    CHEAPER,
    DEARER,
    NEW,
    Record,
    as_record,
    fitting,
    judged,
    processor,
    python,
    records,
)
from tests.guard.tables import Moved, moved, remember
from tests.guard.weighing import CALLGRIND, CPU_TIME, START, weighed_by

RECORD = Record(CALLGRIND, "A", "3.11", "because", {START: 100.0, "seen": 10.0})
OTHER = RECORD._replace(processor="B")
BY_CLOCK = RECORD._replace(tool=CPU_TIME)
OLDER = RECORD._replace(python="3.10")


def test_every_load_can_be_done_again_and_again(tmp_path: Path) -> None:
    with prepared(tmp_path) as loads:
        for load in [*loads.values(), *loads.values()]:
            load.run()
            assert load.units > 0


def test_what_is_recorded_is_whole_and_has_all_loads(tmp_path: Path) -> None:
    kept = records()
    assert {record.tool for record in kept} == {CALLGRIND, CPU_TIME}
    with prepared(tmp_path) as loads:
        assert [set(record.weights) for record in kept] == [{START, *loads}] * len(kept)
    assert len({record[:3] for record in kept}) == len(kept)


@pytest.mark.parametrize("lacking", ["tool", "processor", "python", "reason"])
def test_a_record_without_a_reason_is_refused(tmp_path: Path, lacking: str) -> None:
    file = tmp_path / "recorded.toml"
    text = as_record(CALLGRIND, RECORD.weights).replace('reason = ""', 'reason = "because"')
    file.write_text("\n".join(f'{lacking} = ""' if line.startswith(lacking) else line for line in text.splitlines()))
    with pytest.raises(ValueError, match=f"recorded.toml: a record lacks {lacking}"):
        records(file)
    file.write_text(text)
    (record,) = records(file)
    assert record == Record(CALLGRIND, processor(), python(), "because", RECORD.weights)


def test_a_record_of_this_processor_is_preferred_and_one_of_another_is_trusted_less() -> None:
    kept = [OTHER, RECORD, BY_CLOCK, OLDER]
    assert fitting(kept, CALLGRIND, "A", "3.11") == (RECORD, 1.10)
    assert fitting(kept, CALLGRIND, "B", "3.11") == (OTHER, 1.10)
    assert fitting(kept, CALLGRIND, "C", "3.11") == (OTHER, 1.25)
    assert fitting(kept, CPU_TIME, "A", "3.11") == (BY_CLOCK, 1.25)
    assert fitting(kept, CALLGRIND, "A", "3.12") == (None, 1.25)


@pytest.mark.parametrize(
    ("weight", "most", "verdict"),
    [
        (115.0, 1.10, DEARER),
        (110.1, 1.10, DEARER),
        (109.9, 1.10, AS_RECORDED),
        (90.1, 1.10, AS_RECORDED),
        (89.9, 1.10, CHEAPER),
        (115.0, 1.25, AS_RECORDED),
        (125.1, 1.25, DEARER),
    ],
)
def test_verdicts(weight: float, most: float, verdict: str) -> None:
    assert [one.verdict for one in judged({START: weight}, RECORD, most)] == [verdict]


def test_a_load_that_is_not_recorded_asks_for_it() -> None:
    assert [one.verdict for one in judged({"more": 1.0}, RECORD, 1.10)] == [NEW]


def test_a_load_that_became_dearer_fails_and_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["guard", "--tool", CALLGRIND])
    monkeypatch.setattr(command, "moved", lambda by, weights: [])
    monkeypatch.setattr(command, "records", lambda: [RECORD._replace(processor=processor(), python=python())])
    for seen, code in ((11.5, 1), (10.9, 0), (5.0, 0)):
        monkeypatch.setattr(command, "weighed_by", lambda _, seen=seen: {START: 100.0, "seen": seen})
        assert command.main() == code
        out, err = capsys.readouterr()
        assert (err == "guard: more than 10% dearer than recorded: seen\n") == bool(code)
        assert ("To record these weights" in out) == (seen != 10.9)


def test_weights_by_the_clock_are_of_all_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turns in ("_TURNS", "_START_TURNS"):
        monkeypatch.setattr(weighing, turns, 1)
    weights = weighed_by(CPU_TIME)
    with prepared(tmp_path) as loads:
        assert set(weights) == {START, *loads}
    assert min(weights.values()) > 0


@pytest.mark.parametrize(("weight", "verdict"), [(149.0, AS_RECORDED), (151.0, DEARER)])
def test_what_waits_for_a_server_may_weigh_half_as_much_again(weight: float, verdict: str) -> None:
    record = RECORD._replace(weights={"fetch": 100.0})
    assert [found.verdict for found in judged({"fetch": weight}, record, 1.10)] == [verdict]


@pytest.mark.parametrize(("aborts", "is_weighed"), [(1, True), (2, False)])
def test_what_aborts_is_weighed_once_more_in_an_empty_folder(tmp_path: Path, aborts: int, is_weighed: bool) -> None:
    runs, files = tmp_path / "runs", tmp_path / "files"
    runs.touch()
    files.mkdir()
    code = (
        f"import os; from pathlib import Path; runs, files = Path({str(runs)!r}), Path({str(files)!r})\n"
        f"(files / 'made').mkdir(); runs.write_text(runs.read_text() + '.')\n"
        f"if len(runs.read_text()) <= {aborts}: os.abort()"
    )
    with nullcontext() if is_weighed else pytest.raises(subprocess.CalledProcessError):
        weighing._count([sys.executable, "-c", code], files)
    assert runs.read_text() == ".."


def test_a_page_is_named_if_a_load_has_moved_since_its_tables_were_made(tmp_path: Path) -> None:
    file = tmp_path / "guarded.json"
    assert moved(CALLGRIND, {"seen": 100.0}, file) == []
    remember(["a.md", "b.md"], {"seen": 100.0, "gone": 1.0}, file)
    remember(["b.md"], {"seen": 120.0}, file)
    assert moved(CALLGRIND, {"seen": 104.9, "new": 1.0}, file) == [Moved("b.md", named(), {"seen": 104.9 / 120})]
    assert [page.page for page in moved(CALLGRIND, {"seen": 106.0}, file)] == ["a.md", "b.md"]
    assert moved(CALLGRIND, {"seen": 115.0}, file) == [Moved("a.md", named(), {"seen": 1.15})]
    assert moved(CPU_TIME, {"seen": 1.0}, file) == []


def test_what_another_processor_weighed_is_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "guarded.json"
    remember(["a.md"], {"seen": 100.0}, file)
    monkeypatch.setattr(tables, "processor", lambda: "another")
    assert moved(CALLGRIND, {"seen": 200.0}, file) == []
