"""Which characters a page's bytes mean."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from crawler.pages.charset import as_utf8

META = b'<html><head><meta charset="%s"></head>'
GERMAN = "Straße über Köln".encode("cp1252")


def encoding_of(document: bytes, content_type: str) -> str:
    """The encoding that a document is found to be in."""
    return as_utf8(document, content_type)[1]


def test_a_byte_order_mark_comes_before_all() -> None:
    header = "text/html; charset=Shift_JIS"
    assert as_utf8(codecs.BOM_UTF8 + META % b"koi8-r" + b"\xc3\xa9", header)[0].endswith("é".encode())
    assert as_utf8(codecs.BOM_UTF16_LE + "<a>é".encode("utf-16-le"), header)[0] == "<a>é".encode()
    assert as_utf8(codecs.BOM_UTF16_BE + "<a>é".encode("utf-16-be"), header)[0] == "<a>é".encode()


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert as_utf8(codecs.BOM_UTF8 + b"<a>", "text/html") == (b"<a>", "utf-8")
    assert as_utf8(codecs.BOM_UTF16_BE + b"\0a", "text/html") == (b"a", "utf-16be")


def test_the_header_comes_before_a_meta_element() -> None:
    assert encoding_of(META % b"koi8-r" + GERMAN, "text/html; charset=Shift_JIS") == "shift_jis"


def test_a_meta_element_comes_before_the_detector() -> None:
    russian = "Привет, как дела? Сегодня хорошая погода, и мы гуляем.".encode("cp1251")
    assert encoding_of(META % b"koi8-r" + russian, "text/html") == "koi8-r"
    assert encoding_of(russian, "text/html") == "windows-1251"


def test_what_nobody_says_is_utf_8() -> None:
    for document, header in ((b"", ""), (b"plain", "text/html"), (b"\xc3\xa9", "text/html; charset=nonsense")):
        assert encoding_of(document, header) == "utf-8"


def test_utf_8_that_nobody_names_is_seen_however_late_it_shows() -> None:
    """The detector is given a part of the document, and a document may be cut off within a character."""
    document = b"plain " * 5000 + "Straße".encode()
    assert as_utf8(document, "text/html") == (document, "utf-8")
    assert encoding_of(document + b"\xc3", "text/html") == "utf-8"


def test_what_the_detector_does_not_know_is_windows_1252() -> None:
    """It says IBM865 and VISCII of these, which the web has not."""
    assert as_utf8(b"<p>Parkinson\x92s disease</p>", "text/html")[0].decode() == "<p>Parkinson\u2019s disease</p>"
    assert as_utf8(b"<p>the \x93model\x94 of</p>", "text/html")[0].decode() == "<p>the \u201cmodel\u201d of</p>"


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("iso-8859-1", "windows-1252"),
        ("US-ASCII", "windows-1252"),
        ("latin1", "windows-1252"),
        ("gb2312", "gbk"),
        ("UTF8", "utf-8"),
        ("utf-16", "utf-16le"),
        ("shift-jis", "shift_jis"),
        ("x-user-defined", "x-user-defined"),
        ("iso-2022-kr", "replacement"),
        ("nonsense", "utf-8"),
    ],
)
def test_labels_mean_what_the_standard_says(label: str, encoding: str) -> None:
    for content_type in (f"text/html; charset={label}", f'text/html;CHARSET = "{label}"; x=y', f"charset='{label}'"):
        assert encoding_of(b"plain", content_type) == encoding


def test_text_becomes_utf_8() -> None:
    assert as_utf8(GERMAN, "text/html; charset=iso-8859-1") == ("Straße über Köln".encode(), "windows-1252")
    assert as_utf8("日本".encode("shift_jis"), "; charset=shift_jis") == ("日本".encode(), "shift_jis")
    assert as_utf8("日本".encode("iso2022_jp"), "; charset=iso-2022-jp") == ("日本".encode(), "iso-2022-jp")
    assert as_utf8("<a>é".encode("utf-16-be"), "; charset=utf-16be") == ("<a>é".encode(), "utf-16be")


def test_bytes_without_a_meaning_become_replacement_characters() -> None:
    assert as_utf8(b"a\xffb\xc3", "; charset=utf-8") == (
        "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}".encode(),
        "utf-8",
    )
    assert as_utf8(b"<\0a", "; charset=utf-16")[0].decode() == "<\N{REPLACEMENT CHARACTER}"


def test_ascii_and_valid_utf_8_are_not_copied() -> None:
    for document in (b"plain " * 100, "é".encode() * 100):
        assert as_utf8(document, "; charset=utf-8")[0] is document
    document = b"plain " * 100
    assert as_utf8(document, "; charset=koi8-r") == (document, "koi8-r")


@given(st.binary(max_size=300), st.sampled_from([*sorted(LABELS), "nonsense", "hex", "rot13", "zip", "idna", "\0"]))
def test_no_bytes_in_no_encoding_do_harm(document: bytes, label: str) -> None:
    text, _ = as_utf8(document, f"text/html; charset={label}")
    text.decode("utf-8")


@given(st.binary(max_size=300))
def test_no_bytes_without_a_label_do_harm(document: bytes) -> None:
    text, encoding = as_utf8(document, "")
    text.decode("utf-8")
    assert encoding in LABELS
