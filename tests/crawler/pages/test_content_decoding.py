"""Content encodings taken off."""

import gzip
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.content_decoding import BROKEN_OFF, DAMAGED, TOO_LARGE, UNKNOWN_ENCODING, decoded

LIMIT = 1 << 20
TEXT = b"".join(b"<p>line %d of a page</p>\n" % number for number in range(2000))
BODIES = st.one_of(st.binary(max_size=3000), st.integers(0, 5000).map(lambda count: b"ab" * count))
PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": lambda body: gzip.compress(body, 1),
    "deflate": zlib.compress,
    "": bytes,
    "identity": bytes,
}


def raw_deflate(body: bytes) -> bytes:
    """What some servers send as deflate."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@given(BODIES, st.sampled_from(sorted(PACKERS)))
def test_what_was_packed_is_unpacked(body: bytes, encoding: str) -> None:
    assert decoded(PACKERS[encoding](body), encoding, LIMIT) == (body, "")


@given(BODIES)
def test_deflate_without_its_header_is_unpacked(body: bytes) -> None:
    assert decoded(raw_deflate(body), "deflate", LIMIT) == (body, "")


@given(st.lists(BODIES, min_size=1, max_size=5))
def test_members_one_after_the_other_are_one_document(bodies: list[bytes]) -> None:
    assert decoded(b"".join(map(gzip.compress, bodies)), "gzip", LIMIT) == (b"".join(bodies), "")


@pytest.mark.parametrize("padding", [b"\0" * 100, b"garbage behind the end", b"\x1f\x8b not a member"])
def test_padding_behind_the_last_member_is_no_matter(padding: bytes) -> None:
    assert decoded(gzip.compress(TEXT) + padding, "gzip", LIMIT) == (TEXT, "")


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw_deflate])
def test_of_a_cut_body_the_beginning_is_read(pack) -> None:  # type: ignore[no-untyped-def]
    encoding = "gzip" if pack is gzip.compress else "deflate"
    packed = pack(TEXT)
    for length in range(1, len(packed), 97):
        document, error = decoded(packed[:length], encoding, LIMIT)
        assert TEXT.startswith(document)
        assert error
    document, error = decoded(packed[: len(packed) * 3 // 4], encoding, LIMIT)
    assert len(document) > len(TEXT) // 2
    assert error == BROKEN_OFF


def test_of_a_damaged_body_what_comes_before_the_damage_is_read() -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[len(packed) * 3 // 4] ^= 0xFF
    document, error = decoded(bytes(packed), "gzip", LIMIT)
    shared = next((i for i, (a, b) in enumerate(zip(document, TEXT, strict=False)) if a != b), len(document))
    assert shared > len(TEXT) // 2
    assert error == DAMAGED


def wrong(packed: bytes, place: int) -> bytes:
    """The packed data with a wrong byte at a place counted from the end."""
    return packed[:-place] + bytes([packed[-place] ^ 0xFF]) + packed[len(packed) - place + 1 :]


GZIP = gzip.compress(TEXT)
CHECKED = [
    ("gzip", wrong(GZIP, 6), TEXT),  # the checksum
    ("gzip", wrong(GZIP, 1), TEXT),  # the length
    ("gzip", wrong(GZIP, 6) + GZIP, TEXT * 2),
    ("gzip", GZIP + wrong(GZIP, 6), TEXT * 2),
    ("gzip", wrong(GZIP, 6) + b"garbage", TEXT),
    ("deflate", wrong(zlib.compress(TEXT), 1), TEXT),
    ("gzip, gzip", wrong(gzip.compress(GZIP), 6), TEXT),
    ("gzip, gzip", wrong(gzip.compress(wrong(GZIP, 6)), 1), TEXT),
]


@pytest.mark.parametrize(("encoding", "body", "document"), CHECKED)
def test_a_wrong_checksum_or_length_takes_nothing_away(encoding: str, body: bytes, document: bytes) -> None:
    assert decoded(body, encoding, LIMIT) == (document, DAMAGED)
    assert decoded(body, encoding, len(TEXT) // 2) == (
        TEXT[: len(TEXT) // 2],
        TOO_LARGE if "," not in encoding else DAMAGED,
    )


def test_all_optional_parts_of_a_gzip_head_are_passed_over() -> None:
    plain = wrong(GZIP, 6)
    head = plain[:3] + b"\x1e" + plain[4:10] + b"\x03\0abcname\0comment\0\xff\xff"
    assert decoded(head + plain[10:], "gzip", LIMIT) == (TEXT, DAMAGED)


def test_members_of_which_one_is_damaged_are_kept_up_to_the_damage() -> None:
    damaged = wrong(GZIP, len(GZIP) // 4)
    document, error = decoded(GZIP + damaged + GZIP, "gzip", LIMIT)
    assert document.startswith(TEXT + TEXT[: len(TEXT) // 2])
    assert error == DAMAGED


def test_a_hundred_thousand_members_with_wrong_checksums_are_no_harm() -> None:
    assert decoded(wrong(gzip.compress(b""), 6) * 100_000, "gzip", LIMIT) == (b"", DAMAGED)


def test_a_body_that_is_no_gzip_is_taken_as_it_is() -> None:
    assert decoded(b"<html>not what the header says</html>", "gzip", LIMIT) == (
        b"<html>not what the header says</html>",
        "",
    )


def test_a_body_that_is_no_deflate_gives_nothing() -> None:
    document, error = decoded(b"<html>not what the header says</html>", "deflate", LIMIT)
    assert document == b""
    assert error == DAMAGED


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "gzip, deflate"]), st.integers(0, 100))
def test_no_bytes_whatever_do_harm(body: bytes, encoding: str, limit: int) -> None:
    document, error = decoded(b"\x1f\x8b" + body, encoding, limit)
    assert len(document) <= limit
    assert error in ("", TOO_LARGE, DAMAGED, BROKEN_OFF, UNKNOWN_ENCODING)


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_limit_is_exact(size: int, limit: int) -> None:
    for encoding, pack in (("gzip", gzip.compress), ("deflate", zlib.compress), ("deflate", raw_deflate)):
        document, error = decoded(pack(b"x" * size), encoding, limit)
        assert document == b"x" * min(size, limit)
        assert error == (TOO_LARGE if size > limit else "")


def test_the_limit_counts_all_members() -> None:
    assert decoded(gzip.compress(b"x" * 60) * 2, "gzip", 100) == (b"x" * 100, TOO_LARGE)


@pytest.mark.parametrize("damage", [b"", b"\xff" * 50], ids=["whole", "damaged"])
def test_a_bomb_does_not_fill_the_memory(damage: bytes) -> None:
    bomb = gzip.compress(b"\0" * (64 << 20), 9)
    bomb = bomb[: len(bomb) // 2] + damage + bomb[len(bomb) // 2 :] if damage else bomb
    tracemalloc.start()
    document, error = decoded(bomb, "gzip", LIMIT)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(document) == LIMIT
    assert error
    assert peak < 8 * LIMIT


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, br"])
def test_an_encoding_that_is_not_ours_is_an_error(encoding: str) -> None:
    assert decoded(b"whatever", encoding, LIMIT) == (b"", UNKNOWN_ENCODING)


@pytest.mark.parametrize("encoding", ["utf-8", "none", "identity", "x" * 10_000])
def test_what_is_no_encoding_counts_for_nothing(encoding: str) -> None:
    assert decoded(b"whatever", encoding, LIMIT) == (b"whatever", "")


def test_several_encodings_are_taken_off_in_turn() -> None:
    twice = gzip.compress(zlib.compress(b"inmost"))
    assert decoded(twice, "deflate, gzip", LIMIT) == (b"inmost", "")


def test_an_empty_body_is_empty_in_any_encoding() -> None:
    for encoding in ("gzip", "deflate", "identity"):
        assert decoded(b"", encoding, LIMIT) == (b"", "")


@given(st.lists(st.integers(0, 5000), max_size=12), st.binary(max_size=8))
def test_members_are_decoded_one_after_the_other(sizes: list[int], padding: bytes) -> None:
    documents = [random.Random(size).randbytes(size) for size in sizes]
    body = b"".join(map(gzip.compress, documents)) + (b"\0" + padding if sizes else b"")
    assert decoded(body, "gzip", LIMIT) == (b"".join(documents), "")


def test_a_hundred_thousand_empty_members_are_an_empty_document() -> None:
    """Each is looked at once: given all that follows, a few MiB of them would take minutes."""
    assert decoded(gzip.compress(b"") * 100_000, "gzip", LIMIT) == (b"", "")


def test_more_encodings_than_anybody_applies_are_not_taken_off() -> None:
    assert decoded(b"whatever", ", ".join(["gzip"] * 6), LIMIT) == (b"", UNKNOWN_ENCODING)
