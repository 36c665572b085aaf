"""The small measurements behind choices that the code makes: our way beside the library's, on the same pages."""

import io
import tempfile
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import median
from time import process_time

from fastwarc.warc import ArchiveIterator, WarcRecordType
from isal import isal_zlib
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from sessions.storage.stored_head import stored_head
from sessions.storage.warc import Exchange
from sessions.storage.warc_file import WarcFile

PAGES = 300
_REPEATS = 5
_GZIP = 31

Page = tuple[str, bytes]


def measure_choices(web: Path) -> list[dict[str, str | float]]:
    """Milliseconds of CPU per page for each way, over pages of ``web`` with gzip-encoded bodies."""
    pages = _pages(web)
    ways: list[tuple[str, str, Callable[[list[Page]], None]]] = [
        ("take gzip off", "isal", lambda pages: [isal_zlib.decompress(body, _GZIP) for _, body in pages] and None),
        ("take gzip off", "zlib", lambda pages: [zlib.decompress(body, _GZIP) for _, body in pages] and None),
        ("write a WARC response", "sessions.storage.warc (stored member)", _write_stored),
        ("write a WARC response", "warcio (gzip member)", _write_warcio),
    ]
    return [{"what": what, "way": way, "ms": _milliseconds(work, pages)} for what, way, work in ways]


def _milliseconds(work: Callable[[list[Page]], None], pages: list[Page]) -> float:
    times = []
    for _ in range(_REPEATS):
        began = process_time()
        work(pages)
        times.append(1000 * (process_time() - began) / len(pages))
    return median(times)


def _pages(web: Path) -> list[Page]:
    with web.open("rb") as stream:
        records = ArchiveIterator(stream, record_types=WarcRecordType.response)
        encoded = (record for record in records if record.http_headers.get("Content-Encoding") == "gzip")
        return [(record.headers["WARC-Target-URI"], record.reader.read()) for record in islice(encoded, PAGES)]


_HEAD = [b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html; charset=utf-8\r\n", b"Content-Encoding: gzip\r\n"]


def _write_stored(pages: list[Page]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = WarcFile(Path(folder) / "x.warc.gz")
        for url, body in pages:
            file.append(Exchange(url, 0.0, stored_head(_HEAD, len(body)), body))
        file.close()


def _write_warcio(pages: list[Page]) -> None:
    with tempfile.TemporaryFile() as stream:
        writer = WARCWriter(stream, gzip=True)
        headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip")]
        for url, body in pages:
            head = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=head))
