"""The memory of what was sent: it may forget, and may never claim what was not sent."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from crawler.sent import Sent

KIB = 1 << 10


def hashes(numbers: list[int]) -> np.ndarray:
    return np.fromiter((xxh3_64_intdigest(number.to_bytes(8)) for number in numbers), np.uint64, len(numbers))


@settings(derandomize=True, deadline=None)
@given(st.lists(st.lists(st.integers(0, 300), max_size=60), max_size=20), st.integers(0, 8 * KIB))
def test_only_what_was_sent_is_claimed_and_what_was_just_sent_is(batches: list[list[int]], budget: int) -> None:
    sent = Sent(budget)
    ever: set[int] = set()
    resent = 0
    for batch in batches:
        claimed = sent.contains(hashes(batch)).tolist()
        assert all(number in ever for number, is_claimed in zip(batch, claimed, strict=True) if is_claimed)
        new = list(dict.fromkeys(number for number, is_claimed in zip(batch, claimed, strict=True) if not is_claimed))
        sent.add(hashes(new))
        resent += sum(number in ever for number in new)
        ever.update(new)
        assert sent.contains(hashes(new)).all()
        assert sent.resent >= resent


def test_nothing_is_forgotten_while_there_is_memory() -> None:
    sent = Sent(4 << 20)
    for start in range(0, 50_000, 1000):
        sent.add(hashes(list(range(start, start + 1000))))
    assert sent.contains(hashes(list(range(50_000)))).all()
    assert sent.resent == 0


def test_memory_stays_within_the_budget_and_half_of_it_is_remembered() -> None:
    budget = 1 << 20
    sent = Sent(budget)
    everything = hashes(list(range(200_000)))
    # A generation has 7/16 of the budget and takes at most 32 bytes a key, so the latest so many must be known.
    latest = budget * 7 // 16 // 32 - 1000
    for start in range(0, 200_000, 1000):
        sent.add(everything[start : start + 1000])
        assert _bytes_of(sent) <= budget
        assert sent.contains(everything[max(0, start + 1000 - latest) : start + 1000]).all()
    assert not sent.contains(everything[:100_000]).any()


def _bytes_of(sent: Sent) -> int:
    words = sent._filter._words.nbytes if sent._filter is not None else 0
    return int(sent._young.nbytes + sent._old.nbytes + words)


def test_what_is_sent_again_is_counted_and_little_else() -> None:
    sent = Sent(1 << 20)
    for start in range(0, 60_000, 1000):
        sent.add(hashes(list(range(start, start + 1000))))
    false_positives = sent.resent
    assert false_positives < 60
    assert not sent.contains(hashes(list(range(1000)))).any()
    sent.add(hashes(list(range(1000))))
    assert 1000 <= sent.resent - false_positives <= 1000 + 60
