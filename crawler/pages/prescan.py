"""Which encoding the first bytes of an HTML document name.

The HTML standard's "prescan a byte stream to determine its encoding" (13.2.3.2), with what it calls upon: "get an
attribute", "extract a character encoding from a meta element" (2.4.3) and "get an XML encoding".  It is no parser: what
stands within a script or a title counts like anything else.
"""

import re

from crawler.pages.web_codecs import encoding_named

PRESCANNED_BYTES = 1024
"""How much of a document is looked at, as the standard suggests."""

# The name of an attribute begins with any byte, even "=".  Everything is possessive: what is cut off, be it within
# a tag, a quoted value or a comment, matches nothing, and ends the prescan.
_ATTRIBUTE = rb"""
    [\t\n\f\r\ /]*+ ([^\t\n\f\r\ />][^\t\n\f\r\ />=]*+)
    (?: [\t\n\f\r\ ]*+ = [\t\n\f\r\ ]*+ (?: "([^"]*+)" | '([^']*+)' | (?!["']) ([^\t\n\f\r\ >]*+) )
      | (?! [\t\n\f\r\ ]*+ = ) )
"""
_ATTRIBUTES = rb"(?:" + re.sub(rb"\((?!\?)", rb"(?:", _ATTRIBUTE) + rb")*+"
_META = re.compile(
    rb"""
    (?: [^<]++
      | <! (?=--) (?s:.*?) -->
      | < (?!meta[\t\n\f\r\ /]) /?+ [a-z] [^\t\n\f\r\ >]*+ """
    + _ATTRIBUTES
    + rb""" [\t\n\f\r\ /]*+ >
      | < (?: ! (?!--) | \? | / (?![a-z]) ) [^>]*+ >
      | < (?! [a-z!?/] )
    )*+
    <meta (?=[\t\n\f\r\ /]) ("""
    + _ATTRIBUTES
    + rb""") [\t\n\f\r\ /]*+ >""",
    re.VERBOSE,
)
_EACH_ATTRIBUTE = re.compile(_ATTRIBUTE, re.VERBOSE)
_CHARSET_IN_CONTENT = re.compile(rb"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+")
_CONTENT_VALUE = re.compile(rb""""([^"]*+)"|'([^']*+)'|(?!["'])([^\t\n\f\r ;]++)""")
_XML_LABEL = re.compile(rb"""[\0- ]*+=[\0- ]*+(?:"([^"\0- ]*+)"|'([^'\0- ]*+)')""")
_XML = b"<?xml"
_UTF_16_XML = (b"<\0?\0x\0", b"\0<\0?\0x")


def prescanned(document: bytes) -> str | None:
    """The encoding that an HTML document's first bytes name; None if they name none."""
    if document.startswith(_UTF_16_XML):
        return xml_encoding(document)
    # Names, values and labels are all compared without case.
    start = document[:PRESCANNED_BYTES].lower()
    return (_from_metas(start) if b"charset" in start else None) or xml_encoding(document)


def xml_encoding(document: bytes) -> str | None:
    """The encoding that an XML declaration at a document's very start names, or is in; None if there is none."""
    if document.startswith(_UTF_16_XML):
        return "utf-16le" if document[0] else "utf-16be"
    if not document.startswith(_XML):
        return None
    declaration, end, _ = document[:PRESCANNED_BYTES].partition(b">")
    match = _XML_LABEL.match(declaration.partition(b"encoding")[2]) if end else None
    if match is None:
        return None
    return _readable_as_ascii(encoding_named((match[1] or match[2] or b"").decode("latin-1")))


def _from_metas(start: bytes) -> str | None:
    at = 0
    while match := _META.match(start, at):
        if encoding := _from_attributes(match[1]):
            return "windows-1252" if encoding == "x-user-defined" else encoding
        at = match.end()
    return None


def _from_attributes(attributes: bytes) -> str | None:
    """The encoding that a meta element names, whose attributes these are."""
    seen: dict[bytes, bytes] = {}
    for name, *values in _EACH_ATTRIBUTE.findall(attributes):
        seen.setdefault(name, b"".join(values))
    if (label := seen.get(b"charset")) is not None:
        found = encoding_named(label.decode("latin-1"))
    elif seen.get(b"http-equiv") == b"content-type" and (content := seen.get(b"content")) is not None:
        found = _in_content(content)
    else:
        return None
    return _readable_as_ascii(found)


def _in_content(content: bytes) -> str | None:
    charset = _CHARSET_IN_CONTENT.search(content)
    value = _CONTENT_VALUE.match(content, charset.end()) if charset else None
    return encoding_named((value[1] or value[2] or value[3] or b"").decode("latin-1")) if value else None


def _readable_as_ascii(encoding: str | None) -> str | None:
    """What could be read as ASCII does not stand in UTF-16."""
    return "utf-8" if encoding in ("utf-16le", "utf-16be") else encoding
