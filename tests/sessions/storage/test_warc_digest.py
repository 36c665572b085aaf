"""Digests in base 32, beside base64's."""

from base64 import b32encode

from hypothesis import given
from hypothesis import strategies as st

from sessions.storage.warc_digest import sha1_label


@given(st.binary(min_size=20, max_size=20))
def test_digits_are_those_of_base32(digest: bytes) -> None:
    assert sha1_label(digest) == b"sha1:" + b32encode(digest)
