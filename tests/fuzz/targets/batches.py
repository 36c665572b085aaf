"""URL batches between ranks: damaged ones are noticed, and raise ValueError and nothing else."""

from collections.abc import Sequence
from struct import calcsize, pack

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from crawler.exchange.wire_format import Wire
from crawler.urls.front_coding import LEAST_COMPRESSED, decode, encode
from partition.map.url_numbers import Numbers, decode_numbers, encode_numbers
from sessions.url import Hashes, url_hash
from tests.crawler.support.batches import batch_of, rows_of
from tests.fuzz.mutations import EDITS, edited
from tests.fuzz.target import Target, alone

Damaged = tuple[str, tuple[tuple[str, int, int, int], ...], tuple[int, ...]]
"""Where the damage is, the batch's rows (URL, depth, hops, flags), and the edits."""

KNOWN = [f"http://known.example/{number}" for number in range(300)]
URLS = [*KNOWN[:100], *(f"http://s{n % 7}.example/{'dir/' * (n % 5)}{n}" for n in range(100)), "http://a.example/"]
TOKENS = [
    b"\0",
    b"\xff\xff\xff\xff",
    b"\x01",
    b"\x80" * 9,
    b"\x28\xb5\x2f\xfd",
    b"\0\0\0\0\0\0\0\x10",
    b"\x7f",
    b"\xc3",
]
PLACES = ("anywhere", "on the wire", "numbers", "under the checksum", "under the checksum of the section")
_CODEC = pa.Codec("zstd", compression_level=1)
_ENVELOPE, _LENGTH, _CHECKSUM = "<QQ", "<I", "<Q"
_MOST_PLAIN = 1 << 16


class Known:
    """The URLs that both sides know."""

    def __init__(self) -> None:
        self._numbers = {url_hash(url): number for number, url in enumerate(KNOWN)}

    def numbers(self, hashes: Hashes, urls: Sequence[str]) -> Numbers:
        """See `crawler.exchange.wire_format.KnownUrls`."""
        return np.array([self._numbers.get(one, -1) for one in hashes.tolist()], np.int64)

    def urls_of(self, numbers: Numbers) -> list[str]:
        """See `crawler.exchange.wire_format.KnownUrls`."""
        if any(not 0 <= number < len(KNOWN) for number in numbers.tolist()):
            raise KeyError("a number that none has")
        return [KNOWN[number] for number in numbers.tolist()]


WIRE = Wire(Known())


def check(damaged: Damaged) -> str:
    """Either the batch is the same, or ValueError is raised; what has a right checksum may be another batch."""
    place, rows, edits = damaged
    batch = batch_of(*map(list, zip(*rows, strict=True)))
    try:
        match place:
            case "anywhere":
                data = edited(encode(batch), edits, TOKENS)
                is_same = not data or rows_of(decode(data)) == rows_of(batch)
            case "on the wire":
                whole, _ = WIRE.encode(batch)
                data = edited(whole, edits, TOKENS)
                came = rows_of(WIRE.decode(memoryview(data)))
                is_same = whole.startswith(data) or sorted(came) == sorted(rows_of(batch))
            case "numbers":
                data = edited(encode_numbers(np.arange(3, 3 + 5 * len(batch), 5)), edits, TOKENS)
                is_same = decode_numbers(data).dtype == np.int64
            case "under the checksum":
                plain = edited(_plain(encode(batch)), edits, TOKENS, _MOST_PLAIN)
                is_same = len(decode(_with_envelope(plain))) >= 0
            case _:
                is_same = len(WIRE.decode(_with_section(WIRE.encode(batch)[0], edits))) >= 0
    except ValueError:
        return "refused"
    assert is_same, "damage was not noticed"
    return "read"


def _plain(data: bytes) -> bytes:
    size, content = int.from_bytes(data[:8], "little"), data[calcsize(_ENVELOPE) :]
    return content if size < LEAST_COMPRESSED else _CODEC.decompress(content, decompressed_size=size, asbytes=True)


def _with_envelope(plain: bytes) -> bytes:
    content = plain if len(plain) < LEAST_COMPRESSED else _CODEC.compress(plain, asbytes=True)
    return pack(_ENVELOPE, len(plain), xxh3_64_intdigest(content, len(plain))) + content


def _with_section(data: bytes, edits: tuple[int, ...]) -> bytes:
    length = int.from_bytes(data[: calcsize(_LENGTH)], "little")
    section, rest = data[calcsize(_LENGTH) :][:length], data[calcsize(_LENGTH) + length :]
    content = edited(section[calcsize(_CHECKSUM) :], edits, TOKENS, _MOST_PLAIN)
    section = pack(_CHECKSUM, xxh3_64_intdigest(content)) + content
    return pack(_LENGTH, len(section)) + section + rest


ROWS = st.lists(
    st.tuples(st.sampled_from(URLS), st.integers(0, 0xFFFF), st.integers(0, 0xFF), st.integers(0, 7)),
    min_size=1,
    max_size=12,
).map(tuple)
TARGET = Target("batches", st.tuples(st.sampled_from(PLACES), ROWS, EDITS), alone(check), share=0.04)
