"""What a page asks of robots about itself: X-Robots-Tag headers and `<meta name="robots">`.

noindex: do not keep it; nofollow: do not follow its links; none: both.  What is asked of all robots counts, and what is
asked of this one by its product token; of several that apply each counts.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

EVERY_ROBOT = "robots"
"""The name of a meta element that speaks to all robots."""
_WITH_VALUE = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
"""Directives that are followed by a colon, as otherwise the names of robots are."""


class PageDirectives(NamedTuple):
    """What a page asks of this robot."""

    noindex: bool = False
    nofollow: bool = False


NOTHING_ASKED = PageDirectives()


def asked_of(agent: str, tags: str | None, metas: Iterable[tuple[str, str]] = ()) -> PageDirectives:
    """What is asked of ``agent``, a product token (empty: of all robots only).

    ``tags`` are the values of a response's X-Robots-Tag headers, a line each; ``metas`` the names and contents of its
    document's meta elements.
    """
    directives: set[str] = set()
    for name, content in metas:
        if name.lower() in (EVERY_ROBOT, agent.lower() or EVERY_ROBOT):
            directives.update(re.split(r"[\s,]+", content.lower()))
    for tag in (tags or "").splitlines():
        directives.update(_for_agent(agent.lower(), tag.lower()))
    if not directives:
        return NOTHING_ASKED
    return PageDirectives(
        "noindex" in directives or "none" in directives, "nofollow" in directives or "none" in directives
    )


def _for_agent(agent: str, tag: str) -> Iterable[str]:
    """The directives of a header that apply; a robot's name before a colon is addressed until another one is."""
    is_meant = True
    for part in tag.split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name not in _WITH_VALUE:
            is_meant = name in (EVERY_ROBOT, "*", agent)
            yield from rest.split() if is_meant else ()
        elif is_meant:
            yield name
