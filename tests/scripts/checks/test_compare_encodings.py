"""What we make of bytes and characters, beside the standard's own steps over its published tables.

The tables are no part of the project; where they do not lie beside it, what needs them is skipped.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawler.pages.web_codecs import encoding_named
from scripts.checks.compare_encodings import (
    BYTES,
    PAIRS,
    decoded_otherwise,
    encoded_otherwise,
    labels_of,
    random_documents,
    read_json,
    standard_of,
)
from scripts.checks.encoding_standard.standard import Standard
from scripts.checks.encoding_standard.steps import Index

PLACES = [folder / "shared" / "data" / "encoding" for folder in Path(__file__).resolve().parents]
TABLES = next(filter(Path.is_dir, PLACES), None)
needs_tables = pytest.mark.skipif(TABLES is None, reason="shared/data/encoding with the standard's tables is not there")
SEVERAL_BYTES = {
    "big5": ("big5", 157, 0x81, (0x40, 0xA1)),
    "euc-kr": ("euc-kr", 190, 0x81, (0x41,)),
    "euc-jp": ("jis0208", 94, 0xA1, (0xA1,)),
    "gbk": ("gb18030", 190, 0x81, (0x40, 0x80)),
}
LAST_OF_PLANE = 0xFFFF


@pytest.fixture(scope="module")
def indexes() -> dict[str, Any]:
    """The standard's tables."""
    assert TABLES is not None
    read: dict[str, Any] = read_json(TABLES / "whatwg-indexes.json.gz")
    return read


@pytest.fixture(scope="module")
def standard(indexes: dict[str, Any]) -> Standard:
    """The standard's decoders and encoders."""
    return standard_of(indexes)


@needs_tables
def test_labels_are_the_standards() -> None:
    assert TABLES is not None
    labels = labels_of(read_json(TABLES / "whatwg-labels.json.gz"))
    assert {label: encoding_named(label) for label in labels} == labels


def all_pairs(index: Index, trails: int, lead: int, starts: tuple[int, ...]) -> Iterator[bytes]:
    """Documents of the pairs of bytes of a table's pointers, those of a lead byte in each."""
    first_trails = len(range(starts[0], 0x7F)) if len(starts) > 1 else trails
    for start in range(0, len(index), trails):
        places = range(min(trails, len(index) - start))
        tails = [starts[0] + at if at < first_trails else starts[1] + at - first_trails for at in places]
        yield b"".join(bytes([lead + start // trails, tail]) for tail in tails)


@needs_tables
@pytest.mark.parametrize("encoding", SEVERAL_BYTES)
def test_every_pair_of_every_table_is_read_as_the_standard_says(
    encoding: str, indexes: dict[str, Any], standard: Standard
) -> None:
    name, trails, lead, starts = SEVERAL_BYTES[encoding]
    index = indexes[name][: (0xFF - lead) * trails]  # JIS X 0208 has rows that only Shift_JIS can reach
    compared = all_pairs(index, trails, lead, starts)
    assert decoded_otherwise(encoding, standard.decoder(encoding), compared) == (-(-len(index) // trails), [])


@needs_tables
@pytest.mark.parametrize("encoding", ["shift_jis", "iso-2022-jp", "gb18030", "utf-16le"])
def test_pairs_are_read_as_the_standard_says(encoding: str, standard: Standard) -> None:
    start = b"\x1b$B" if encoding == "iso-2022-jp" else b""
    compared = (start + pair + b"A" for pair in PAIRS[::3])
    assert decoded_otherwise(encoding, standard.decoder(encoding), compared)[1] == []


@needs_tables
def test_every_encoding_is_read_and_written_as_the_standard_says(standard: Standard) -> None:
    assert TABLES is not None
    for encoding in sorted(set(labels_of(read_json(TABLES / "whatwg-labels.json.gz")).values())):
        decode = standard.decoder(encoding)
        assert decoded_otherwise(encoding, decode, iter(BYTES))[1] == [], encoding
        assert decoded_otherwise(encoding, decode, random_documents(encoding, 500))[1] == [], encoding


@needs_tables
@pytest.mark.parametrize(
    "encoding", ["gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "koi8-u", "windows-1255"]
)
def test_every_character_is_written_as_the_standard_says(encoding: str, standard: Standard) -> None:
    count, different = encoded_otherwise(encoding, standard, LAST_OF_PLANE)
    assert count == LAST_OF_PLANE + 1 - 0x80 - 0x800
    assert different == []


SMALL = Standard({"koi8-r": [None, 0x411, 0x20AC] + [0x2500] * 125, "jis0208": []}, [])


def test_a_table_is_read_by_the_standards_steps() -> None:
    """The comparison itself, on a table of its own."""
    assert SMALL.decoder("koi8-r")(b"a\x80\x81") == "a\N{REPLACEMENT CHARACTER}Б"
    assert SMALL.encoded("Б€☃a", "koi8-r") == b"\x81\x82%26%239731%3Ba"
    assert SMALL.decoder("utf-8")(b"\xe4\xb8\xf0\x9f\x92\xa9\x80") == "�\N{PILE OF POO}�"
    assert SMALL.decoder("utf-16be")(b"\xd8\x3d\0a\xdc") == "�a�"


def test_what_is_read_otherwise_is_found() -> None:
    assert decoded_otherwise("koi8-r", SMALL.decoder("koi8-r"), iter([b"a", b"\x80", b"\x83"])) == (
        3,
        [b"\x80", b"\x83"],
    )
    assert encoded_otherwise("koi8-r", SMALL, 0xB0) == (0x31, ["\xa0", "\xa9", "\xb0"])
