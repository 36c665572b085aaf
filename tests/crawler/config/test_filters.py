"""Patterns, extensions and content types as a user gives them."""

from typing import Any

import click
import pytest

from crawler.config.command_line import UsageError, parsed
from crawler.config.filters import ContentTypes, Extensions, MediaTypes, Pattern, UrlPatterns


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (Pattern(), r"^https://a\.example/(x|y)", r"^https://a\.example/(x|y)"),
        (Extensions(), "jpg", "jpg"),
        (Extensions(), " JPG, .png,tar", "jpg,png,tar"),
        (MediaTypes(), "text/HTML, image/*", "text/html,image/*"),
        (MediaTypes(), "application/atom+xml", "application/atom+xml"),
    ],
)
def test_values(kind: click.ParamType[Any], given: str, value: str) -> None:
    assert kind.convert(given, None, None) == value


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("include", "("),
        ("exclude", "a{99999999999999999999}"),
        ("exclude", "(?P<x>a)(?P<x>b)"),
        ("skip-extensions", ""),
        ("skip-extensions", "jpg,,png"),
        ("skip-extensions", "a/b"),
        ("content-types", "html"),
        ("content-types", "*/*"),
        ("content-types", "text/html; charset=utf-8"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line_that_names_the_option(option: str, given: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parsed([f"--{option}", given, "http://a.example/"])
    assert f"--{option}" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_pattern_is_found_anywhere() -> None:
    patterns = UrlPatterns([r"/private/", r"\.pdf$"])
    urls = ["http://a.example/private/x", "http://a.example/x.pdf", "http://a.example/x.pdf?q", "http://private/"]
    assert [patterns.match(url) for url in urls] == [True, True, False, True]
    assert not UrlPatterns([]).match(urls[0])


@pytest.mark.parametrize(
    ("listed", "accepted", "refused"),
    [
        (None, ["text/html", "image/png", "x", "", None], []),
        ("text/html", ["text/html", " Text/HTML ;charset=x", "", None, " ;x"], ["text/plain", "text/htmlx", "x"]),
        ("text/html,image/*", ["image/png", "text/html"], ["text/css", "imagex/png", "image"]),
    ],
)
def test_content_types(listed: str | None, accepted: list[str | None], refused: list[str | None]) -> None:
    types = ContentTypes(listed)
    assert types.is_everything == (listed is None)
    assert all(types.accept(content_type) for content_type in accepted)
    assert not any(types.accept(content_type) for content_type in refused)
