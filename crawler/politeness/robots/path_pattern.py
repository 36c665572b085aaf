"""How URLs and the path patterns of a robots.txt are written so that octets can be compared: RFC 9309, section 2.2.2.

A pattern begins a path and query; `*` in it stands for any characters, `$` at its end for the end.  Which patterns
match a path, and which of them decides, is asked of `matcher`.
"""

import re
from urllib.parse import quote

_SPELLINGS = re.compile(r"%[0-9A-Fa-f]{2}|%|[^A-Za-z0-9\-._~:/?#\[\]@!&'()+,;=%]+")
_PLAIN = {chr(code) for code in range(0x21, 0x7F)} - set('%*$"<>\\^`{|}')
_PLAIN_IN_PATH = _PLAIN - {"/", "?"}


def canonical_path(url: str) -> str:
    """Path and query of an absolute URL in the form in which they are compared.

    RFC 9309, section 2.2.2: octets beyond ASCII are percent-encoded, unreserved ones are not.  Reserved ones count as
    the same in both spellings, as in the RFC's own table, but for `/` and `?` in the path: there %2F separates nothing.
    """
    path, mark, query = ("/" + (url.partition("#")[0].split("/", 3)[3:] or [""])[0]).partition("?")
    return _respelt(path, in_query=False) + mark + _respelt(query, in_query=True)


def canonical_pattern(text: str) -> str:
    """A rule's pattern in the same form, in which `*` and a final `$` always are operators.

    A pattern that begins with neither `/` nor `*` is taken to begin with `/`.
    """
    if not text.startswith(("/", "*")):
        text = "/" + text
    anchor = "$" if text.endswith("$") else ""
    pieces, in_query = [], False
    for piece in re.split(r"\*+", text[: len(text) - len(anchor)]):
        before, mark, after = piece.partition("?") if not in_query else ("", "", piece)
        in_query |= bool(mark)
        pieces.append(_respelt(before, in_query=False) + mark + _respelt(after, in_query=True))
    return "*".join(pieces) + anchor


def _respelt(text: str, *, in_query: bool) -> str:
    plain = _PLAIN if in_query else _PLAIN_IN_PATH

    def spelling(match: re.Match[str]) -> str:
        found = match[0]
        if found[0] != "%" or found == "%":
            return quote(found, safe="", errors="replace")
        character = chr(int(found[1:], 16))
        return character if character in plain else found.upper()

    return _SPELLINGS.sub(spelling, text)
