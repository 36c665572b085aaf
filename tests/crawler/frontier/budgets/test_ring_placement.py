"""Where URLs go in successive queues, against placing them one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.ring_placement import NOWHERE, Counts, RingPlacement
from sessions.url import Hashes

BATCH = st.tuples(
    st.lists(st.integers(0, 5), max_size=30),
    st.lists(st.integers(-1, 5), min_size=6, max_size=6),
    st.integers(0, 2),
    st.integers(0, 2),
)


def hashes_of(domains: list[int]) -> Hashes:
    return np.array(domains, np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def budgets_of(by_domain: list[int]):  # type: ignore[no-untyped-def]
    by_hash = dict(zip(hashes_of(list(range(6))).tolist(), by_domain, strict=True))

    def budgets(domains: Hashes) -> Counts:
        return np.array([max(1, by_hash[domain]) for domain in domains.tolist()], np.int64)

    return budgets


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(BATCH, max_size=12), st.integers(-1, 5))
def test_each_goes_where_it_would_go_alone(batches: list[tuple[list[int], list[int], int, int]], width: int) -> None:
    stretch = RingPlacement()
    used: dict[tuple[int, int], int] = {}
    first = 1
    last = width
    for domains, by_domain, step, growth in batches:
        first, last = first + step, last + step + growth
        expected = []
        for domain in domains:
            begun = [queue for queue in range(first, last + 1) if used.get((queue, domain))]
            for queue in range(begun[-1] if begun else first, last + 1):
                if used.get((queue, domain), 0) < max(1, by_domain[domain]):
                    used[queue, domain] = used.get((queue, domain), 0) + 1
                    expected.append(queue)
                    break
            else:
                expected.append(NOWHERE)
        assert stretch.place(hashes_of(domains), budgets_of(by_domain), first, last).tolist() == expected


def test_domains_whose_queue_is_behind_are_forgotten() -> None:
    stretch = RingPlacement()
    most = 0
    for number in range(200):
        domains = np.arange(1000 * number + 1, 1000 * number + 1001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        stretch.place(domains, lambda some: np.ones(len(some), np.int64), number, number + 1)
        most = max(most, stretch.domains)
    assert 1000 < most <= 3 * 2000 + 4096
    assert stretch.nbytes < 1 << 20


def test_memory_of_a_domain_does_not_grow_with_the_number_of_queues() -> None:
    sizes = []
    for queues in (2, 1000):
        stretch = RingPlacement()
        domains = np.repeat(np.arange(1, 101, dtype=np.uint64), queues)
        placed = stretch.place(domains, lambda some: np.ones(len(some), np.int64), 1, queues)
        assert (np.bincount(placed)[1:] == 100).all()
        sizes.append(stretch.nbytes)
    assert sizes[0] == sizes[1]


def test_domains_whose_queue_is_not_behind_are_not_forgotten() -> None:
    stretch = RingPlacement()
    domains = hashes_of(list(range(1, 5001)))
    for expected in (1, 1, NOWHERE):
        placed = stretch.place(domains, lambda some: np.full(len(some), 2, np.int64), 1, 1)
        assert (placed == expected).all()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(1, 40), st.integers(1, 40))
def test_parts_of_a_budget_are_the_budget_in_any_number_of_queues(parts: list[int], budget: int, queues: int) -> None:
    """What several ranks take of a domain together is what one that had them all would take, but for the rounding."""
    taken = 0
    for part in parts:
        share = budget * part / sum(parts)
        placed = RingPlacement().place(
            np.full(budget * queues + 1, 7, np.uint64),
            lambda some, share=share: np.full(len(some), share),
            0,
            queues - 1,
        )
        counts = np.bincount(placed[placed != NOWHERE], minlength=queues)
        assert set(counts.tolist()) <= {int(share), int(share) + 1, round(share)}
        taken += int(counts.sum())
    rounding = len(parts) * (1 + queues / 2048)
    assert budget * queues - rounding <= taken <= budget * queues + len(parts) * queues / 2048


def test_a_fraction_is_carried_from_queue_to_queue_and_from_call_to_call() -> None:
    stretch = RingPlacement()
    placed = [int(stretch.place(hashes_of([1]), lambda some: np.full(len(some), 0.4), 0, 99)[0]) for _ in range(8)]
    assert placed == [2, 4, 7, 9, 12, 14, 17, 19]
