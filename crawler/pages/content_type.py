"""Which content type a response states, and whether it is HTML.

Content-Type may come in several lines, or as a list in one.  The last valid type counts, as the Fetch standard says in
"extract a MIME type"; where none does, the start of the document is looked at (MIME Sniffing standard, 7).
"""

import re

_HTML = ("text/html", "application/xhtml+xml")
_UNKNOWN = ("*/*", "unknown/unknown", "application/unknown")
_TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+"
_ESSENCE = re.compile(rf"\s*({_TOKEN}/{_TOKEN})\s*(?:;|\Z)", re.IGNORECASE)
_CHARSET = re.compile(r';\s*charset=("(?:[^"\\]|\\.)*"|[^;\s]+)', re.IGNORECASE)
# Possessive throughout, and a quoted string cannot fail: no header makes it look at anything twice.
_LISTED = re.compile(r'(?:[^",]++|"(?:[^"\\]|\\.)*+(?:"|\\?\Z))++', re.DOTALL)
_SNIFFED = (b"<!doctype html", b"<html", b"<head", b"<body", b"<a ")
_SNIFF_BYTES = 512


def type_that_counts(listed: str) -> str:
    """Return the last valid type of a list, or the list as it stands if there is none.

    A type without a charset has that of the types before it, as long as these are the same type.
    """
    counts, last_essence, charset = listed, "", ""
    for value in _LISTED.findall(listed):
        essence = essence_of(value)
        if not essence or essence == "*/*":
            continue
        stated = _CHARSET.search(value)
        if stated or essence != last_essence:
            charset = stated[1] if stated else ""
        counts = value.strip()
        if charset and not stated:
            counts = f"{counts[: len(essence)]}; charset={charset}{counts[len(essence) :]}"
        last_essence = essence
    return counts


def essence_of(content_type: str) -> str:
    """Return type and subtype in lower case; empty if the field is not valid."""
    match = _ESSENCE.match(content_type)
    return match[1].lower() if match else ""


def is_html(content_type: str | None, document: bytes) -> bool:
    """Whether a document is HTML by its content type, or looks like it where the type says nothing."""
    stated = (content_type or "").lstrip().lower()
    if stated.startswith(_HTML):
        return True
    if not _says_nothing(stated):
        return False
    start = document[:_SNIFF_BYTES].lstrip().lower()
    return any(mark in start for mark in _SNIFFED)


def may_be_html(content_type: str | None) -> bool:
    """Whether `is_html` may hold of some document of this content type."""
    stated = (content_type or "").lstrip().lower()
    return stated.startswith(_HTML) or _says_nothing(stated)


def _says_nothing(stated: str) -> bool:
    essence = essence_of(stated)
    return not essence or essence in _UNKNOWN
