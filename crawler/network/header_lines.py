"""Header lines that an operator has sent to some sites: which may be, and how they are written down.

What they say is a secret (RFC 9110, section 5.1 for names, 5.5 for values; RFC 7617 for basic credentials).
"""

import base64
import re

from crawler.network.proxy import REMOVED

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_LONGEST_VALUE = 8192
_OURS = {
    *("host", "user-agent", "accept-encoding", "connection", "content-length", "transfer-encoding", "te", "trailer"),
    *("upgrade", "expect", "keep-alive", "range", "if-none-match", "if-modified-since", "if-match", "if-range"),
    *("if-unmodified-since", "proxy-authorization", "proxy-connection", "authorization"),
}
"""Headers of which the crawler itself knows what they have to say; Authorization has a key of its own."""


def header_line(name: str, value: str) -> str:
    """Return the line.  Raises ValueError, which tells no value, if it cannot be sent."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a header")
    if name.lower() in _OURS:
        raise ValueError(
            f"{name} is the crawler's own{'; give credentials' if name.lower() == 'authorization' else ''}"
        )
    if not (value.isascii() and value.isprintable() and 0 < len(value.strip()) <= _LONGEST_VALUE):
        raise ValueError(f"what {name} is to say cannot stand in an HTTP header")
    return f"{name}: {value.strip()}"


def basic_credentials(text: str) -> str:
    """Return the header line for USER:PASSWORD.  Raises ValueError, which tells neither, for another form."""
    user, colon, _ = text.partition(":")
    if not (user and colon and text.isprintable() and len(text) <= _LONGEST_VALUE // 2):
        raise ValueError("is not USER:PASSWORD")
    return f"Authorization: Basic {base64.b64encode(text.encode()).decode()}"


def without_value(line: str) -> str:
    """Return a header line as others may see it."""
    return f"{line.partition(':')[0]}: {REMOVED}"
