"""What stands in an attribute: its characters, with character references replaced (HTML standard, 13.2.5.72 on)."""

import re
from html.entities import html5

_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([A-Za-z0-9]+)(;?)(=?))")
_UNKNOWN = "\ufffd"
_HIGHEST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_C1 = range(0x80, 0xA0)
_LEFT_OUT = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
_MOST_DIGITS = 8
"""Digits beyond this, leading zeros aside, are no character."""


def attribute_text(value: bytes) -> str:
    """The text of an attribute's value as it stands in a document in valid UTF-8, without NUL."""
    text = value.decode()
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _REFERENCE.sub(_replaced, text) if "&" in text else text


def _replaced(match: "re.Match[str]") -> str:
    """The characters of a reference, or the reference as it stands if it is none."""
    hexadecimal, decimal, name, semicolon, equals = match.groups()
    if name is None:
        return _numbered(hexadecimal, 16) if hexadecimal is not None else _numbered(decimal, 10)
    if semicolon:
        return html5.get(f"{name};", f"&{name};") + equals
    return match[0] if equals else html5.get(name, match[0])


def _numbered(digits: str, base: int) -> str:
    digits = digits.lstrip("0") or "0"
    number = int(digits, base) if len(digits) <= _MOST_DIGITS else _HIGHEST + 1
    if not 0 < number <= _HIGHEST or number in _SURROGATES:
        return _UNKNOWN
    if number in _C1 and number not in _LEFT_OUT:
        return bytes([number]).decode("cp1252")
    return chr(number)
