"""The robots.txt files on disk, against a dict."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.keep_alive import KeepAlive
from crawler.politeness import robots_cache as module
from crawler.politeness.robots.rules import Rules, outcome
from crawler.politeness.robots_cache import Remembered, RobotsCache
from tests.crawler.politeness.support.robots_on_disk import STRANGERS, robots_cache
from tests.crawler.support.site_memory import SITE_MEMORY

A, B = "http://a.example", "https://a.example"
FORBIDS = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 7.5\nSitemap: http://a.example/map.xml\n"
KNOWN = Remembered(Rules(b"packed", seconds=50.0), until=60.0)

TIMES = st.floats(-1e9, 1e9)
RULES = st.builds(
    Rules,
    packed=st.binary(max_size=300),
    crawl_delay=st.floats(0, 1e9),
    unreachable=st.sampled_from(["", "robots-503", "timeout", "other"]),
    status=st.integers(0, 999),
    seconds=st.floats(0, 1e9),
)
REMEMBERED = st.builds(Remembered, RULES, TIMES, st.integers(0, 99), st.none() | TIMES)
STEPS = st.lists(
    st.tuples(st.integers(0, 5), st.none() | REMEMBERED) | st.sampled_from(["attend", "flush"]), max_size=30
)


def asked(cache: RobotsCache, origin: str) -> Remembered | None:
    """What the cache knows of one origin."""
    cache.ask(origin, 0.0)
    ((name, remembered),) = cache.flush(0.0)
    assert name == origin
    return remembered


@settings(deadline=None, derandomize=True, max_examples=40)
@given(STEPS, st.booleans())
def test_what_is_answered_is_what_was_learnt_before(
    steps: list[tuple[int, Remembered | None] | str], is_on_disk: bool
) -> None:
    learnt: dict[str, Remembered] = {}
    due: dict[str, Remembered | None] = {}
    with TemporaryDirectory() as folder:
        cache = robots_cache(Path(folder), is_on_disk=is_on_disk)
        for step in [*steps, "flush"]:
            match step:
                case "attend" | "flush":
                    for origin, answer in cache.attend(0.0) if step == "attend" else cache.flush(0.0):
                        assert answer == due.pop(origin)
                    assert cache.waiting == len(due)
                case number, None:
                    cache.ask(f"http://s{number}.example", 0.0)
                    due.setdefault(f"http://s{number}.example", learnt.get(f"http://s{number}.example"))
                case number, Remembered() as remembered:
                    cache.learn(f"http://s{number}.example", remembered)
                    learnt[f"http://s{number}.example"] = remembered
        assert not due
        for origin, remembered in learnt.items():
            assert asked(cache, origin) == remembered
        cache.close()


@pytest.mark.parametrize("is_on_disk", [False, True])
def test_rules_judge_as_they_did(tmp_path: Path, is_on_disk: bool) -> None:
    rules = outcome("cutweb", status=200, body=FORBIDS)
    cache = robots_cache(tmp_path, is_on_disk=is_on_disk)
    cache.learn(A, Remembered(rules, until=60.0))
    kept = asked(cache, A)
    assert kept == Remembered(rules.without_sitemaps(), until=60.0)
    assert not kept.rules.allow(f"{A}/private/")
    assert kept.rules.allow(f"{A}/public/")
    assert kept.rules.crawl_delay == 7.5


def test_what_was_learnt_of_another_origin_with_the_same_hash_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "url_hashes", lambda urls: np.full(len(urls), 7, np.uint64))
    cache = RobotsCache(tmp_path, budget=SITE_MEMORY.repository)
    cache.learn(A, KNOWN)
    assert asked(cache, B) is None
    assert asked(cache, A) == KNOWN


def test_in_memory_a_question_is_answered_when_it_is_put(tmp_path: Path) -> None:
    cache = RobotsCache(tmp_path, budget=SITE_MEMORY.repository)
    assert cache.next_time() is None
    cache.learn(A, KNOWN)
    cache.ask(A, 10.0)
    cache.ask(B, 11.0)
    cache.ask(A, 11.5)
    assert cache.waiting == 2
    assert cache.next_time() == 10.0
    assert dict(cache.attend(12.0)) == {A: KNOWN, B: None}
    assert cache.waiting == 0
    assert cache.next_time() is None


def test_on_disk_a_question_waits_only_so_long(tmp_path: Path) -> None:
    cache = robots_cache(tmp_path, is_on_disk=True)
    cache.learn(A, KNOWN)
    cache.ask(A, 10.0)
    assert list(cache.attend(10.0)) == []
    assert cache.next_time() == 15.0
    cache.ask(B, 12.0)
    assert cache.next_time() == 10.0, "it is put at once, so that a merge finds it"
    assert list(cache.attend(14.9)) == []
    assert cache.next_time() == 15.0
    assert dict(cache.attend(15.0)) == {A: KNOWN, B: None}


def test_the_longer_a_merge_takes_the_longer_a_question_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MERGED_A_SECOND", 0.5)
    cache = robots_cache(tmp_path, is_on_disk=True)
    cache.ask(A, 10.0)
    assert list(cache.attend(10.0)) == []
    assert cache.next_time() == 10.0 + STRANGERS / 0.5 * 10


def test_what_is_learnt_is_written_before_it_fills_memory(tmp_path: Path) -> None:
    cache = RobotsCache(tmp_path, budget=SITE_MEMORY.repository)
    for number in range(100):
        cache.learn(f"http://s{number}.example", Remembered(Rules(bytes(10_000)), 0.0))
        assert list(cache.attend(0.0)) == []
        assert sum(len(record) for _, record, _ in cache._staged) < 300_000
    assert asked(cache, "http://s0.example") == Remembered(Rules(bytes(10_000)), 0.0)
    assert [path.suffix for path in tmp_path.iterdir()] == [".blobs"], "the repository itself is in memory"


def test_a_merge_serves_the_network(tmp_path: Path) -> None:
    served: list[int] = []
    cache = RobotsCache(tmp_path, budget=1, keep_alive=KeepAlive(lambda: served.append(1)))
    for number in range(STRANGERS):
        cache.learn(f"http://stranger-{number}.example", KNOWN)
    served.clear()
    assert asked(cache, "http://stranger-0.example") == KNOWN
    assert served
