"""How paths and patterns are written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.robots.path_pattern import canonical_path, canonical_pattern

ORIGIN = "http://a.example"


@pytest.mark.parametrize(
    ("rest", "path"),
    [
        ("/", "/"),
        ("", "/"),
        ("/a/b?c=d&e", "/a/b?c=d&e"),
        ("/a#b", "/a"),
        ("/a?", "/a?"),
        ("/~a-b_c.d", "/~a-b_c.d"),
        ("/%7e%2d%41", "/~-A"),
        ("/%c3%a9", "/%C3%A9"),
        ("/é", "/%C3%A9"),
        ("/%e9", "/%E9"),
        ("/a%2fb%3Fc", "/a%2Fb%3Fc"),
        ("/a?b%2fc%3F", "/a?b/c?"),
        ("/%3a%40%21%26%28%2b%2C%3B%3D", "/:@!&(+,;="),
        ("/a*b$", "/a%2Ab%24"),
        ("/%2a%24", "/%2A%24"),
        ("/100%", "/100%25"),
        ("/100%25", "/100%25"),
        ("/%zz%4", "/%25zz%254"),
        ("/%00%0a %20|", "/%00%0A%20%20%7C"),
        ("//a//b", "//a//b"),
    ],
)
def test_paths_have_one_spelling(rest: str, path: str) -> None:
    assert canonical_path(ORIGIN + rest) == path
    assert canonical_path(ORIGIN + path) == path


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("/a", "/a"),
        ("a", "/a"),
        ("*a", "*a"),
        ("$", "/$"),
        ("/a$", "/a$"),
        ("/a$b", "/a%24b"),
        ("/a$$", "/a%24$"),
        ("/a%24", "/a%24"),
        ("/***a**", "/*a*"),
        ("/%2a*%2A", "/%2A*%2A"),
        ("/a*%2f", "/a*%2F"),
        ("/a?*%2f", "/a?*/"),
        ("/a*?%2f*%3F", "/a*?/*?"),
        ("/é b", "/%C3%A9%20b"),
        ("/%2", "/%252"),
    ],
)
def test_patterns_have_one_spelling(text: str, pattern: str) -> None:
    assert canonical_pattern(text) == pattern
    assert canonical_pattern(pattern) == pattern


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=30), st.text(alphabet="a/?%2fF3*$é:", max_size=30))
def test_spelling_again_changes_nothing(anything: str, likely: str) -> None:
    for text in (anything, likely):
        path = canonical_path(f"{ORIGIN}/{text}")
        assert canonical_path(ORIGIN + path) == path
        assert canonical_pattern(canonical_pattern(text)) == canonical_pattern(text)
        assert path.isascii()
        assert canonical_pattern(text).isascii()
