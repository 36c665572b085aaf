"""Which characters a page's bytes mean."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from crawler.charset import as_utf8, codec_of

META = b'<html><head><meta charset="%s"></head>'
GERMAN = "Straße über Köln".encode("cp1252")


def test_the_header_comes_before_all() -> None:
    document = codecs.BOM_UTF8 + META % b"koi8-r" + GERMAN
    assert codec_of(document, "text/html; charset=Shift_JIS") == "cp932"


def test_a_byte_order_mark_comes_before_a_meta_element() -> None:
    assert codec_of(codecs.BOM_UTF8 + META % b"koi8-r", "text/html") == "utf-8"
    assert codec_of(codecs.BOM_UTF16_LE + "<a>".encode("utf-16-le"), "") == "utf-16-le"
    assert codec_of(codecs.BOM_UTF16_BE + "<a>".encode("utf-16-be"), "") == "utf-16-be"


def test_a_meta_element_comes_before_the_detector() -> None:
    russian = "Привет, как дела? Сегодня хорошая погода, и мы гуляем.".encode("cp1251")
    assert codec_of(META % b"koi8-r" + russian, "text/html") == "koi8-r"
    assert codec_of(russian, "text/html") == "cp1251"


def test_what_nobody_says_is_utf_8() -> None:
    assert codec_of(b"", "") == codec_of(b"plain", "text/html") == codec_of(b"\xff", "text/html; charset=nonsense")


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("iso-8859-1", "cp1252"),
        ("US-ASCII", "cp1252"),
        ("latin1", "cp1252"),
        ("gb2312", "gbk"),
        ("UTF8", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("shift-jis", "cp932"),
        ("x-user-defined", "latin-1"),
        ("iso-2022-kr", "utf-8"),
        ("nonsense", "utf-8"),
    ],
)
def test_labels_mean_what_the_standard_says(label: str, codec: str) -> None:
    for content_type in (f"text/html; charset={label}", f'text/html;CHARSET = "{label}"; x=y', f"charset='{label}'"):
        assert codec_of(b"plain", content_type) == codec


@pytest.mark.parametrize(
    ("meta", "codec"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<META  http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"),
        (b'<meta name="x" content="y">\n<meta charset = "koi8-r" />', "koi8-r"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=utf-16be>", "utf-8"),
        (b"<meta charset=>", "utf-8"),
        (b"charset=koi8-r", "utf-8"),
        (b" " * 1024 + b"<meta charset=koi8-r>", "utf-8"),
        (b" " * 1000 + b"<meta charset=koi8-r>", "koi8-r"),
    ],
)
def test_meta_elements_are_read_within_the_first_kilobyte(meta: bytes, codec: str) -> None:
    assert codec_of(meta, "text/html") == codec


def test_text_becomes_utf_8() -> None:
    assert as_utf8(GERMAN, "text/html; charset=iso-8859-1") == ("Straße über Köln".encode(), "cp1252")
    assert as_utf8("日本".encode("shift_jis"), "; charset=shift_jis") == ("日本".encode(), "cp932")
    assert as_utf8("日本".encode("iso2022_jp"), "; charset=iso-2022-jp") == ("日本".encode(), "iso2022_jp")
    assert as_utf8("<a>é".encode("utf-16-be"), "; charset=utf-16be") == ("<a>é".encode(), "utf-16-be")


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
    text, codec = as_utf8(document, "")
    text.decode("utf-8")
    codecs.lookup(codec)
