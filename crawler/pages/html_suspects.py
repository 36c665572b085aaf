"""Which pages libxml2 may have read otherwise than the HTML standard does; `html_masking` says how, and mends it.

Such pages are rare.  They are found from the tags that libxml2 saw on its way, and a look at the text around these.
"""

import re
from collections.abc import Collection

from crawler.pages.html_elements import RAW_TEXT

NOTED = RAW_TEXT | {"template", "svg", "math", "frame", "frameset"}
"""Elements on account of which a page may need masking."""

_ALWAYS = frozenset(("template", "frame", "frameset"))
_FOREIGN_ROOTS = frozenset(("svg", "math"))
_LONGEST_TAG = 1 << 16

# A raw-text element in SVG is no matter if all that it holds is text up to its end tag.
_SUSPECT_IN_FOREIGN = re.compile(
    rb"<(?:(title|style|script|textarea|xmp|iframe|noembed|noframes)\b(?![^<>]*>[^<]*</\1)"
    rb"|(?:plaintext|base|link|area|iframe|meta|frame|template)\b|!\[CDATA)",
    re.I,
)


def needs_masking(text: bytes, tags: Collection[str]) -> bool:
    """Whether libxml2, which saw elements of these names of `NOTED` in a page, may have read it otherwise."""
    return any(
        tag in _ALWAYS
        or (_has_suspect(text, tag.encode()) if tag in _FOREIGN_ROOTS else _has_self_closing(text, tag.encode()))
        for tag in tags
    )


def _has_suspect(text: bytes, root: bytes) -> bool:
    """Whether anything stands in SVG, or MathML, that is read otherwise there."""
    opening, closing = b"<" + root, b"</" + root
    at = text.find(opening)
    if at < 0:  # in capitals
        return True
    while at >= 0:
        end = text.find(closing, at)
        following = text.find(opening, at + len(opening), end if end >= 0 else len(text))
        if end < 0 or following >= 0 or _SUSPECT_IN_FOREIGN.search(text, at, end + len(closing)):
            return True
        at = text.find(opening, end)
    return False


def _has_self_closing(text: bytes, name: bytes) -> bool:
    """Whether a start tag of that name may end in a slash."""
    opening = b"<" + name
    at = text.find(opening)
    if at < 0:  # in capitals
        return re.search(opening + rb"[^<>]*+(?:(?<=/)>|<)", text, re.I) is not None
    while at >= 0:
        end = text.find(b">", at)
        if end < 0:
            return False
        tag = text[at : min(end, at + _LONGEST_TAG)]
        if end - at > _LONGEST_TAG or tag.endswith(b"/") or tag.count(b'"') & 1 or tag.count(b"'") & 1:
            return True
        if name == b"title":  # others stand in SVG
            return False
        at = text.find(opening, end)
    return False
