"""URLs by key: as a list that is sorted would give them, whatever fits in memory."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.best_first import LAST_KEY, BestFirst
from crawler.frontier.slot_heap import Keys
from sessions.url import Hashes, url_hash
from tests.crawler.support.batches import batch_of, rows_of

MEMORIES = st.sampled_from([1, 2_000, 20_000, 1 << 20])
STEPS = st.lists(st.tuples(st.sampled_from(["add", "take"]), st.integers(0, 40)), max_size=40)


class Model:
    """Rows with keys in a list."""

    def __init__(self, key_of: dict[int, int]) -> None:
        self.key_of = key_of
        self.waiting: list[int] = []

    def take(self, count: int) -> list[int]:
        self.waiting.sort(key=self.key_of.__getitem__)  # stable: equal ones as they came
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken


@settings(derandomize=True, deadline=None, max_examples=150)
@given(STEPS, MEMORIES, st.randoms(use_true_random=False), st.sampled_from([1, 3, LAST_KEY]))
def test_the_least_key_comes_first_and_equal_ones_as_they_came(
    steps: list[tuple[str, int]], memory: int, random: "object", greatest: int
) -> None:
    key_of: dict[int, int] = {}
    found = 0

    def keys(hashes: Hashes) -> Keys:
        return np.array([key_of[url] for url in hashes.tolist()], np.uint64)

    with TemporaryDirectory() as folder:
        urls, model = BestFirst(Path(folder), memory, keys), Model(key_of)
        for what, count in steps:
            if what == "take":
                assert urls.take(count).hashes.tolist() == model.take(count)
            else:
                batch = batch_of([f"http://a.example/{found + number}" for number in range(count)])
                found += count
                key_of.update((url, random.randint(0, greatest)) for url in batch.hashes.tolist())  # type: ignore[attr-defined]
                urls.add(batch)
                model.waiting += batch.hashes.tolist()
            assert len(urls) == len(model.waiting)
        drained = [url for batch in urls.drain() for url in batch.hashes.tolist()]
        assert sorted(drained) == sorted(model.waiting)
        assert len(urls) == urls.on_disk == 0
        assert not list(Path(folder).iterdir())


def test_what_travels_with_a_url_comes_back_from_memory_and_from_disk(tmp_path: Path) -> None:
    names = [f"http://a.example/{number}" for number in range(200)]
    batch = batch_of(
        names, list(range(200)), [number % 7 for number in range(200)], [number % 3 for number in range(200)]
    )
    for memory in (1, 1 << 20):
        urls = BestFirst(tmp_path, memory, lambda hashes: hashes & np.uint64(7))
        urls.add(batch)
        assert sorted(rows_of(urls.take(200))) == sorted(rows_of(batch))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(["add", "lift", "take"]), st.integers(0, 30)), max_size=40), st.randoms())
def test_in_memory_keys_that_become_less_count_at_once(steps: list[tuple[str, int]], random: "object") -> None:
    key_of: dict[int, int] = {}
    spilled: list[int] = []
    found = 0

    def keys(hashes: Hashes) -> Keys:
        return np.array([key_of[url] for url in hashes.tolist()], np.uint64)

    with TemporaryDirectory() as folder:
        urls, model = (
            BestFirst(Path(folder), 1 << 22, keys, lambda hashes, _: spilled.extend(hashes.tolist())),
            Model(key_of),
        )
        for what, count in steps:
            if what == "take":
                assert urls.take(count).hashes.tolist() == model.take(count)
            elif what == "add":
                batch = batch_of([f"http://a.example/{found + number}" for number in range(count)])
                found += count
                key_of.update(dict.fromkeys(batch.hashes.tolist(), LAST_KEY))
                urls.add(batch)
                model.waiting += batch.hashes.tolist()
            else:
                chosen = random.sample(sorted(key_of), min(count, len(key_of)))  # type: ignore[attr-defined]
                less = [random.randint(0, 3) for _ in chosen]  # type: ignore[attr-defined]
                is_here = urls.lift(np.array(chosen, np.uint64), np.array(less, np.uint64))
                assert is_here.tolist() == [url in model.waiting for url in chosen]
                # A stable sort keeps what was found first among equal ones only from the order of arrival.
                key_of.update((url, key_of[url] - one) for url, one in zip(chosen, less, strict=True))
                model.waiting.sort(key=lambda url: order[url])
            order = {url_hash(f"http://a.example/{number}"): number for number in range(found)}
            model.waiting.sort(key=order.__getitem__)
        assert not spilled


def test_a_url_on_disk_whose_key_became_less_is_found_once_all_are_looked_at_again(tmp_path: Path) -> None:
    least: set[int] = set()

    def keys(hashes: Hashes) -> Keys:
        return np.array([0 if url in least else 9 for url in hashes.tolist()], np.uint64)

    urls = BestFirst(tmp_path, 4000, keys, lambda *_: None)
    batch = batch_of([f"http://a.example/{number}" for number in range(500)])
    urls.add(batch)
    assert urls.on_disk > 400
    least.add(int(batch.hashes[-1]))
    urls.lift(batch.hashes[-1:], np.array([9], np.uint64))
    urls.look_again_if_due()
    assert urls.take(1).urls == batch.urls[-1:]
    assert urls.take(499).urls == batch.urls[:-1]


def test_a_key_that_was_forgotten_is_at_most_the_greatest_of_its_range(tmp_path: Path) -> None:
    keys = {"now": 5}
    urls = BestFirst(tmp_path, 2000, lambda hashes: np.full(len(hashes), keys["now"], np.uint64), lambda *_: None)
    first = batch_of([f"http://a.example/{number}" for number in range(200)])
    urls.add(first)
    keys["now"] = 7
    later = batch_of([f"http://b.example/{number}" for number in range(200)])
    urls.add(later)
    assert urls.take(400).urls == first.urls + later.urls


def test_urls_are_written_and_read_a_bounded_number_of_times(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    traffic = []
    for number in (4_000, 40_000):
        urls = BestFirst(tmp_path / str(number), 200_000, lambda hashes: hashes)
        for _ in range(0, number, 1000):
            urls.add(batch_of([f"http://a.example/{value}" for value in random.integers(0, 1 << 60, 1000)]))
        taken = urls.take(number).hashes
        assert (np.diff(taken.astype(np.float64)) >= 0).all()
        traffic.append(urls.traffic.urls_written / number)
    assert traffic[1] < traffic[0] + np.log2(40)
