"""The compiled hash beside that of the xxhash library."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sessions.url import url_hashes
from sessions.url_hash import LONGEST, SHORTEST, xxh3_of


def hashed(text: bytes, start: int, stop: int) -> int:
    return int(xxh3_of(np.frombuffer(text, np.uint8), start, stop))


def test_every_length() -> None:
    text = "".join(chr(0x21 + number * 7 % 90) for number in range(LONGEST))
    prefixes = [text[:size] for size in range(SHORTEST, LONGEST + 1)]
    assert [hashed(text.encode(), 0, len(prefix)) for prefix in prefixes] == url_hashes(prefixes).tolist()


@given(st.binary(max_size=20), st.text(min_size=SHORTEST, max_size=LONGEST // 4), st.binary(max_size=20))
def test_any_text_wherever_it_stands(before: bytes, text: str, behind: bytes) -> None:
    value = text.encode()
    assert hashed(before + value + behind, len(before), len(before) + len(value)) == url_hashes([text])[0]
