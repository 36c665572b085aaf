"""What bytes and characters mean to each other on the web.

`scripts/checks/compare_encodings.py` compares all that there is with the standard's tables; here is what it found wrong
with Python's codecs, an example of each kind.
"""

from urllib.parse import unquote_to_bytes

import pytest
from webencodings.labels import LABELS

from crawler.pages.charset import as_utf8
from crawler.pages.links import find_references, resolve

PYTHONS_WIDE = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
PAGE = "http://a.example/dir/page"
BROKEN = "\N{REPLACEMENT CHARACTER}"


def decoded(document: bytes, label: str) -> str:
    """The text of a document whose header has that charset."""
    return as_utf8(document, f"text/html; charset={label}")[0].decode()


def query_sent(query: str, label: str) -> bytes:
    """What is sent for a link with that query in a page of that charset, its percent-encoding taken off."""
    html = "<a href='?" + "".join(f"&#{ord(character)};" for character in query) + "'>"
    references = find_references(PAGE, html.encode(PYTHONS_WIDE.get(label, "ascii")), f"text/html; charset={label}")
    return unquote_to_bytes(resolve(references).urls[0].partition("?")[2])


@pytest.mark.parametrize(
    ("label", "document", "text"),
    [
        ("gbk", b"\x80", "€"),
        ("gb2312", b"\x80\xd6\xd0", "€中"),
        ("gb2312", b"\x81\x40", "丂"),  # of GBK only
        ("gbk", b"\x81\x30\x81\x30", "\x80"),  # four bytes, as of GB18030
        ("gbk", b"\x94\x39\xda\x33", "\N{PILE OF POO}"),
        ("gb18030", b"\xa3\xa0", "\u3000"),
        ("gb18030", b"\x81\x35\xf4\x37", "\ue7c7"),
        ("gb18030", b"\xa6\xd9", "\ufe10"),  # of 2022
        ("gb18030", b"\x82\x35\x90\x37", "\u9fb4"),
        ("big5", b"\x87\x40", "䏰"),  # of Hong Kong
        ("big5", b"\x88\x62", "Ê̄"),
        ("big5", b"\xa1\x45", "‧"),
        ("euc-jp", b"\xad\xa1", "①"),
        ("euc-jp", b"\x8f\xa2\xb7", "\uff5e"),
        ("euc-jp", b"\xa1\xc1", "\uff5e"),
        ("iso-2022-jp", b"\x1b$B-!\x1b(B", "①"),
        ("iso-2022-jp", b"\x1b(I1\x1b(B", "ｱ"),
        ("shift_jis", b"\x5c\x7e\xa1\x80\xf0\x40", "\\~｡\x80\ue000"),
        ("euc-kr", b"\x81\x41", "갂"),
        ("windows-1252", b"\x81\x8d\x8f\x90\x9d", "\x81\x8d\x8f\x90\x9d"),
        ("windows-1253", b"\x81\xaa", "\x81" + BROKEN),
        ("windows-1255", b"\xca\xd9", "\u05ba" + BROKEN),
        ("windows-874", b"\x81\xdb", "\x81" + BROKEN),
        ("koi8-u", b"\xae\xbe", "ўЎ"),
        ("iso-8859-8-i", b"\xe0", "א"),
        ("x-mac-cyrillic", b"\xff\xa2", "€Ґ"),
        ("ibm866", b"\xfd", "¤"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
        ("replacement", b"a<a href=x>", BROKEN),
        ("iso-2022-kr", b"a<a href=x>", BROKEN),
        ("utf-16be", b"\xd8\x3d\xdc\xa9\xd8\x3d", "\N{PILE OF POO}" + BROKEN),
    ],
)
def test_bytes_mean_what_the_standards_tables_say(label: str, document: bytes, text: str) -> None:
    assert decoded(document, label) == text


@pytest.mark.parametrize(
    ("label", "document", "text"),
    [
        # An ASCII byte after a lead byte stands for itself ...
        ("gbk", b"\x81<a>", BROKEN + "<a>"),
        ("gbk", b"\x81\x7f", BROKEN + "\x7f"),
        ("big5", b"\x87<a>", BROKEN + "<a>"),
        ("euc-jp", b"\xa1<a>", BROKEN + "<a>"),
        ("euc-jp", b"\x8f\xa1<a>", BROKEN + "<a>"),
        ("euc-kr", b"\x81<a>", BROKEN + "<a>"),
        ("shift_jis", b"\x81<a>", BROKEN + "<a>"),
        # ... another does not.
        ("big5", b"\x87\xff<a>", BROKEN + "<a>"),
        ("euc-jp", b"\xa1\x80<a>", BROKEN + "<a>"),
        ("shift_jis", b"\x81\xfd<a>", BROKEN + "<a>"),
        # In GB18030 three bytes go back.
        ("gb18030", b"\x81\x30\x81<a>", BROKEN + "0" + BROKEN + "<a>"),
        ("gb18030", b"\x81\x30<a>", BROKEN + "0<a>"),
        # What is cut off at the end is one broken character.
        ("gbk", b"a\x81\x30\x81", "a" + BROKEN),
        ("big5", b"a\x87", "a" + BROKEN),
        ("euc-jp", b"a\x8f\xa1", "a" + BROKEN),
        ("shift_jis", b"a\x81", "a" + BROKEN),
        ("utf-8", b"a\xe4\xb8", "a" + BROKEN),
        ("utf-16le", b"a\0b", "a" + BROKEN),
        ("iso-2022-jp", b"\x1b$Ba", BROKEN),
        # Escape sequences that are none, or that follow each other.
        ("iso-2022-jp", b"\x1b$X", BROKEN + "$X"),
        ("iso-2022-jp", b"\x1b$B\x1b(Ba", BROKEN + "a"),
        ("iso-2022-jp", b"\x0e\x0f", BROKEN * 2),
    ],
)
def test_broken_bytes_swallow_what_the_standard_says_and_no_more(label: str, document: bytes, text: str) -> None:
    assert decoded(document, label) == text


def test_every_label_can_be_read_and_written() -> None:
    for label, encoding in LABELS.items():
        text = "☃<a href='?a\N{PILE OF POO}'>"
        document = text.encode(PYTHONS_WIDE.get(encoding, "utf-8"))
        links = resolve(find_references(PAGE, document, f"text/html; charset={label}"))
        assert len(links.urls) == (encoding != "replacement"), label


@pytest.mark.parametrize(
    ("label", "query", "sent"),
    [
        ("gbk", "€", b"\x80"),
        ("gbk", "\N{PILE OF POO}", b"&#128169;"),
        ("gb2312", "丂", b"\x81\x40"),
        ("gb18030", "\N{PILE OF POO}", b"\x94\x39\xda\x33"),
        ("gb18030", "\ufe10", b"\xa6\xd9"),  # of 2022
        ("gb18030", "\ue5e5", b"&#58853;"),
        ("big5", "䏰", b"&#17392;"),  # of Hong Kong: read, but not written
        ("big5", "十卅═", b"\xa4\x51\xa4\xca\xf9\xf9"),  # the last of several
        ("euc-jp", "①\u2212¥‾", b"\xad\xa1\xa1\xdd\x5c\x7e"),
        ("euc-jp", "丂", b"&#19970;"),  # of JIS X 0212: read, but not written
        ("shift_jis", "纊", b"\xfa\x5c"),  # not \xed\x40
        ("shift_jis", "¥\u2212", b"\x5c\x81\x7c"),
        ("iso-2022-jp", "①a", b"\x1b$B-!\x1b(Ba"),
        ("iso-2022-jp", "ｱ", b"\x1b$B%\x22\x1b(B"),
        ("iso-2022-jp", "¥a ", b"\x1b(J\x5ca\x1b(B"),
        ("iso-2022-jp", "¥é", b"\x1b(J\x5c&#233;\x1b(B"),
        ("iso-2022-jp", "あé&あ", b"\x1b$B$\x22\x1b(B&#233;&\x1b$B$\x22\x1b(B"),
        ("iso-2022-jp", "ぃΓ", b"\x1b$B$#&#\x1b(B"),  # a two-byte character that looks like a reference's beginning
        ("iso-2022-jp", "あ\nい", b'\x1b$B$"$$\x1b(B'),  # the line break is taken out before
        ("euc-kr", "갂", b"\x81\x41"),
        ("windows-1252", "\x81€é&#233;", b"\x81\x80\xe9&"),  # a fragment begins there
        ("windows-1252", " é '\"<> ", b" \xe9 '\"<>"),
        ("koi8-u", "ў", b"\xae"),
        ("x-user-defined", "\uf780é", b"\x80&#233;"),
        ("macintosh", "é", b"\x8e"),
        ("utf-16be", "é", "é".encode()),
    ],
)
def test_queries_are_written_by_the_same_tables(label: str, query: str, sent: bytes) -> None:
    """URL standard, 1.3, "percent-encode after encoding"."""
    assert query_sent(query, label) == sent


def test_the_encoding_of_a_page_holds_for_its_base_too() -> None:
    html = "<base href='/é?é'><a href='#top'>".encode("latin-1")
    assert resolve(find_references(PAGE, html, "text/html; charset=latin1")).urls == ["http://a.example/%C3%A9?%E9"]
