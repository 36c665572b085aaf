"""Does the check take content encodings off bodies as they were put on, and at a cost that their servers do not set?"""

import gzip
import zlib
from hashlib import sha1
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

from sessions.checking import warc_records
from sessions.checking.warc_records import decoded_content

documents = st.builds(
    lambda text, byte, count: text + byte * count,
    st.binary(max_size=9000),
    st.sampled_from([b"x", b"\0"]),
    st.sampled_from([0, 1, 5000, 2_500_000]),
)


def content(document: bytes) -> tuple[bytes, int]:
    return sha1(document).digest(), len(document)


@given(st.lists(documents, min_size=1, max_size=5), st.integers(0, 9000))
def test_members_are_one_document_and_padding_is_none_of_it(parts: list[bytes], padding: int) -> None:
    body = b"".join(map(gzip.compress, parts)) + bytes(padding)
    assert decoded_content(body, "gzip") == content(b"".join(parts))


@given(documents)
def test_deflate_means_either_format(document: bytes) -> None:
    bare = zlib.compressobj(wbits=-15)
    assert decoded_content(zlib.compress(document), "deflate") == content(document)
    assert decoded_content(bare.compress(document) + bare.flush(), "deflate") == content(document)


@given(st.lists(documents, min_size=1, max_size=3), st.integers(1, 8))
def test_a_body_that_breaks_off_is_no_document(parts: list[bytes], missing: int) -> None:
    body = b"".join(map(gzip.compress, parts))
    assert decoded_content(body[:-missing], "gzip") is None


def test_very_many_members_are_not_copied_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    given_bytes = 0

    class Counting:
        def __init__(self, window: int) -> None:
            self._stream: Any = isal_zlib.decompressobj(window)

        def decompress(self, data: bytes, most: int) -> bytes:
            nonlocal given_bytes
            given_bytes += len(data)
            chunk: bytes = self._stream.decompress(data, most)
            return chunk

        def __getattr__(self, name: str) -> Any:
            return getattr(self._stream, name)

    monkeypatch.setattr(warc_records, "isal_zlib", SimpleNamespace(decompressobj=Counting))
    member = gzip.compress(b"very small")
    assert decoded_content(20_000 * member, "gzip") == content(20_000 * b"very small")
    assert given_bytes <= 20_000 * (4 << 10)
