"""What bytes and characters mean to each other on the web: the WHATWG Encoding standard.

Encodings go by the standard's own names, in lower case.  Python's codecs of these names differ from it by hundreds of
characters, and in which bytes are taken for broken; encoding_rs (through endec) holds to it, as
`scripts/checks/compare_encodings.py` shows, which compares every sequence of bytes with the standard's tables.
"""

import codecs
import re
from functools import cache
from urllib.parse import quote_from_bytes

import endec
import webencodings

_OF_SEVERAL_BYTES = {
    *("utf-8", "utf-16le", "utf-16be", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"),
    "replacement",
}
_WITHOUT_ASCII = {"utf-16le", "utf-16be", "iso-2022-jp", "replacement"}
_WRITTEN_IN_UTF8 = {"utf-8", "utf-16le", "utf-16be", "replacement"}
_STATEFUL = "iso-2022-jp"
_SAFE_IN_QUERY = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "\"#'<>")
# No "#" is left in a query, so these are references; but in ISO-2022-JP they may be halves of two-byte characters, too.
_REFERENCE = re.compile(rb"&#(\d+);")
_REFERENCE_OR_TWO_BYTES = re.compile(rb"(\x1b\$B[^\x1b]*+)|&#(\d+);")
_AROUND_URLS = "".join(map(chr, range(0x21)))
_WITHIN_URLS = str.maketrans("", "", "\t\n\r")


def encoding_named(label: str) -> str | None:
    """The encoding that a label stands for ("get an encoding"); None for no label at all."""
    encoding = webencodings.lookup(label)
    return encoding.name if encoding else None


def extends_ascii(encoding: str) -> bool:
    """Whether bytes of ASCII alone are ASCII in this encoding, too."""
    return encoding not in _WITHOUT_ASCII


def in_utf8(document: bytes, encoding: str) -> bytes:
    """Decode a document and encode it in UTF-8; what has no meaning becomes U+FFFD.  A byte-order mark is kept."""
    text: str
    if encoding in _OF_SEVERAL_BYTES:
        text = endec.decode(document, encoding, "replace", bom="ignore")
    else:  # Python is faster here, given the table
        text, _ = codecs.charmap_decode(document, "strict", _table(encoding))
    return text.encode()


@cache
def _table(encoding: str) -> str:
    """What each byte means in an encoding of one byte a character."""
    table: str = endec.decode(bytes(range(256)), encoding, "replace", bom="ignore")
    return table


def is_sent_in_utf8(encoding: str) -> bool:
    """Whether the queries of links in a page of this encoding are sent in UTF-8."""
    return encoding in _WRITTEN_IN_UTF8


def with_encoded_queries(references: list[str], encoding: str) -> list[str]:
    """Write the queries of a page's links in the encoding of the page, percent-encoded.

    This is the URL standard's "percent-encode after encoding" (1.3) of queries of http URLs (4.4, query state);
    characters that the encoding has not become ``&#N;``, percent-encoded.  Fragments drop out.
    """
    if is_sent_in_utf8(encoding):
        return references
    return [reference if reference.isascii() else _with_encoded_query(reference, encoding) for reference in references]


def _with_encoded_query(reference: str, encoding: str) -> str:
    reference = reference.partition("#")[0].translate(_WITHIN_URLS).strip(_AROUND_URLS)
    before, mark, query = reference.partition("?")
    encoded: bytes = endec.encode(query, encoding, "xmlcharrefreplace")
    if encoding == _STATEFUL:
        encoded = _REFERENCE_OR_TWO_BYTES.sub(lambda match: match[1] or b"%26%23" + match[2] + b"%3B", encoded)
    else:
        encoded = _REFERENCE.sub(rb"%26%23\1%3B", encoded)
    return before + mark + quote_from_bytes(encoded, _SAFE_IN_QUERY)
