"""Ed25519 keys (RFC 8032): a secret one in a file that only its owner may read, a public one as 64 hexadecimal digits.

A signature proves who holds the secret key, and nothing else: neither who that person is nor that what was signed is
true.
"""

import os
import re
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from crawler.work.work_error import WorkError

_MOST_BYTES = 4096
_OWNER_ONLY = 0o600
_PUBLIC = re.compile(r"[0-9a-f]{64}")


class SigningKey:
    """A secret key.  It signs, and shows nothing of itself but its public half."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        """The public key, 64 hexadecimal digits."""

    def sign(self, data: bytes) -> str:
        """Return the signature of ``data``, 128 hexadecimal digits."""
        return self._key.sign(data).hex()


def make_key(path: Path) -> SigningKey:
    """Make a key and write it to a new file, as PKCS 8 in PEM form, with mode 0600.

    Raises WorkError if there is such a file, or it cannot be written; then nothing is left of it.
    """
    key = Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _OWNER_ONLY)
    except FileExistsError as error:
        raise WorkError(f"{path}: exists, and a key is never overwritten; name another file") from error
    except OSError as error:
        raise WorkError(f"{path}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), _OWNER_ONLY)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise WorkError(f"{path}: {error.strerror}") from error
    return SigningKey(key)


def read_key(path: Path) -> SigningKey:
    """Read a secret key.  Raises WorkError if it is not there, no key, or can be read by others than its owner."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise WorkError(f"{path}: {error.strerror}; cutweb work key FILE makes a key") from error
    if stat.S_IMODE(mode) & 0o077:
        raise WorkError(
            f"{path}: others may read this secret key (mode {stat.S_IMODE(mode):04o}); if nobody has, chmod 600 it, "
            "else make a new one"
        )
    try:
        key = load_pem_private_key(text, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise WorkError(f"{path}: no secret key as cutweb work key makes it") from error
    if len(text) > _MOST_BYTES or not isinstance(key, Ed25519PrivateKey):
        raise WorkError(f"{path}: no Ed25519 key; cutweb work key FILE makes one")
    return SigningKey(key)


def is_public_key(text: str) -> bool:
    """Is this how a public key is written?"""
    return _PUBLIC.fullmatch(text) is not None


def public_key(text: str) -> str:
    """Return the public key that is given as 64 digits or as a file that begins with them.

    Raises WorkError if it is neither.
    """
    if is_public_key(text):
        return text
    try:
        with open(text, encoding="ascii") as file:
            word = file.read(_MOST_BYTES).strip()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no text"
        raise WorkError(f"{text}: no public key of 64 hexadecimal digits, nor a file with one ({why})") from error
    if not is_public_key(word):
        raise WorkError(f"{text}: holds no public key of 64 hexadecimal digits")
    return word


def is_signed_by(public: str, data: bytes, signature: str) -> bool:
    """Was ``data`` signed by the holder of this public key?  What is no key or no signature has signed nothing."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), data)
    except (InvalidSignature, ValueError):
        return False
    return True
