"""BEAST against a model of it in plain lists; and what it promises, on spam and on small crawls."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.frontier.budgets.beast import Beast
from crawler.frontier.budgets.domain_hashes import domain_hashes
from crawler.frontier.budgets.ring_placement import Budgets, Counts
from crawler.urls.batch import UrlBatch, joined
from sessions.url import Hashes
from tests.crawler.frontier.budgets.support.ring_model import RingModel
from tests.crawler.support.batches import batch_of, rows_of

DOMAINS = 4
MOST_QUEUES = 64
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(st.sampled_from([0, 0, 0, 0, 1, 2, 3]), max_size=25)),
        st.tuples(st.just("place"), st.lists(st.integers(0, 4), min_size=DOMAINS, max_size=DOMAINS)),
        st.tuples(st.just("take"), st.integers(0, 12)),
    ),
    max_size=40,
)
CONSTANT = [3, 1, 2, 4]


def domain_of(url: str) -> str:
    """The domain of a URL of `urls_of`."""
    return url.split("/")[2].split(".", 1)[1]


def urls_of(domains: list[int], number: int) -> list[str]:
    """A URL of each of these domains, on several hosts of theirs."""
    return [f"http://h{place % 3}.d{domain}.example/{number}/{place}" for place, domain in enumerate(domains)]


def budgets_of(by_domain: list[int], default: int = 1) -> Budgets:
    """What BEAST asks for the budgets of domains d0.example, d1.example and so on."""
    hashes = domain_hashes([f"http://d{number}.example/" for number in range(len(by_domain))]).tolist()
    by_hash = dict(zip(hashes, by_domain, strict=True))

    def budgets(domains: Hashes) -> Counts:
        assert len(set(domains.tolist())) == len(domains)
        return np.array([max(1, by_hash.get(domain, default)) for domain in domains.tolist()], np.int64)

    return budgets


def taken(beast: Beast, count: int) -> UrlBatch:
    """The next URLs, as many as that if there are, from however many queues."""
    batches = []
    while count and beast.ready:
        beast.move_on()
        batches.append(beast.take(count))
        count -= len(batches[-1])
    return joined(batches)


def agrees(steps: list[tuple[str, list[int] | int]], queues: int, memory: int, folder: Path) -> None:
    """Take the steps with both, compare what comes out, then take the rest."""
    beast, model = Beast(folder, memory, queues=queues), RingModel(queues, MOST_QUEUES, domain_of)
    number = 0
    for number, (what, value) in enumerate(steps):
        if what == "add" and isinstance(value, list):
            urls = urls_of(value, number)
            beast.add(batch_of(urls, [number] * len(urls)))
            model.staged += urls
            assert set(beast.staged_domains().tolist()) == set(domain_hashes(model.staged).tolist())
        elif what == "place" and isinstance(value, list):
            beast.place(budgets_of(value))
            model.place(lambda domain, given=value: max(1, given[int(domain[1])]))  # type: ignore[misc]
            assert not len(beast.staged_domains())
        elif isinstance(value, int):
            assert taken(beast, value).urls == model.take(value)
        assert (beast.ready, len(beast)) == (model.ready, model.ready + len(model.staged))
        assert (beast.failed, beast.queues) == (len(model.failed), len(model.ring))
    beast.place(budgets_of(CONSTANT))
    model.place(lambda domain: CONSTANT[int(domain[1])])
    assert taken(beast, model.ready + 1).urls == model.take(model.ready)
    assert len(beast) == beast.ready == 0
    assert not folder.exists() or not list(folder.iterdir())


@settings(derandomize=True, deadline=None, max_examples=150)
@given(STEPS, st.integers(1, 3), st.sampled_from([1, 20_000, 1 << 20]))
def test_it_does_what_the_paper_says(steps: list[tuple[str, list[int] | int]], queues: int, memory: int) -> None:
    with TemporaryDirectory() as name:
        agrees(steps, queues, memory, Path(name) / "made when needed")


@pytest.mark.parametrize("queues", [1, 2, 5])
def test_it_does_what_the_paper_says_over_many_rounds(tmp_path: Path, queues: int) -> None:
    rng = np.random.default_rng(queues)
    steps: list[tuple[str, list[int] | int]] = []
    for _ in range(120):
        steps.append(("add", rng.choice(DOMAINS, rng.integers(0, 50), p=[0.7, 0.1, 0.1, 0.1]).tolist()))
        steps.append(("place", rng.integers(0, 9, DOMAINS).tolist()))
        steps.append(("take", int(rng.integers(0, 40))))
    agrees(steps, queues, 200_000, tmp_path / "queues")


@settings(derandomize=True, deadline=None, max_examples=40)
@given(STEPS, st.integers(1, 3))
def test_every_column_goes_with_its_url_and_nothing_is_lost_or_doubled(
    steps: list[tuple[str, list[int] | int]], queues: int
) -> None:
    with TemporaryDirectory() as name:
        beast = Beast(Path(name), 1, queues=queues)
        came: list[tuple[str, int, int, int, int]] = []
        left: list[tuple[str, int, int, int, int]] = []
        for number, (what, value) in enumerate(steps):
            if what == "add" and isinstance(value, list):
                urls = urls_of(value, number)
                rest = [np.arange(number, number + len(urls)) % limit for limit in (60_000, 200, 7)]
                batch = batch_of(urls, *(column.tolist() for column in rest))
                beast.add(batch)
                came += rows_of(batch)
            elif what == "place" and isinstance(value, list):
                beast.place(budgets_of(value))
            elif isinstance(value, int):
                left += rows_of(taken(beast, value))
        beast.place(budgets_of(CONSTANT))
        left += rows_of(taken(beast, len(beast)))
        assert sorted(left) == sorted(came)
        by_domain = {domain: [row for row in came if domain_of(row[0]) == domain] for domain in map(_name, range(4))}
        assert sum(map(len, by_domain.values())) == len(came)


def _name(number: int) -> str:
    return f"d{number}.example"


def test_spam_has_its_budget_of_every_queue_and_no_more(tmp_path: Path) -> None:
    budgets = budgets_of([10] * 101)
    beast = Beast(tmp_path, 1 << 21)
    rng = np.random.default_rng(1)
    fetched: Counter[str] = Counter()
    for number in range(60):
        is_spam = rng.random(400) < 0.9
        domains = np.where(is_spam, 0, rng.integers(1, 101, 400))
        beast.add(batch_of(urls_of(domains.tolist(), number)))
        beast.place(budgets)
        fetched.update(domain_of(url) for url in taken(beast, 30).urls)
    assert sum(fetched.values()) == 1800
    assert fetched["d0.example"] < 0.15 * 1800
    assert len(fetched) > 95
    rest = Counter(domain_of(url) for url in taken(beast, len(beast)).urls)
    assert rest["d0.example"] > 20_000
    assert sum(rest.values()) == 60 * 400 - 1800


def test_a_budget_is_for_all_hosts_of_a_domain(tmp_path: Path) -> None:
    beast = Beast(tmp_path, 1 << 20)
    farm = [f"http://host{number}.spam.example/" for number in range(100)]
    beast.add(batch_of([*farm, *(f"http://www.d{number}.example/" for number in range(20))]))
    beast.place(budgets_of([], default=5))
    assert taken(beast, 25).urls == [*farm[:5], *(f"http://www.d{number}.example/" for number in range(20))]


def test_budgets_are_asked_anew_when_urls_are_placed_or_spread(tmp_path: Path) -> None:
    beast = Beast(tmp_path, 1 << 20)
    urls = urls_of([0] * 10 + [1] * 10, 0)
    beast.add(batch_of(urls))
    beast.place(budgets_of([1, 2]))
    assert (beast.ready, beast.failed) == (20, 17)
    assert taken(beast, 3).urls == [urls[0], urls[10], urls[11]]
    beast.place(budgets_of([9, 1]))
    assert taken(beast, 10).urls == [*urls[1:10], urls[12]]


def test_a_small_crawl_never_waits(tmp_path: Path) -> None:
    for queues in (1, 2, 7):
        beast = Beast(tmp_path / str(queues), 1 << 20, queues=queues)
        for number in range(50):
            url = f"http://a.example/{number}"
            beast.add(batch_of([url]))
            assert (beast.ready, len(beast)) == (0, 1)
            assert not taken(beast, 5).urls
            beast.place(budgets_of([]))
            assert (beast.ready, len(beast)) == (1, 1)
            assert taken(beast, 5).urls == [url]
        assert not (tmp_path / str(queues)).exists()
        assert beast.queues == queues


def test_the_ring_grows_no_larger_than_it_must(tmp_path: Path) -> None:
    beast = Beast(tmp_path, 1 << 22)
    budgets = budgets_of([10] * 50)
    rng = np.random.default_rng(3)
    for number in range(100):
        beast.add(batch_of(urls_of(rng.integers(0, 50, 100).tolist(), number)))
        beast.place(budgets)
        taken(beast, 90)
    assert beast.queues <= 8  # what waits, 1,000 URLs, is two queues of 50 domains, 10 URLs each


def test_it_stops_doubling_where_queues_would_be_too_small(tmp_path: Path) -> None:
    beast = Beast(tmp_path, 1 << 20)
    beast.add(batch_of(urls_of([0] * 3000, 0)))
    beast.place(budgets_of([1]))
    assert len(taken(beast, 3000)) == 3000
    assert beast.queues == MOST_QUEUES


def test_what_is_in_memory_is_bounded_whatever_the_number_of_queues(tmp_path: Path) -> None:
    memory = 1 << 20
    beast = Beast(tmp_path, memory, queues=40)
    budgets = budgets_of([], default=3)
    rng = np.random.default_rng(5)
    for number in range(40):
        beast.add(_many(rng.integers(0, 30, 1000).tolist(), number))
        beast.place(budgets)
        assert sum(queue.tail_bytes for queue in beast._pool._queues) <= 3 * memory // 8
    assert beast.traffic.written > 0
    assert len(taken(beast, 40_000)) == 40_000


def _many(domains: list[int], number: int) -> UrlBatch:
    return batch_of(urls_of(domains, number))
