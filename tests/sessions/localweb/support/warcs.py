"""WARC records as other tools might write them."""


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A response record's block."""
    return "\r\n".join((f"HTTP/1.1 {status}", *headers, "", "")).encode("latin-1") + body


def record_bytes(kind: str, url: str, block: bytes, *extra: str, version: str = "1.0") -> bytes:
    """A WARC record with hardly any headers."""
    lines = (
        f"WARC/{version}",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        *extra,
        f"Content-Length: {len(block)}",
    )
    return "\r\n".join((*lines, "", "")).encode() + block + b"\r\n\r\n"
