"""What a user says of the URLs and the types wanted: patterns, file name extensions, content types.

Patterns are Python's regular expressions and are looked for anywhere in a canonical URL, of at most
`sessions.url.LONGEST_URL` characters.  They are the user's own: one that repeats a repetition, as in ``(a+)+``, can
take a time exponential in the URL's length, and nothing stops it.
"""

import re
from collections.abc import Sequence
from typing import Any

import click

_EXTENSION = re.compile(r"[a-z0-9_+-]+")
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/(?:\*|[a-z0-9!#$&^_.+-]+)")


class Pattern(click.ParamType[str]):
    """A regular expression as the command line takes it; the value is its text."""

    name = "pattern"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            re.compile(str(value))
        except (re.error, OverflowError, RecursionError) as error:
            self.fail(f"{value!r} is not a regular expression: {error}", param, ctx)
        return str(value)


class Extensions(click.ParamType[str]):
    """File name extensions, separated by commas; the value has them in lower case and without dots."""

    name = "extensions"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = [name.removeprefix(".") for name in _listed(value)]
        for name in names:
            if not _EXTENSION.fullmatch(name):
                self.fail(f"{name!r} is not a file name extension", param, ctx)
        return ",".join(names)


class MediaTypes(click.ParamType[str]):
    """Media types (RFC 9110, 8.3.1) without parameters, or ``type/*``, separated by commas; in lower case."""

    name = "types"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = _listed(value)
        for name in names:
            if not _MEDIA_TYPE.fullmatch(name):
                self.fail(f"{name!r} is not a media type like text/html or image/*", param, ctx)
        return ",".join(names)


class UrlPatterns:
    """Whether one of some patterns is found in a URL; in none if there are no patterns."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._searches = [re.compile(pattern).search for pattern in patterns]

    def match(self, url: str) -> bool:
        """Whether any of the patterns is found anywhere in the URL."""
        return any(search(url) for search in self._searches)


class ContentTypes:
    """The content types that a crawl accepts, as `MediaTypes` has them; all of them if that is None."""

    def __init__(self, listed: str | None) -> None:
        names = (listed or "").split(",") if listed else []
        self.is_everything = not names
        self._types = frozenset(name for name in names if not name.endswith("/*"))
        self._kinds = tuple(name[:-1] for name in names if name.endswith("/*"))

    def accept(self, content_type: str | None) -> bool:
        """Whether a response with that Content-Type field is wanted; one without a type always is."""
        if self.is_everything or not content_type:
            return True
        essence = content_type.partition(";")[0].strip().lower()
        return not essence or essence in self._types or essence.startswith(self._kinds)


def _listed(value: Any) -> list[str]:
    return [name.strip().lower() for name in str(value).split(",")]
