"""A response's header block as a WARC record has it: describing the body that is stored, not the one that was sent."""

_OF_THE_BODY = frozenset((b"transfer-encoding", b"content-length"))
_MAY_BEGIN_THEIRS = frozenset((b"", *(bytes([octet]) for octet in b"TtCc \t\r\n\v\f")))
"""With what a line begins that may be one of these, or blank."""


def stored_head(lines: list[bytes], body_bytes: int) -> bytes:
    """A response's header block as it describes the stored body.

    ``lines`` are the header lines as received, status line first, each with its line end.  An HTTP/2 status line
    becomes HTTP/1.1.  The transfer encoding has been taken off, so its header is renamed; there is one Content-Length,
    that of what is stored, so that a reader finds the body where the header says: others are renamed, too.
    """
    kept, length = [_http1_status_line(lines[0])], b""
    for line in lines[1:]:
        if line[:1] not in _MAY_BEGIN_THEIRS:
            kept.append(line.rstrip(b"\r\n") + b"\r\n")
            continue
        name, _, value = line.partition(b":")
        name = name.strip().lower()
        if name in _OF_THE_BODY:
            if name == b"content-length" and not length and value.strip() == b"%d" % body_bytes:
                length = line.partition(b":")[0].strip() + b": %d\r\n" % body_bytes
                kept.append(length)
            else:
                kept.append(b"X-Crawler-" + line.strip() + b"\r\n")
        elif line.strip():
            kept.append(line.rstrip(b"\r\n") + b"\r\n")
    kept.append(b"\r\n" if length else b"Content-Length: %d\r\n\r\n" % body_bytes)
    return b"".join(kept)


def protocol_of(lines: list[bytes]) -> str:
    """WARC-Protocol for a response that did not come over HTTP/1: h2 or h3; empty for one that did."""
    return {b"HTTP/2": "h2", b"HTTP/3": "h3"}.get(lines[0].partition(b" ")[0][:6], "")


def _http1_status_line(line: bytes) -> bytes:
    version, _, rest = line.strip().partition(b" ")
    if version.startswith(b"HTTP/1."):
        return line.strip() + b"\r\n"
    return b"HTTP/1.1 " + rest + b"\r\n"
