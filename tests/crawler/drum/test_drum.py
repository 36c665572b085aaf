"""DRUM: phases, budgets and damage; test_drum_against_a_dict.py has what it answers."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler.drum.disk_phase import NOT_MERGING
from crawler.drum.drum import Drum, stays_in_memory
from crawler.drum.kind import CHECK, CHECK_UPDATE, UPDATE, Answers, Kind, UpdateRule
from crawler.drum.shape import Shape
from sessions.session import SessionError

KIND = Kind({"depth": ("u2", UpdateRule.MINIMUM)})
TINY = Shape(buckets=4, buffer=128, bucket=50, block=256, batch=20, table=0)
SMALL = Shape(buckets=4, buffer=2048, bucket=200, block=256, batch=20, table=0)
EVERYTHING = {"choose": lambda answers: np.ones(len(answers.keys), bool)}


def hashes(count: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)


def put(drum: Drum, keys: Any, operation: int = CHECK_UPDATE) -> list[Answers]:
    aux = [f"http://x/{key}" for key in keys.tolist()]
    return list(drum.put(keys, operation, np.zeros(len(keys), KIND.value), aux=aux))


def test_a_small_drum_never_touches_the_disk(tmp_path: Path) -> None:
    drum = Drum(tmp_path / "sub", "x", KIND, budget=1 << 20)
    got = put(drum, hashes(1000))
    assert list(drum.flush()) == []
    assert drum.is_in_memory
    assert drum.pending == 0
    assert len(drum) == sum(len(answers.keys) for answers in got) == 1000
    assert not (tmp_path / "sub").exists()
    assert drum.traffic == (0, 0, 0, 1000)


@pytest.mark.parametrize("budget", [1 << 12, 1 << 14, 1 << 16])
def test_it_is_told_beforehand_how_many_keys_stay_in_memory(tmp_path: Path, budget: int) -> None:
    drum = Drum(tmp_path, "x", KIND, budget=budget)
    keys = hashes(5000)
    for count in range(1, len(keys)):
        put(drum, keys[count - 1 : count])
        assert drum.is_in_memory == stays_in_memory(count, KIND, budget)
        if not drum.is_in_memory:
            return
    pytest.fail("all stayed in memory")


def test_keys_beyond_the_budget_go_to_disk(tmp_path: Path) -> None:
    drum = Drum(tmp_path, "x", KIND, budget=1 << 16)
    keys = hashes(20_000)
    got = [answers for part in np.split(keys, 20) for answers in put(drum, part)]
    assert not drum.is_in_memory
    known, values = drum.known(keys)
    assert not known.any()
    assert all(len(column) == 20_000 for column in values.values())
    got += drum.flush()
    assert drum.pending == 0
    assert len(drum) == 20_000
    assert sorted(key for answers in got for key in answers.keys.tolist()) == np.sort(keys).tolist()
    assert {aux for answers in got for aux in answers.aux} == {f"http://x/{key}" for key in keys.tolist()}
    assert np.array_equal(np.concatenate([keys for keys, _ in drum.blocks()]), np.sort(keys))
    traffic = drum.traffic
    assert traffic.merges > 1
    assert traffic.records == 20_000
    assert traffic.bytes_written > 20_000 * 30
    assert [path.suffix for path in tmp_path.iterdir()] == [".sorted"]


def take(answers: Iterator[Answers]) -> None:
    """Have the work done that gives them."""
    for _ in answers:
        pass


@pytest.mark.parametrize("operation", [UPDATE, CHECK_UPDATE])
def test_memory_stays_within_the_budget(tmp_path: Path, operation: int) -> None:
    budget = 4 << 20
    drum = Drum(tmp_path, "x", KIND, budget=budget, **EVERYTHING)
    batches = [hashes(10_000, seed) for seed in range(25)]
    values, aux = np.zeros(10_000, KIND.value), ["http://example.org/some/path"] * 10_000
    take(drum.put(batches[0][:10], UPDATE, values[:10]))
    tracemalloc.start()
    try:
        for keys in batches:
            take(drum.put(keys, operation, values, aux=aux))
        take(drum.flush())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(drum) == 250_000
    assert drum.traffic.merges > 0
    assert budget / 4 < peak < budget


def test_one_key_may_come_a_hundred_thousand_times(tmp_path: Path) -> None:
    kind = Kind({"count": ("u4", UpdateRule.ADD), "least": ("u4", UpdateRule.MINIMUM)})
    drum = Drum(tmp_path, "x", kind, budget=1 << 16, choose=lambda answers: answers.found)
    values = np.zeros(100_000, kind.value)
    values["count"] = 1
    values["least"] = np.arange(100_000)[::-1]
    take(drum.put(hashes(5000), UPDATE, values[:5000]))
    got = [*drum.put(np.zeros(100_000, np.uint64), CHECK_UPDATE, values)]
    got += drum.flush()
    assert not drum.is_in_memory
    before = np.concatenate([answers.before for answers in got])
    assert before["count"].tolist() == list(range(1, 100_000))
    assert before["least"].tolist() == list(range(100_000))[::-1][:-1]


def test_checks_alone_change_nothing(tmp_path: Path) -> None:
    for shape in (None, TINY):
        drum = Drum(tmp_path, "x", KIND, budget=1 << 20, shape=shape)
        put(drum, hashes(200), CHECK)
        take(drum.flush())
        assert len(drum) == 0
        assert list(drum.blocks()) == []


@pytest.mark.parametrize("shape", [None, TINY], ids=["memory", "disk"])
def test_it_is_used_again_only_when_all_answers_are_taken(tmp_path: Path, shape: Shape | None) -> None:
    drum = Drum(tmp_path, "x", KIND, budget=1 << 20, shape=shape)
    put(drum, hashes(30))
    keys = hashes(30, 2)
    waiting = drum.put(keys, CHECK_UPDATE, np.zeros(len(keys), KIND.value))
    for use in (lambda: put(drum, keys), drum.flush):
        with pytest.raises(RuntimeError, match="taken to their end"):
            use()
    for answers in (waiting, drum.flush):
        for _ in answers() if callable(answers) else answers:
            with pytest.raises(RuntimeError, match="taken to their end"):
                drum.flush()
    put(drum, hashes(30, 3))
    take(drum.flush())
    assert len(drum) == 90


@pytest.mark.parametrize("name", ["", "a.b", "a/b", "a*"])
def test_a_name_that_files_could_not_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="letters, digits and hyphens"):
        Drum(tmp_path, name, KIND, budget=1 << 20, **EVERYTHING)


def on_disk(folder: Path, shape: Shape = TINY) -> Drum:
    return Drum(folder, "x", KIND, budget=1 << 16, shape=shape, **EVERYTHING)


def test_it_begins_empty_and_removes_older_files(tmp_path: Path) -> None:
    put(on_disk(tmp_path), hashes(100))
    assert list(tmp_path.iterdir())
    assert len(on_disk(tmp_path)) == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["sorted", "records", "aux"])
def test_a_file_that_is_damaged_gone_or_short_stops_the_rank(tmp_path: Path, suffix: str) -> None:
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        drum = on_disk(folder, TINY._replace(bucket=10**6))
        put(drum, hashes(100))
        take(drum.flush())
        put(drum, hashes(100, 2))
        assert drum.pending == 100
        path = min(folder.glob(f"*.{suffix}"))
        content = path.read_bytes()
        rotten = bytearray(content)
        rotten[len(rotten) * 2 // 3] ^= 4
        path.unlink()
        if number:
            path.write_bytes([b"", content[: len(content) // 2], bytes(rotten)][number - 1])
        with pytest.raises(SessionError) as raised:
            take(drum.flush())
        assert str(path) in str(raised.value)
        assert "\n" not in str(raised.value)


def test_a_merge_in_pieces_says_how_far_it_is_behind_what_comes_meanwhile(tmp_path: Path) -> None:
    drum = Drum(tmp_path, "x", KIND, budget=1 << 16, shape=SMALL, in_pieces=True)
    assert drum.merge_lag == NOT_MERGING
    put(drum, hashes(50))
    while not drum.is_merging:
        put(drum, hashes(20, drum.pending))
    for seed in range(100, 103):
        before = drum.merge_lag
        put(drum, hashes(20, seed))
        assert drum.merge_lag > max(before, 0)
    lags = []
    while drum.is_merging:
        lags.append(drum.merge_lag)
        list(drum.merge_on())
    assert lags == sorted(lags, reverse=True)
    assert lags[-1] < 0
    assert drum.merge_lag == NOT_MERGING
