"""Pages that are nearly the same: by their words, and in memory that is bounded."""

import random
import re
from collections import OrderedDict, deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.intake.duplicates import near_duplicates
from crawler.intake.duplicates.near_duplicates import NearDuplicates
from crawler.intake.duplicates.simhash import simhash

_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)|<script[^>]*(?:>|\Z)(?:.*?</script[^>]*(?:>|\Z)|.*\Z)|<style[^>]*(?:>|\Z)(?:.*?</style[^>]*(?:>|\Z)|.*\Z)"
    rb"|<[^>]*(?:>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_LETTERS = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_WHOLE = (1 << 64) - 1


def shifted(number: int, bits: int) -> int:
    """An arithmetic shift to the right of 64 bits."""
    signed = number - (1 << 64) if number >> 63 else number
    return (signed >> bits) & _WHOLE


def word_hash(word: bytes) -> int:
    value = 0
    for byte in word:
        value = ((value << 9 | value >> 55) & _WHOLE) ^ _LETTERS.get(byte, byte)
    return value


def feature(first: int, second: int, third: int) -> int:
    value = ((first * 0x1E3779B97F4A7C15 + second) * 0x5851F42D4C957F2D + third) & _WHOLE
    value = (value ^ shifted(value, 32)) * 0x2545F4914F6CDD1D & _WHOLE
    value = (value ^ shifted(value, 29)) * 0x5851F42D4C957F2D & _WHOLE
    return value ^ shifted(value, 32)


def plainly(document: bytes) -> int | None:
    """Charikar's hash, bit by bit."""
    text = _MARKUP.sub(b" ", document)
    words = [word_hash(word) for word in re.split(rb"[\x00-\x20]+", text) if word]
    if not words:
        return None
    if len(words) < 3:
        return feature(0, words[0] if len(words) == 2 else 0, words[-1])
    features = [feature(*three) for three in zip(words, words[1:], words[2:], strict=False)]
    return sum(1 << bit for bit in range(64) if 2 * sum(one >> bit & 1 for one in features) > len(features))


PIECES = st.sampled_from(
    [
        *(b"<p>", b"</p>", b"<a href='x>y'>", b"<", b">", b"<!--", b"-->", b"<!doctype html>", b"<!-", b"--"),
        *(b"<script>", b"</script>", b"</SCRIPT >", b"<Script src=x>", b"<style>", b"</style>", b"<s>", b"<span>"),
        *(b"word", b"Word", b" ", b"\n\t", b"\x00", b"\xc3\xbc\xff", b"a" * 20, b"and so on ", b"&amp;", b"1 2 3 4 "),
    ]
)


@given(st.lists(PIECES, max_size=60).map(b"".join))
def test_documents_of_markup_and_words(document: bytes) -> None:
    assert simhash(document) == plainly(document)


@given(st.binary(max_size=200))
def test_any_bytes(document: bytes) -> None:
    assert simhash(document) == plainly(document)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 256, 257, 258, 1500])
def test_texts_of_so_many_words(count: int) -> None:
    """Features are counted up to 255 at once."""
    chance = random.Random(count)
    document = b" ".join(b"%x" % chance.getrandbits(40) for _ in range(count))
    assert simhash(document) == plainly(document)


def bits_between(one: bytes, other: bytes) -> int:
    first, second = simhash(one), simhash(other)
    assert first is not None
    assert second is not None
    return (first ^ second).bit_count()


def test_pages_that_say_nearly_the_same_are_near_and_others_far() -> None:
    chance = random.Random(20070508)
    words = [b"%x" % chance.getrandbits(30) for _ in range(2000)]
    page = b" ".join(words)
    changed = b" ".join([*words[:1000], b"another", *words[1001:]])
    other = b" ".join(b"%x" % chance.getrandbits(30) for _ in range(2000))
    assert bits_between(page, changed) <= 3
    assert bits_between(page, other) > 16


def test_what_is_not_text_makes_no_difference() -> None:
    plain = b"Some Words that are the text of a page"
    dressed = b"<html><style>p {}</style><body class=x><p>some   words <b>that</b> are<!-- not --> the text"
    dressed += b" of a page<script>x()</script>"
    assert simhash(plain) == simhash(dressed)
    assert simhash(b"<html><script>var x = 1</script>") is None
    assert simhash(b"") is None


# Pages of a site that are like others.


@pytest.mark.parametrize("bits", [0, 1, 3, 64])
def test_hashes_may_differ_in_so_many_bits(bits: int) -> None:
    for difference in range(65):
        near = NearDuplicates(bits)
        assert not near.meets("a.example", 0)
        assert near.meets("a.example", (1 << difference) - 1) == (difference <= bits)


def test_sites_have_nothing_to_do_with_each_other() -> None:
    near = NearDuplicates(3)
    assert not near.meets("a.example", 5)
    assert not near.meets("b.example", 5)
    assert near.meets("a.example", 5)


def test_near_duplicates_are_not_remembered_themselves() -> None:
    near = NearDuplicates(1)
    assert [near.meets("a.example", value) for value in (0b0, 0b1, 0b11)] == [False, True, False]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 40) | st.integers(0, 2**64 - 1)), max_size=120),
    st.integers(0, 2),
)
def test_the_last_pages_of_the_last_sites_are_known(pages: list[tuple[str, int]], bits: int) -> None:
    sites: OrderedDict[str, deque[int]] = OrderedDict()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_duplicates, "PAGES_PER_SITE", 16)
        patch.setattr(near_duplicates, "_SITES", 3)
        near = NearDuplicates(bits)
        for site, simhash in pages:
            known = sites.setdefault(site, deque(maxlen=16))
            sites.move_to_end(site)
            while len(sites) > 3:
                sites.popitem(last=False)
            is_near = any((simhash ^ one).bit_count() <= bits for one in known)
            assert near.meets(site, simhash) == is_near
            if not is_near:
                known.append(simhash)
