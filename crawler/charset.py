"""Which characters a page's bytes mean.

In this order: the HTTP header's charset, a byte-order mark, a meta element within the first 1,024 bytes, a detector.
Labels mean what the WHATWG encoding standard says (through webencodings): "iso-8859-1" is windows-1252.
"""

import codecs
import re

import cchardet
import webencodings

_META_CHARSET = re.compile(rb"""<meta[^>]+?charset\s*=\s*["']?\s*([a-zA-Z0-9_:.+-]+)""", re.IGNORECASE)
_META_WITHIN_BYTES = 1024
_DETECTED_FROM_BYTES = 16384
_HEADER_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def as_utf8(document: bytes, content_type: str) -> tuple[bytes, str]:
    """The document in valid UTF-8, and the name of the Python codec it was in.

    Bytes that the codec has no meaning for become U+FFFD.  A document of ASCII alone is returned as it is.
    """
    codec = codec_of(document, content_type)
    if document.isascii() and _extends_ascii(codec):
        return document, codec
    if codec == "utf-8":
        try:
            document.decode("utf-8")
        except UnicodeDecodeError:
            return document.decode("utf-8", "replace").encode(), codec
        return document, codec
    return document.decode(codec, "replace").encode("utf-8", "replace"), codec


def codec_of(document: bytes, content_type: str) -> str:
    """The Python codec of a document; UTF-8 where nothing says otherwise."""
    return (
        _from_header(content_type)
        or _from_mark(document)
        or _from_meta(document[:_META_WITHIN_BYTES])
        or _detected(document)
        or "utf-8"
    )


def _from_header(content_type: str) -> str | None:
    match = _HEADER_CHARSET.search(content_type)
    return _codec_named(match[1]) if match else None


def _from_mark(document: bytes) -> str | None:
    return next((codec for mark, codec in _MARKS if document.startswith(mark)), None)


def _from_meta(start: bytes) -> str | None:
    match = _META_CHARSET.search(start)
    if not match:
        return None
    codec = _codec_named(match[1].decode("ascii"))
    # A meta element that could be read as ASCII does not stand in UTF-16 (HTML standard, 13.2.3.2).
    return "utf-8" if codec in ("utf-16-le", "utf-16-be") else codec


def _detected(document: bytes) -> str | None:
    if document.isascii():
        return None
    label = cchardet.detect(document[:_DETECTED_FROM_BYTES])["encoding"]
    return _codec_named(label) if label else None


def _codec_named(label: str) -> str | None:
    encoding = webencodings.lookup(label)
    if encoding is None or encoding.name == "replacement":
        return None
    name = encoding.codec_info.name
    return name if name != "x-user-defined" else "latin-1"


def _extends_ascii(codec: str) -> bool:
    return not codec.startswith("utf-16") and codec != "iso2022_jp"
