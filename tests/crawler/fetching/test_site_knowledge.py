from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.fetching.site_knowledge import OriginFacts
from crawler.politeness.messages import Facts
from crawler.politeness.robots.rules import Rules

ORIGINS = st.sampled_from([f"http://s{number}.example" for number in range(6)])
RULES = st.sampled_from([None, Rules(), Rules(packed=b"x" * 3000)])
STEPS = st.tuples(ORIGINS, RULES, st.sampled_from([0.0, 1.0, 5.0]), st.sampled_from([0.0, 0.5, 2.0]), st.booleans())


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.lists(STEPS, max_size=40), st.integers(1, 6), st.sampled_from([1, 9000, 1 << 20]))
def test_the_latest_facts_are_known_as_long_as_they_hold_and_there_is_room(
    steps: list[tuple[str, Rules | None, float, float, bool]], most_origins: int, most_bytes: int
) -> None:
    known = OriginFacts(most_origins=most_origins, most_bytes=most_bytes)
    expected: dict[str, tuple[Facts, float]] = {}
    now = -3.0
    for origin, rules, seconds, later, is_forgotten in steps:
        now += later
        expected.pop(origin, None)
        if is_forgotten:
            known.forget(origin)
        else:
            facts = Facts(origin, rules=rules, seconds=seconds)
            known.add(facts, now)
            expected[origin] = facts, now + seconds
        while len(expected) > most_origins or (bytes_of(expected) > most_bytes and len(expected) > 1):
            del expected[next(iter(expected))]
        assert len(known) == len(expected)
        for one in sorted({origin, *expected}):
            facts, until = expected.get(one, (None, now))
            holds = facts if facts is not None and until > now else None
            assert known.get(one, now, with_rules=False) == holds
            if holds is not None:
                expected[one] = expected.pop(one)  # used last
            assert known.get(one, now, with_rules=True) == (holds if holds is not None and holds.rules else None)


def bytes_of(known: dict[str, tuple[Facts, float]]) -> int:
    return sum(facts.rules.bytes for facts, _ in known.values() if facts.rules is not None)
