"""A signed text: what a unit is, and what a result begins with.

Three lines: the format's name, a JSON object, and ``KEY SIGNATURE``, the public key of who signed and the signature of
the first two lines as they stand, line ends included.  The format is signed with the rest, so no text passes for one of
another kind.  There is no other form of the same content: nothing is parsed before the signature was verified.
"""

import json
from typing import Any, NamedTuple

from crawler.work.keys import SigningKey, is_public_key, is_signed_by


class Signed(NamedTuple):
    """What a signed text says, and the public key of who signed it."""

    content: dict[str, Any]
    key: str


class TextError(ValueError):
    """A text that is not what it should be: ``is_forged`` if its signature is missing or wrong."""

    def __init__(self, message: str, *, is_forged: bool = False) -> None:
        super().__init__(message)
        self.is_forged = is_forged


def signed_text(form: str, content: dict[str, Any], key: SigningKey) -> bytes:
    """Return ``content``, a JSON object, as a signed text of this format."""
    body = f"{form}\n{json.dumps(content, separators=(',', ':'))}\n".encode()
    return body + f"{key.public} {key.sign(body)}\n".encode()


def read_signed(form: str, text: bytes) -> Signed:
    """Return what a text of this format says.

    Raises TextError if it is of another format, or not signed by the key that it names, or no JSON object.
    """
    first, _, rest = text.partition(b"\n")
    if first != form.encode():
        raise TextError(f"not of the format {form!r}, which this version reads")
    content, _, last = rest.partition(b"\n")
    key, _, signature = last.decode("ascii", "replace").removesuffix("\n").partition(" ")
    if not is_public_key(key) or not last.endswith(b"\n"):
        raise TextError("not signed", is_forged=True)
    if not is_signed_by(key, text[: len(text) - len(last)], signature):
        raise TextError(f"the signature is not that of {key}", is_forged=True)
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise TextError("what was signed is not JSON") from error
    if not isinstance(told, dict):
        raise TextError("what was signed is no JSON object")
    return Signed(told, key)
