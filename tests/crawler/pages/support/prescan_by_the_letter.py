"""The HTML standard's prescan, step by step as it stands there: slow, and plain enough to be checked by eye.

What `crawler.pages.prescan` does with a few regular expressions has to come to the same.
"""

from crawler.pages.web_codecs import encoding_named

SPACES = b"\t\n\f\r "


class OutOfBytes(Exception):  # noqa: N818
    """The position pointer went beyond the end of the bytes."""


class Stream:
    """Bytes with a position."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0

    def byte(self) -> bytes:
        """The byte at the position."""
        if self.position >= len(self.content):
            raise OutOfBytes
        return self.content[self.position : self.position + 1]

    def points_to(self, sequence: bytes) -> bool:
        """Whether the sequence begins at the position, whatever the case of its letters."""
        return self.content[self.position : self.position + len(sequence)].lower() == sequence

    def at(self, offset: int) -> bytes:
        """The byte that far from the position; empty beyond the end."""
        return self.content[self.position + offset : self.position + offset + 1]


def prescan_by_the_letter(content: bytes) -> str | None:
    """Prescan a byte stream to determine its encoding."""
    content = content[:1024]
    if content.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if content.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    stream = Stream(content)
    try:
        while True:
            if found := at_position(stream):
                return found
            stream.position += 1
    except OutOfBytes:
        return xml_encoding_by_the_letter(content)


def at_position(stream: Stream) -> str | None:
    """One turn of the loop."""
    stream.byte()
    if stream.points_to(b"<!--"):
        end = stream.content.find(b"-->", stream.position + 2)
        if end < 0:
            raise OutOfBytes
        stream.position = end + 2
    elif stream.points_to(b"<meta") and stream.at(5) and stream.at(5) in SPACES + b"/":
        stream.position += 5
        return in_meta(stream)
    elif stream.byte() == b"<" and (stream.at(1).isalpha() or (stream.at(1) == b"/" and stream.at(2).isalpha())):
        while stream.byte() not in SPACES + b">":
            stream.position += 1
        while get_an_attribute(stream) is not None:
            pass
    elif stream.points_to(b"<!") or stream.points_to(b"</") or stream.points_to(b"<?"):
        while stream.byte() != b">":
            stream.position += 1
    return None


def in_meta(stream: Stream) -> str | None:
    """The steps for a meta element, from its attributes on."""
    names: list[bytes] = []
    got_pragma, need_pragma = False, None
    charset: str | None = None  # "failure" where it is that
    while (attribute := get_an_attribute(stream)) is not None:
        name, value = attribute
        if name in names:
            continue
        names.append(name)
        if name == b"http-equiv":
            got_pragma = got_pragma or value == b"content-type"
        elif name == b"content":
            found = extract_by_the_letter(value.decode("latin-1"))
            if found and charset is None:
                charset, need_pragma = found, True
        elif name == b"charset":
            charset, need_pragma = encoding_named(value.decode("latin-1")) or "failure", False
    if need_pragma is None or (need_pragma and not got_pragma) or charset == "failure":
        return None
    if charset in ("utf-16le", "utf-16be"):
        charset = "utf-8"
    return "windows-1252" if charset == "x-user-defined" else charset


def get_an_attribute(stream: Stream) -> tuple[bytes, bytes] | None:
    """Get an attribute: its name and value, None if there is no more."""
    while stream.byte() in SPACES + b"/":
        stream.position += 1
    if stream.byte() == b">":
        return None
    name = value = b""
    while True:
        byte = stream.byte()
        if byte == b"=" and name:
            stream.position += 1
            break
        if byte in SPACES:
            while stream.byte() in SPACES:
                stream.position += 1
            if stream.byte() != b"=":
                return name, b""
            stream.position += 1
            break
        if byte in b"/>":
            return name, b""
        name += byte.lower()
        stream.position += 1
    while stream.byte() in SPACES:
        stream.position += 1
    if stream.byte() in b"\"'":
        quote = stream.byte()
        while True:
            stream.position += 1
            if stream.byte() == quote:
                stream.position += 1
                return name, value
            value += stream.byte().lower()
    if stream.byte() == b">":
        return name, b""
    value += stream.byte().lower()
    stream.position += 1
    while stream.byte() not in SPACES + b">":
        value += stream.byte().lower()
        stream.position += 1
    return name, value


def extract_by_the_letter(content: str) -> str | None:
    """Extract a character encoding from a meta element."""
    position = 0
    spaces = "\t\n\f\r "
    while True:
        found = content.lower().find("charset", position)
        if found < 0:
            return None
        position = found + 7
        while content[position : position + 1] and content[position] in spaces:
            position += 1
        if content[position : position + 1] == "=":
            break
    position += 1
    while content[position : position + 1] and content[position] in spaces:
        position += 1
    rest = content[position:]
    if not rest:
        return None
    if rest[0] in "\"'":
        label, quote, _ = rest[1:].partition(rest[0])
        return encoding_named(label) if quote else None
    end = next((index for index, letter in enumerate(rest) if letter in spaces + ";"), len(rest))
    return encoding_named(rest[:end])


def xml_encoding_by_the_letter(content: bytes) -> str | None:
    """Get an XML encoding; its position does not go beyond the declaration, as in browsers."""
    if not content.startswith(b"<?xml"):
        return None
    end = content.find(b">")
    if end < 0:
        return None
    content = content[:end]
    position = content.find(b"encoding")
    if position < 0:
        return None
    position += 8
    while content[position : position + 1] and content[position] <= 0x20:
        position += 1
    if content[position : position + 1] != b"=":
        return None
    position += 1
    while content[position : position + 1] and content[position] <= 0x20:
        position += 1
    quote = content[position : position + 1]
    if quote not in (b'"', b"'"):
        return None
    end = content.find(quote, position + 1)
    if end < 0:
        return None
    label = content[position + 1 : end]
    if any(byte <= 0x20 for byte in label):
        return None
    encoding = encoding_named(label.decode("latin-1"))
    return "utf-8" if encoding in ("utf-16le", "utf-16be") else encoding
