"""Compare what crawler.pages.web_codecs makes of bytes and characters with the tables of the WHATWG Encoding standard.

    python -m scripts.checks.compare_encodings whatwg-indexes.json.gz whatwg-labels.json.gz

The tables are JSON, compressed or not: the indexes as the standard publishes them (https://encoding.spec.whatwg.org/
indexes.json), and the labels of each encoding (encodings.json).  Compared are, for each encoding: all sequences of one
and two bytes, whole, cut off and before ASCII; all of three bytes that begin with EUC-JP's 8F; all pointers of four
bytes of GB18030; ISO-2022-JP's sequences in each of its states, and all its escape sequences; and all code points, as
they are written in a query.  Exits with 1 if anything differs.
"""

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crawler.pages.web_codecs import encoding_named, in_utf8, with_encoded_queries
from scripts.checks.encoding_standard.standard import Decode, Standard

WITH_PAIRS = ("gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr", "utf-8", "utf-16le", "utf-16be")
BYTES = [bytes([byte]) for byte in range(256)]
PAIRS = [lead + trail for lead in BYTES for trail in BYTES]
CODES_AT_ONCE = 1024
RANDOM_DOCUMENTS = 20_000
SURROGATES = range(0xD800, 0xE000)


def read_json(path: Path) -> Any:
    """What a file of JSON holds, which may be compressed."""
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)


def standard_of(indexes: dict[str, Any]) -> Standard:
    """The standard's decoders and encoders, over its published indexes."""
    return Standard(indexes, indexes["gb18030-ranges"])


def labels_of(groups: list[dict[str, Any]]) -> dict[str, str]:
    """The encoding, in lower case, that each label stands for."""
    encodings = (encoding for group in groups for encoding in group["encodings"])
    return {label: encoding["name"].lower() for encoding in encodings for label in encoding["labels"]}


def documents(encoding: str) -> Iterator[bytes]:
    """All documents of a few bytes that are compared."""
    yield from BYTES
    if encoding in WITH_PAIRS:
        yield from PAIRS
        yield from (pair + b"A" for pair in PAIRS)
    if encoding == "euc-jp":
        yield from (b"\x8f" + pair for pair in PAIRS)
        yield from (b"\x8f" + pair + b"A" for pair in PAIRS)
    if encoding in ("gbk", "gb18030"):
        yield from four_bytes()
        yield from (b"\x81\x30" + pair for pair in PAIRS)
    if encoding == "iso-2022-jp":
        for state in (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I", b"\x1b(B"):
            yield from (state + byte + b"\x1b(BA" for byte in BYTES)
            yield from (state + pair for pair in PAIRS)
        yield from (b"\x1b" + pair + b"AA" for pair in PAIRS)


def four_bytes() -> Iterator[bytes]:
    """All pointers of four bytes, 1,260 in a document."""
    thirds = [bytes([third, fourth]) for third in range(0x81, 0xFF) for fourth in range(0x30, 0x3A)]
    for first in range(0x81, 0xFF):
        for second in range(0x30, 0x3A):
            yield b"".join([bytes([first, second]) + rest for rest in thirds])


def random_documents(encoding: str, count: int = RANDOM_DOCUMENTS) -> Iterator[bytes]:
    """Longer documents, rich in what begins and ends sequences; the same ones each time."""
    rng = random.Random(encoding)
    rich = [0x1B, 0x24, 0x28, 0x42, 0x49, 0x4A, 0x30, 0x39, 0x41, 0x7E, 0x7F, 0x80, 0x81, 0x8E, 0x8F, 0xA1, 0xFE, 0xFF]
    for _ in range(count):
        yield bytes(rng.choice(rich) if rng.random() < 0.5 else rng.randrange(256) for _ in range(rng.randrange(12)))


def decoded_otherwise(encoding: str, decode: Decode, compared: Iterator[bytes]) -> tuple[int, list[bytes]]:
    """How many documents there were, and those that are decoded otherwise than the standard's steps do."""
    count, different = 0, []
    for document in compared:
        count += 1
        if in_utf8(document, encoding) != decode(document).encode():
            different.append(document)
    return count, different


def code_points(last: int) -> Iterator[str]:
    """All code points beyond ASCII but surrogates, many in a text."""
    for start in range(0x80, last + 1, CODES_AT_ONCE):
        yield "".join(
            map(chr, (code for code in range(start, min(start + CODES_AT_ONCE, last + 1)) if code not in SURROGATES))
        )


def encoded_otherwise(encoding: str, standard: Standard, last: int) -> tuple[int, list[str]]:
    """How many characters there were, and those that are written otherwise than the standard's steps do."""
    count, different = 0, []
    for text in code_points(last):
        count += len(text)
        if written(text, encoding) != percent_encoded(standard.encoded(text, encoding)):
            singly = (one for one in text if written(one, encoding) != percent_encoded(standard.encoded(one, encoding)))
            different += list(singly) or [text]
    return count, different


def written(text: str, encoding: str) -> str:
    """A text as it is sent within a query."""
    sent = with_encoded_queries([f"?{text}"], encoding)[0][1:]
    return sent if sent.isascii() else percent_encoded(sent.encode())  # UTF-8 is left to the URL parser


def percent_encoded(content: bytes) -> str:
    """Bytes as they stand in the query of an http URL (URL standard, 1.3, "special-query percent-encode set")."""
    return "".join(f"%{byte:02X}" if byte < 0x21 or byte > 0x7E or byte in b"\"#<>'" else chr(byte) for byte in content)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("indexes", type=Path)
    parser.add_argument("labels", type=Path)
    options = parser.parse_args()
    standard = standard_of(read_json(options.indexes))
    labels = labels_of(read_json(options.labels))
    wrong = [label for label, encoding in labels.items() if encoding_named(label) != encoding]
    print(f"labels: {len(labels):,} compared, {len(wrong)} different {' '.join(wrong[:10])}")
    for encoding in sorted(set(labels.values())):
        decode = standard.decoder(encoding)
        read, read_wrong = decoded_otherwise(encoding, decode, documents(encoding))
        more, more_wrong = decoded_otherwise(encoding, decode, random_documents(encoding))
        written_, written_wrong = encoded_otherwise(encoding, standard, sys.maxunicode)
        print(
            f"{encoding}: {read:,} + {more:,} documents read, {len(read_wrong)} + {len(more_wrong)} different; "
            f"{written_:,} characters written, {len(written_wrong)} different",
            flush=True,
        )
        for example in [*read_wrong[:3], *more_wrong[:3], *written_wrong[:3]]:
            print(f"    {example!a}")
        wrong += map(ascii, (*read_wrong, *more_wrong, *written_wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
