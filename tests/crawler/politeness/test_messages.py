from collections import Counter

from crawler.politeness.messages import keeper_of


def test_keys_are_spread_evenly_and_the_same_everywhere() -> None:
    keys = [f"192.0.{number // 256}.{number % 256}" for number in range(4000)]
    counts = Counter(keeper_of(key, 4) for key in keys)
    assert set(counts) == {0, 1, 2, 3}
    assert max(counts.values()) < 1.15 * min(counts.values())
    assert {keeper_of("www.example.org", 1), keeper_of("", 1)} == {0}
    assert [keeper_of(key, 7) for key in ("a.example", "192.0.2.1", "[::1]")] == [3, 0, 1]
