"""The orderings, as the rank's loop uses them."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config.command_line import crawl_command
from crawler.frontier.budgets.beast import Beast
from crawler.frontier.ordering import BreadthFirst, Ordering, OwnFirst, ordering_named
from crawler.frontier.orderings import ORDERINGS
from crawler.urls.batch import UrlBatch
from tests.crawler.support.batches import batch_of, rows_of

URLS, OTHERS = [[f"http://{site}.example/1", f"http://{site}.example/2"] for site in "ab"]
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=40)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(STEPS, st.integers(1, 40))
def test_breadth_first_is_first_found_first_fetched(steps: list[tuple[bool, int]], memory: int) -> None:
    with TemporaryDirectory() as folder:
        ordering = ordering_named("bfs", Path(folder), memory)
        expected: deque[str] = deque()
        found = 0
        for is_found, count in steps:
            if is_found:
                urls = [f"http://a.example/{found + number}" for number in range(count)]
                found += count
                ordering.add(batch_of(urls))
                expected.extend(urls)
            else:
                taken = ordering.take(count).urls
                assert taken == [expected.popleft() for _ in range(min(count, len(expected)))]
            assert len(ordering) == ordering.ready == ordering.current == len(expected)
            ordering.move_on()
        assert [url for batch in ordering.drain() for url in batch.urls] == list(expected)
        assert len(ordering) == 0


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["own", "later", "take"]), st.integers(0, 5)), max_size=40))
def test_what_is_for_later_is_taken_when_there_is_nothing_else(steps: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        later = BreadthFirst(Path(folder) / "later", 8)
        both = OwnFirst(BreadthFirst(Path(folder), 8), later)
        expected: dict[str, list[str]] = {"own": [], "later": []}
        for number, (what, count) in enumerate(steps):
            urls = [f"http://a.example/{number}/{place}" for place in range(count)]
            if what == "take":
                queue = expected["own"] or expected["later"]
                assert both.take(count).urls == queue[:count]
                del queue[:count]
            else:
                (both if what == "own" else later).add(batch_of(urls))
                expected[what] += urls
            assert len(both) == both.ready == sum(map(len, expected.values()))
            assert both.current == len(expected["own"] or expected["later"])
        assert [url for batch in both.drain() for url in batch.urls] == expected["own"] + expected["later"]
        assert len(both) == 0


class Portions:
    """An ordering that holds back all portions but one, until it moves on."""

    def __init__(self) -> None:
        self._portions: list[list[str]] = [[]]
        self.unready = 0

    def __len__(self) -> int:
        return self.ready + self.unready

    @property
    def ready(self) -> int:
        return sum(map(len, self._portions))

    @property
    def current(self) -> int:
        return len(self._portions[0])

    def move_on(self) -> None:
        self._portions = self._portions[1:] or [[]]

    def add(self, batch: UrlBatch) -> None:
        self._portions.append(batch.urls)

    def take(self, count: int) -> UrlBatch:
        taken, self._portions[0] = self._portions[0][:count], self._portions[0][count:]
        return batch_of(taken)

    def drain(self) -> Iterator[UrlBatch]:
        yield from map(batch_of, self._portions)


def test_what_is_for_later_waits_while_own_urls_are_held_back(tmp_path: Path) -> None:
    own, later = Portions(), BreadthFirst(tmp_path, 1000)
    both: Ordering = OwnFirst(own, later)
    later.add(batch_of(OTHERS))
    both.add(batch_of(URLS))
    assert (len(both), both.ready, both.current) == (4, 4, 0)
    assert both.take(9).urls == []
    both.move_on()
    assert both.current == 2
    assert both.take(9).urls == URLS
    assert (both.ready, both.current) == (2, 2)
    own.unready = 3
    assert (len(both), both.ready, both.current) == (5, 2, 2)
    assert both.take(9).urls == OTHERS, "rather than wait for what has no place in the order yet"
    assert (len(both), both.ready, both.current) == (3, 0, 0)


def test_an_ordering_is_found_by_its_name(tmp_path: Path) -> None:
    assert isinstance(ordering_named("bfs", tmp_path, 8), BreadthFirst)
    assert isinstance(ordering_named("budget", tmp_path, 8), Beast)
    with pytest.raises(ValueError, match="no ordering 'no-such'; there are bfs, budget"):
        ordering_named("no-such", tmp_path, 8)


@pytest.mark.parametrize("name", sorted(ORDERINGS))
def test_what_was_not_taken_is_drained_wherever_it_waits(name: str, tmp_path: Path) -> None:
    ordering = ordering_named(name, tmp_path, 8)
    ordering.add(batch_of(URLS, [3, 4], [1, 0]))
    ordering.move_on()
    taken = ordering.take(1)
    ordering.add(batch_of(OTHERS, [5, 6], [0, 2]))
    drained = [taken, *ordering.drain()]
    assert sorted(row for batch in drained for row in rows_of(batch)) == sorted(
        rows_of(batch_of(URLS + OTHERS, [3, 4, 5, 6], [1, 0, 0, 2]))
    )
    assert len(ordering) == ordering.ready == ordering.current == 0


def test_the_options_of_a_crawl_offer_every_ordering() -> None:
    (choice,) = [option.type for option in crawl_command().params if "--order" in option.opts]
    assert isinstance(choice, click.Choice)
    assert list(choice.choices) == list(ORDERINGS)


def test_only_orderings_by_budget_have_domains_counted(tmp_path: Path) -> None:
    made = {name: ordering_named(name, tmp_path / name, 1 << 20) for name in ORDERINGS}
    assert [name for name, ordering in made.items() if ordering.budgeted is not None] == ["budget"]
    assert made["budget"].budgeted is made["budget"]
    assert OwnFirst(made["bfs"], made["bfs"]).budgeted is None
