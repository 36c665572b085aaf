"""A few inputs for each fuzz target, and that whatever a fuzzer is there to notice is noticed."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import __main__ as command
from tests.fuzz.batch import run_batch
from tests.fuzz.crew import Worker
from tests.fuzz.mutations import EDITS, edited
from tests.fuzz.target import Check, Target, alone
from tests.fuzz.targets import TARGETS
from tests.fuzz.watch import NotBoundedError, Watch

SEED, INPUTS = 1, 200


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_inputs(name: str) -> None:
    result = run_batch(TARGETS[name], 0, SEED, Watch(), INPUTS)
    assert result.failure == ""
    assert len(result.hashes) > INPUTS / 2
    assert len(result.outcomes) > 1, "all inputs come to the same"


def test_the_shares_add_up() -> None:
    assert sum(target.share for target in TARGETS.values()) == pytest.approx(1.0)


def test_a_batch_is_the_same_each_time_and_each_is_another() -> None:
    first, again, second = (run_batch(TARGETS["robots"], number, SEED, Watch(), INPUTS) for number in (0, 0, 1))
    assert first.hashes == again.hashes
    assert len(first.hashes & second.hashes) < INPUTS / 4


def made(check: Check) -> Target:
    """A target for a check of binary data."""
    return Target("made", st.binary(max_size=100), alone(check), 1.0)


def refuses_large_bytes(value: bytes) -> str:
    if max(value, default=0) > 100:
        raise RuntimeError("it is too large")
    return "fine"


def test_an_exception_is_noticed_and_its_input_made_small() -> None:
    result = run_batch(made(refuses_large_bytes), 0, SEED, Watch(), INPUTS)
    assert "it is too large" in result.failure
    assert result.failing == bytes([101])


@pytest.mark.parametrize("watch", [Watch(most_seconds=-1.0), Watch(most_growth=-1)], ids=["time", "memory"])
def test_what_is_not_bounded_is_noticed_and_not_tried_again(watch: Watch) -> None:
    result = run_batch(made(lambda value: "fine"), 0, SEED, watch, INPUTS)
    assert NotBoundedError.__name__ in result.failure
    assert result.inputs == 1
    assert isinstance(result.failing, bytes)


@pytest.mark.parametrize(("name", "failure", "patience"), [("kill", "SIGSEGV", 60.0), ("hang", "no end", 4.0)])
def test_the_input_at_which_a_process_dies_is_known(tmp_path: Path, name: str, failure: str, patience: float) -> None:
    """The patience is enough for a process to start in."""
    worker = Worker(tmp_path, 0, SEED, "tests.fuzz.deadly", patience=patience)
    try:
        result = worker.try_batch(name, 0)
    finally:
        worker.end()
    assert failure in result.failure
    assert result.failing > 1000


@pytest.fixture
def one_target(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """Runs the command on one of the targets, or tries inputs again."""
    monkeypatch.setattr(command, "FAILURES", tmp_path / "failures")
    monkeypatch.setenv("FUZZ_INPUTS", "300")
    monkeypatch.setenv("FUZZ_PROCESSES", "1")

    def run(target: Target, *again: str) -> int:
        monkeypatch.setattr(command, "TARGETS", {target.name: target})
        return command.main(list(again))

    return run


def test_the_command_tries_as_many_as_are_wanted(
    one_target: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    robots = TARGETS["robots"]
    assert one_target(Target("robots", robots.inputs, robots.opened, 1.0)) == 0
    *_, row, end = capsys.readouterr().out.splitlines()
    name, inputs, different, *_ = row.split()
    assert name == "robots"
    assert int(inputs.replace(",", "")) >= int(different.replace(",", "")) >= 300
    assert end.startswith(different)


def test_a_failing_input_is_kept_and_can_be_tried_again(
    one_target: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = made(refuses_large_bytes)
    failed = run_batch(target, 0, SEED, Watch(), INPUTS)
    monkeypatch.setattr(command, "_try_batches", lambda *_: [failed])
    assert one_target(target) == 1
    (kept,) = (tmp_path / "failures").iterdir()
    assert str(kept) in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="too large"):
        one_target(target, str(kept))


@given(st.binary(max_size=300), EDITS, st.integers(300, 4000))
def test_edits_multiply_within_bounds(data: bytes, numbers: tuple[int, ...], longest: int) -> None:
    assert len(edited(data, numbers, [b"token", b"x"], longest)) <= (longest + 20) * 2 ** len(numbers)
    assert edited(data, (), [b"token"]) == data
