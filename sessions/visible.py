"""Text from outside (files, servers, names), made safe to look at."""

import json
import re
from typing import Any

# Control characters (C0, DEL, C1), what reverses the order of writing, line and paragraph separators, lone surrogates.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")


def visible(text: str) -> str:
    """Return the text with each character that a terminal or a reader would obey as an escape, ``\\uXXXX``.

    The text stays one line: line feeds and tabs are such characters, too.
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible_json(content: Any, indent: int | None = None) -> str:
    """Return JSON in ASCII without any control character but the line feeds of an ``indent``."""
    return json.dumps(content, indent=indent).replace("\x7f", "\\u007f")
