"""Which pattern decides on a path, against a judge that tries everything."""

import tracemalloc
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.robots.matcher import MOST_STEPS, PathRules
from crawler.politeness.robots.parser import MOST_RULES
from crawler.politeness.robots.path_pattern import canonical_path, canonical_pattern
from sessions.url import canonical

ORIGIN = "http://a.example"


@cache
def matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches, by trying everything."""
    if not pattern:
        return True
    if pattern == "$":
        return not path
    if pattern[0] == "*":
        return any(matches(pattern[1:], path[start:]) for start in range(len(path) + 1))
    return bool(path) and path[0] == pattern[0] and matches(pattern[1:], path[1:])


def allowed(rules: list[tuple[str, bool]], path: str) -> bool:
    """RFC 9309, section 2.2.2: the longest match, and allow of two as long."""
    found = [(len(pattern), is_allowed) for pattern, is_allowed in rules if matches(pattern, path)]
    return max(found, default=(0, True))[1]


ESCAPES = ["%2F", "%3F", "%25", "%24", "%2A", "%E9", "%FF", "25", "3F", "F", "\xe9", "index.html"]
PIECES = [*"aaabbb/?=&:$.~3", *ESCAPES]
PATTERNS = st.builds(
    lambda start, pieces, end: canonical_pattern(start + "".join(pieces) + end),
    st.sampled_from(["/", "/", "*"]),
    st.lists(st.sampled_from([*PIECES, *"*********"]), max_size=7),
    st.sampled_from(["", "", "$"]),
)
RULES = st.lists(st.tuples(PATTERNS, st.booleans()), max_size=6)
PATHS = st.lists(st.sampled_from(PIECES), max_size=8).map(lambda pieces: canonical_path(f"{ORIGIN}/{''.join(pieces)}"))


@settings(deadline=None, derandomize=True, max_examples=1000)
@given(RULES, st.lists(PATHS, min_size=1, max_size=4))
def test_the_longest_match_decides(rules: list[tuple[str, bool]], paths: list[str]) -> None:
    judged = PathRules(rules)
    for path in paths:
        assert judged.allow(path) == allowed(rules, path)


def words(alphabet: str, longest: int) -> list[str]:
    return ["".join(word) for length in range(longest + 1) for word in product(alphabet, repeat=length)]


def test_every_short_pattern_matches_what_it_should() -> None:
    paths = ["/" + word for word in words("a?", 4)]
    for word in words("a?*", 4):
        for pattern in {canonical_pattern("/" + word), canonical_pattern("/" + word + "$")}:
            rules = PathRules([(pattern, False)])
            assert [rules.allow(path) for path in paths] == [not matches(pattern, path) for path in paths], pattern


@pytest.mark.parametrize(
    ("allow", "disallow", "path"),
    [
        ("/x/index.html", "/x/", "/x/"),
        ("/x%3Fy", "/x", "/x?y"),
        ("/x%E9", "/x", "/x%FF"),
        ("/?", "/*x", "/?x"),
        ("/*3F", "/", "/?"),
        ("/*25", "/", "/%E9"),
        ("/a$", "/**a*$", "/a"),
        ("http://a.example/x", "/", "/x"),
    ],
)
def test_what_protego_alone_would_allow(allow: str, disallow: str, path: str) -> None:
    rules = [(canonical_pattern(allow), True), (canonical_pattern(disallow), False)]
    assert not allowed(rules, path)
    assert not PathRules(rules).allow(path)


ASCII = "".join(map(chr, range(0x20, 0x7F)))


@pytest.mark.parametrize("octet", ASCII)
def test_every_octet_is_itself_and_no_other(octet: str) -> None:
    path = canonical_path(f"{ORIGIN}/{octet}")
    rules = PathRules([(path + "$", False)])
    others = {canonical_path(f"{ORIGIN}/{other}") for other in ASCII} - {path}
    assert not rules.allow(path)
    assert all(map(rules.allow, others))


@pytest.mark.parametrize("octet", ASCII)
def test_every_octet_is_as_long_as_a_star(octet: str) -> None:
    path = canonical_path(f"{ORIGIN}/?%{ord(octet):02X}b")
    same_length = "/?*" + path[3:]
    assert PathRules([(path, False), (same_length, True)]).allow(path)
    assert PathRules([(path, True), (same_length, False)]).allow(path)


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=30))
def test_a_url_and_its_canonical_form_have_the_same_path(text: str) -> None:
    url = canonical(f"{ORIGIN}/x{text}")
    assert url is not None
    assert canonical(url) == url
    assert not PathRules([(canonical_path(url) + "$", False)]).allow(canonical_path(url))


def test_without_rules_all_is_allowed() -> None:
    assert PathRules([]).allow("/")


def test_of_very_many_plain_patterns_the_longest_decides() -> None:
    rules = PathRules([("/", False), *((f"/{number}", number % 2 == 0) for number in range(MOST_RULES))])
    assert rules.allow("/3444x")
    assert not rules.allow("/3443x")
    assert not rules.allow("/x")


def test_of_very_many_patterns_the_right_one_is_found() -> None:
    rules = PathRules((f"/{number}*x", number % 2 == 0) for number in range(MOST_RULES))
    assert rules.allow("/3444x")
    assert not rules.allow("/3443x")
    assert rules.allow("/3443y")


def test_a_question_that_would_take_too_long_is_answered_with_no() -> None:
    pattern = "/x*a$"
    most = MOST_STEPS // (len(pattern) + 8)
    rules = PathRules([(pattern, False)])
    assert rules.allow("/" + "y" * (most - 1))
    assert not rules.allow("/" + "y" * most)


def test_patterns_without_a_star_within_are_never_too_many() -> None:
    rules = PathRules((f"/{number}{'*' * (number % 2)}", False) for number in range(MOST_RULES))
    assert rules.allow("/" + "y" * 8000)


@pytest.mark.parametrize(
    "patterns",
    [
        ["/a"],
        [f"/{number:04}/{'q' * 14}" for number in range(1000)],
        [f"/*{number:04}*{'q' * 14}" for number in range(1000)],
        [f"/{f'{number:04}' * 25}" for number in range(1000)],
        [f"/{'*a' * 50}{number}" for number in range(200)],
    ],
)
def test_memory_is_known_about(patterns: list[str]) -> None:
    # Each is given texts of its own, as whoever unpacks them does.
    copies = max(1, 100 // len(patterns))  # of few rules many, since numpy keeps some small blocks for the next to ask
    tracemalloc.start()
    try:
        made = [PathRules((pattern[:1] + pattern[1:], False) for pattern in patterns) for _ in range(copies)]
        for rules in made:
            rules.allow("/x")
        taken = tracemalloc.get_traced_memory()[0] / copies
    finally:
        tracemalloc.stop()
    assert taken / 2 < made[0].bytes < 3 * taken
