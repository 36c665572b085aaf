"""A small web at several times, as WARC files: it grows by a directory that was not there before."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2020, 1, 1, tzinfo=UTC)


def pages_of(count: int) -> list[str]:
    """The pages of a web of this size: on four sites with two directories each; beyond 40 all in a new directory."""
    old = [f"http://site{number % 4}.example/{'ab'[number // 8 % 2]}/{number}" for number in range(min(count, 40))]
    return old + [f"http://site1.example/new/{number}" for number in range(40, count)]


def write_warc(path: Path, count: int, days: float = 0) -> Path:
    """A WARC file of a web of this size, fetched so many days after 2020 began."""
    urls = pages_of(count)
    when = (BEGIN + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    records = []
    for place, url in enumerate(urls):
        targets = [urls[(place + step) % count] for step in (1, 4, 8)]
        links = "".join(f'<a href="{target}">x</a>' for target in targets)
        links += f'<a href="http://site{place % 6}.example/a/seen{place % 7}">x</a>'
        body = f"<html><body>{links}{'.' * (place % 3 * 10)}</body></html>".encode()
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        fields = [
            "WARC/1.0",
            "WARC-Type: response",
            f"WARC-Target-URI: {url}",
            f"WARC-Date: {when}",
            f"Content-Length: {len(block)}",
        ]
        records.append("\r\n".join((*fields, "", "")).encode() + block + b"\r\n\r\n")
    path.write_bytes(b"".join(records))
    return path
