"""Run under mpiexec by test_communication.py: ranks send rows, texts, questions; each knows what all have sent."""

import sys

import numpy as np
import pyarrow as pa
import pytest
from mpi4py import MPI

from partition.communication.ranks import Ranks, owners_by_range


def rows_of(rank: int, size: int, most: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """What a rank sends, which every rank can tell: owners, a column, a wide column, and texts."""
    random = np.random.default_rng([rank, seed])
    count = int(random.integers(0, most + 1)) * ((rank + seed) % 3 != 1)
    owners = random.integers(0, size, count) if (rank + seed) % 2 else np.full(count, size - 1)
    texts = ["né" * int(length) for length in random.integers(0, 9, count)]
    return owners, random.integers(0, 2**62, count), random.integers(0, 2**31, (count, 3)).astype(np.int32), texts


def check_rows(ranks: Ranks, most: int, seed: int) -> None:
    sent = [rows_of(rank, ranks.size, most, seed) for rank in range(ranks.size)]
    owners, numbers, wide, texts = sent[ranks.rank]
    (got_numbers, got_wide), came = ranks.sent(owners, numbers, wide)
    mine = [one[0] == ranks.rank for one in sent]
    assert came.tolist() == [int(one.sum()) for one in mine]
    assert np.array_equal(got_numbers, np.concatenate([one[1][here] for one, here in zip(sent, mine, strict=True)]))
    assert np.array_equal(got_wide, np.concatenate([one[2][here] for one, here in zip(sent, mine, strict=True)]))
    got_texts = ranks.sent_texts(owners, pa.array(texts, pa.large_string()))
    got_texts.validate(full=True)
    expected = [np.array(one[3], object)[here] for one, here in zip(sent, mine, strict=True)]
    assert got_texts.to_pylist() == np.concatenate(expected).tolist()
    assert np.array_equal(ranks.gathered(wide), np.concatenate([one[2] for one in sent]))
    half = pa.array(texts, pa.large_string())[len(texts) // 2 :]
    assert ranks.gathered_texts(half).to_pylist() == [text for one in sent for text in one[3][len(one[3]) // 2 :]]
    answers, asked = ranks.answered(
        owners, lambda questions, _: (questions + ranks.rank, np.full(len(questions), len(questions))), numbers, wide
    )
    assert np.array_equal(answers, numbers + owners)
    assert asked.tolist() == [sum(int((one[0] == owner).sum()) for one in sent) for owner in owners.tolist()]


def check_sums(ranks: Ranks) -> None:
    every = range(ranks.size)
    assert ranks.summed(np.array([[ranks.rank, 1]])).tolist() == [[sum(every), ranks.size]]
    assert ranks.total(ranks.rank) == sum(every)
    assert ranks.together(f"rank {ranks.rank}") == [f"rank {rank}" for rank in every]
    assert ranks.told(ranks.rank, ranks.size - 1) == ranks.size - 1
    offsets = ranks.offsets(2 * ranks.rank)
    assert offsets.tolist() == [sum(2 * rank for rank in range(end)) for end in range(ranks.size + 1)]
    numbers = np.arange(offsets[-1])
    assert owners_by_range(numbers, offsets).tolist() == [rank for rank in every for _ in range(2 * rank)]
    assert ranks.first(lambda: ranks.rank) == 0
    assert ranks.each(lambda: ranks.rank) == ranks.rank


def check_steps(ranks: Ranks) -> None:
    """Ranks with 0, 1, 2, ... batches go in step; an error on one is everybody's."""
    batches = list(ranks.in_step(range(1, ranks.rank + 1), 0))
    assert batches == [*range(1, ranks.rank + 1), *[0] * (ranks.size - 1 - ranks.rank)]

    def failing() -> int:
        if ranks.rank == ranks.size - 1:
            raise ValueError(f"rank {ranks.rank} cannot read")
        return ranks.rank

    for attempt in (lambda: list(ranks.in_step((failing() for _ in range(3)), 0)), lambda: ranks.each(failing)):
        with pytest.raises(ValueError, match=f"rank {ranks.size - 1} cannot read"):
            attempt()


def check(least_bytes: int, most_rows: int) -> None:
    comm = MPI.COMM_WORLD
    for round_bytes in (least_bytes, 1 << 26):
        ranks = Ranks(comm, round_bytes=round_bytes)
        for seed in range(6):
            check_rows(ranks, most_rows, seed)
        check_sums(ranks)
        check_steps(ranks)
    if comm.size == 1:
        check_rows(Ranks(), most_rows, 1)
        check_sums(Ranks())
        check_steps(Ranks())
    assert (ranks.bytes_sent > 0) == (comm.size > 1)
    print(f"rank {comm.rank} of {comm.size} agrees", flush=True)


try:
    for place in range(1, len(sys.argv), 2):
        check(int(sys.argv[place]), int(sys.argv[place + 1]))
except BaseException:
    import traceback

    traceback.print_exc()
    MPI.COMM_WORLD.Abort(1)
