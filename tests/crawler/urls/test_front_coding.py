"""The binary form of a batch of URLs."""

import random
from itertools import pairwise, takewhile
from struct import pack, unpack_from

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_intdigest

from crawler.urls.batch import UrlBatch, joined
from crawler.urls.batch_columns import BatchColumns
from crawler.urls.front_coding import LEAST_COMPRESSED, decode, encode, encode_all, encoded_sizes
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.server import LocalWeb
from tests.crawler.support.batches import batch_of, bounds_of, rows_of
from tests.crawler.support.url_strategies import BATCHES, CANONICAL_URLS

CODEC = pa.Codec("zstd")


@pytest.fixture(scope="module")
def real_looking_urls(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The URLs of a made web, sorted."""
    path = tmp_path_factory.mktemp("made") / "web.warc.gz"
    made: MadeWeb = make_web(path, sites=20, pages=2000, seed=3, page_kb=1, links=3)
    return sorted(LocalWeb([made.path]).index.entries)


@settings(derandomize=True, deadline=None)
@given(BATCHES)
@example(batch_of([]))
@example(batch_of(["http://a.example/"], [0xFFFF], [0xFF], [7]))
@example(batch_of(["http://a.example/" + "z" * 100_000, "http://a.example/" + "z" * 100_001, "http://a.example/"]))
def test_what_is_encoded_is_decoded(batch: UrlBatch) -> None:
    decoded = decode(encode(batch))
    assert rows_of(decoded) == rows_of(batch)
    for column in ("hashes", "depths", "hops", "flags"):
        assert getattr(decoded, column).dtype == getattr(batch, column).dtype


@settings(derandomize=True, deadline=None)
@given(BATCHES)
def test_any_buffer_is_decoded(batch: UrlBatch) -> None:
    assert rows_of(decode(memoryview(bytearray(encode(batch))))) == rows_of(batch)


def shared_prefix(one: bytes, other: bytes) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def plain_of(data: bytes) -> bytes:
    (size,) = unpack_from("<Q", data)
    if size < LEAST_COMPRESSED:
        return data[16:]
    plain: bytes = CODEC.decompress(data[16:], decompressed_size=size, asbytes=True)
    return plain


@settings(derandomize=True, deadline=None)
@given(st.lists(st.one_of(CANONICAL_URLS, st.text("ab", max_size=6)), min_size=1, max_size=20), st.booleans())
def test_of_each_url_is_written_what_differs_from_the_one_before(urls: list[str], is_sorted: bool) -> None:
    count = len(urls)
    batch = batch_of(sorted(urls) if is_sorted else urls, list(range(count)), list(range(1, count + 1)), [7] * count)
    text = [url.encode() for url in batch.urls]
    shared = [0, *(shared_prefix(*neighbours) for neighbours in pairwise(text))]
    rest = [url[prefix:] for url, prefix in zip(text, shared, strict=True)]
    data = encode(batch)
    size, checksum = unpack_from("<QQ", data)
    assert checksum == xxh3_64_intdigest(data[16:], size)
    assert plain_of(data) == b"".join(
        [
            pack("<IQ", count, sum(map(len, rest))),
            pack(f"<{count}I", *shared),
            pack(f"<{count}I", *map(len, rest)),
            pack(f"<{count}H", *range(count)),
            bytes(range(1, count + 1)),
            bytes([7] * count),
            *rest,
        ]
    )


@settings(derandomize=True, deadline=None)
@given(st.lists(BATCHES, max_size=5))
def test_of_many_batches_each_is_encoded_as_if_alone(batches: list[UrlBatch]) -> None:
    columns = BatchColumns.of(joined(batches), bounds_of(batches))
    encoded = encode_all(columns)
    assert encoded == [encode(batch) for batch in batches]
    assert encoded_sizes(columns).tolist() == list(map(len, encoded))


def test_what_is_short_is_not_compressed() -> None:
    short, long = (batch_of([f"http://a.example/{'b' * length}"]) for length in (200, 240))
    assert len(encode(short)) > 240 > 100 > len(encode(long))
    assert rows_of(decode(encode(short))) == rows_of(short)
    columns = BatchColumns.of(joined([short, long]), [0, 1, 2])
    assert encoded_sizes(columns).tolist() == [len(encode(short)), len(encode(long))]


def test_no_urls_are_no_bytes() -> None:
    assert encode(batch_of([])) == b""


def test_sorted_urls_take_less_than_half_of_their_text(real_looking_urls: list[str]) -> None:
    urls = real_looking_urls
    assert len(urls) >= 2000
    text = sum(map(len, urls))
    assert len(encode(batch_of(urls))) < text / 2
    mixed = random.Random(4).sample(urls, len(urls))
    assert len(encode(batch_of(urls))) < len(encode(batch_of(mixed)))


DAMAGED = encode(batch_of([f"http://site{number % 5}.example/{number * 7919}" for number in range(40)]))


def test_cut_data_is_refused() -> None:
    for length in range(1, len(DAMAGED)):
        with pytest.raises(ValueError, match="damaged batch"):
            decode(DAMAGED[:length])


def test_no_flipped_bit_goes_unnoticed() -> None:
    for position in range(len(DAMAGED)):
        for bit in range(8):
            damaged = bytearray(DAMAGED)
            damaged[position] ^= 1 << bit
            with pytest.raises(ValueError, match="damaged batch"):
                decode(damaged)


@settings(derandomize=True, deadline=None)
@given(st.binary(min_size=1, max_size=200))
@example(pack("<QQ", 2**63, 0))
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="damaged batch"):
        decode(data)


# a checksum that is right over content that is not: nobody's accident, but no reason to fall over either


def sealed(size: int, compressed: bytes) -> bytes:
    return pack("<QQ", size, xxh3_64_intdigest(compressed, size)) + compressed


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=60), st.one_of(st.integers(61, 200), st.integers(LEAST_COMPRESSED, 400)))
def test_sealed_bytes_that_are_cut_or_not_compressed_are_refused(data: bytes, size: int) -> None:
    with pytest.raises(ValueError, match="damaged batch"):
        decode(sealed(size, data))


PLAIN = CODEC.decompress(DAMAGED[16:], decompressed_size=int.from_bytes(DAMAGED[:8], "little"), asbytes=True)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(PLAIN) - 1), st.integers(0, 255)), min_size=1, max_size=4))
@example([(position, 255) for position in range(4)])
@example([(position, 255) for position in range(4, 12)])
@example([(position, 255) for position in range(12, 16)])
def test_sealed_nonsense_is_refused_or_some_batch(changes: list[tuple[int, int]]) -> None:
    plain = bytearray(PLAIN)
    for position, byte in changes:
        plain[position] = byte
    try:
        batch = decode(sealed(len(plain), CODEC.compress(bytes(plain), asbytes=True)))
    except ValueError as error:
        assert "damaged batch" in str(error)  # noqa: PT017
    else:
        assert len(batch) == len(batch.hashes) == len(batch.depths) == len(batch.hops) == len(batch.flags)
