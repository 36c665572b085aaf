"""Which characters a page's bytes mean.

The encoding is found as the HTML standard says (13.2.3.2): by a byte-order mark, by the HTTP header's charset, by what
the document's first bytes say (`prescan`).  Where nothing says it, it is UTF-8 if the document is valid as that, and
else for a detector to say.  XHTML is XML, where a declaration comes before meta elements, and UTF-8 is what is meant if
there is none.
"""

import codecs
import re
from functools import lru_cache

import cchardet

from crawler.pages.prescan import prescanned, xml_encoding
from crawler.pages.web_codecs import encoding_named, extends_ascii, in_utf8

_DETECTED_FROM_BYTES = 16384
_HEADER_CHARSET = re.compile(r"""(?<![\w-])charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_XHTML = "application/xhtml+xml"
_FALLBACK = "windows-1252"
"""What browsers take for the encoding of a page that does not say, in most languages."""


def as_utf8(document: bytes, content_type: str) -> tuple[bytes, str]:
    """The document in valid UTF-8 without a byte-order mark, and the WHATWG name of the encoding it was in.

    Bytes that mean nothing become U+FFFD.  A document of ASCII alone is returned as it is.
    """
    mark, encoding = _mark_of(document)
    document = document[len(mark) :]
    if encoding is None:
        encoding = _from_header(content_type) or _from_document(document, content_type)
    if document.isascii() and extends_ascii(encoding):
        return document, encoding
    if encoding == "utf-8":
        try:
            document.decode("utf-8")
        except UnicodeDecodeError:
            return document.decode("utf-8", "replace").encode(), encoding
        return document, encoding
    return in_utf8(document, encoding), encoding


def _mark_of(document: bytes) -> tuple[bytes, str | None]:
    for mark, encoding in _MARKS:
        if document.startswith(mark):
            return mark, encoding
    return b"", None


@lru_cache(maxsize=256)
def _from_header(content_type: str) -> str | None:
    match = _HEADER_CHARSET.search(content_type)
    return encoding_named(match[1]) if match else None


def _from_document(document: bytes, content_type: str) -> str:
    if not content_type.lower().lstrip().startswith(_XHTML):
        return prescanned(document) or _guessed(document)
    if encoding := xml_encoding(document):
        return encoding
    return "utf-8" if _is_utf8(document) else prescanned(document) or _guessed(document)


def _guessed(document: bytes) -> str:
    """The likely encoding; the detector knows some that the web does not, and takes text for them that is too short."""
    if document.isascii() or _is_utf8(document):
        return "utf-8"
    label = cchardet.detect(document[:_DETECTED_FROM_BYTES])["encoding"]
    return (encoding_named(label) if label else None) or _FALLBACK


def _is_utf8(document: bytes) -> bool:
    try:
        codecs.utf_8_decode(document, "strict", False)  # it may have been cut off within a character
    except UnicodeDecodeError:
        return False
    return True
