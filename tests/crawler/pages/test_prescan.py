"""Which encoding a document's first bytes name: data/prescan.tsv, and the standard's own steps beside ours."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.charset import as_utf8
from crawler.pages.prescan import prescanned
from tests.crawler.pages.support.prescan_by_the_letter import prescan_by_the_letter

BYTE = re.compile(rb"\\(x[0-9a-f]{2}|[nt\\])|\{(\d+)\}")
NAMED = {b"n": b"\n", b"t": b"\t", b"\\": b"\\"}
PROBE = "éд".encode()
"""Means something in each of the encodings named in the table, and looks like UTF-8."""
TEXT = {name: PROBE.decode(name) for name in ("koi8-r", "windows-1252", "utf-8")}


class Case(NamedTuple):
    """A line of data/prescan.tsv."""

    shows: str
    content_type: str
    document: bytes
    encoding: str


def as_bytes(escaped: str) -> bytes:
    """A document as it is written in the table."""

    def meant(match: re.Match[bytes]) -> bytes:
        if match[2]:
            return b" " * int(match[2])
        return NAMED.get(match[1]) or bytes.fromhex(match[1][1:].decode())

    return BYTE.sub(meant, escaped.encode())


def cases() -> list[Case]:
    """The table."""
    lines = (Path(__file__).parent / "data" / "prescan.tsv").read_text(encoding="utf-8").splitlines()
    fields = (line.split("\t") for line in lines if not line.startswith("#"))
    return [Case(shows, kind, as_bytes(document), encoding) for shows, kind, document, encoding in fields]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.shows)
def test_the_encoding_is_the_one_that_the_standard_finds(case: Case) -> None:
    expected = TEXT["utf-8" if case.encoding == "-" else case.encoding]
    assert as_utf8(case.document + b"\n" + PROBE, case.content_type)[0].decode().rpartition("\n")[2] == expected


LABELS = ["koi8-r", "utf-8", "UTF-16", "x-user-defined", "nonsense", "", " big5 ", "gbk/", "iso-2022-kr"]
SPACES = st.sampled_from(["", "", " ", "\n", "/", " / ", "\x0b"])
SIGNS = st.sampled_from(["=", "=", "", "=="])
QUOTED = st.sampled_from(['"%s"', "'%s'", "%s", '"%s', "'%s"])


@st.composite
def attributes(draw: st.DrawFn) -> str:
    """An attribute, of those that count more often than not."""
    label = draw(QUOTED) % draw(st.sampled_from(LABELS))
    sign = draw(SPACES) + draw(SIGNS) + draw(SPACES)
    content = draw(st.sampled_from(["text/html; charset", "charset charset", "xCharset", "none"])) + sign + label
    return draw(
        st.sampled_from(
            [
                "charset" + sign + label,
                "content" + sign + draw(QUOTED) % content,
                'http-equiv="Content-Type"',
                "http-equiv=refresh",
                "a='>'",
                "=",
                "charset",
            ]
        )
    )


@st.composite
def tags(draw: st.DrawFn) -> str:
    """A tag, often of a meta element, that may not end."""
    name = draw(
        st.sampled_from(["<meta", "<meta", "<META", "</meta", "<metas", "<p", "</", "<!", "<?xml", "<", "<!--"])
    )
    written = "".join(draw(SPACES) + one for one in draw(st.lists(attributes(), max_size=3)))
    return (
        name + draw(st.sampled_from([" ", " ", "", "/"])) + written + draw(st.sampled_from([">", ">", "-->", "/>", ""]))
    )


PIECES = tags() | st.sampled_from(
    ["<!--", "-->", "--", ">", "<", "é", "<?xml encoding='koi8-r'", "<\0?\0x\0", " " * 990]
)


@given(st.lists(PIECES, min_size=1, max_size=5))
def test_ours_comes_to_what_the_standards_steps_come_to(pieces: list[str]) -> None:

    document = "".join(pieces).encode("latin-1")
    assert prescanned(document) == prescan_by_the_letter(document)


def test_hostile_beginnings_take_no_time() -> None:
    """Were there any going back, these would take for ever."""
    for piece in (b"<", b"<a ", b"<a b=", b"<!-", b"<meta ", b"<meta charset ", b"='", b"a =", b"<a b='c' "):
        as_utf8((piece * 1024)[:1024] + b"charset", "text/html")
