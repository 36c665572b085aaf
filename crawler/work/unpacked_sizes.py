"""What the files of a result unpack to, measured without unpacking it: nobody fills our memory or disk with zeros.

A WARC file is decompressed a chunk at a time, and counted: each gzip member must have one record, of the length that
the record itself tells, and no record may be larger than a page can be.  Of a table, a row group is read as
dictionaries and indices, which take the room that they take in the file, however often a long string stands in it; what
they would come to is added up.  What our own writer never makes, other columns or longer row groups, is not read.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from isal import isal_zlib
from isal.igzip_lib import IsalError

from crawler.config.crawl_options import CrawlOptions
from crawler.work.refusals import Refusal
from crawler.work.unit import Unit
from sessions.schema import TABLES
from sessions.storage.tables import ROWS_PER_GROUP

_MIB = 1 << 20
_DEFAULTS = CrawlOptions()
_BESIDE_BODY = _MIB
_BESIDE_BODIES = 64 * _MIB
_MOST_GROUP_BYTES = 1 << 30
_MOST_JSON_BYTES = 4 * _MIB
_CHUNK = _MIB
_GZIP_FORMAT = 31
_MOST_HEAD_BYTES = 64 << 10
_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,18})[ \t]*\r$", re.IGNORECASE | re.MULTILINE)
_SITEMAPS = "sitemaps.list.element"


def most_result_bytes(unit: Unit) -> int:
    """Return how many bytes a result of a unit may have, packed or unpacked.

    That is for each URL its body and 1 MiB for all else, and 64 MiB.
    """
    return len(unit.urls) * _most_record_bytes(unit) + _BESIDE_BODIES


def _most_record_bytes(unit: Unit) -> int:
    """A body and its headers, or a robots.txt."""
    return round(unit.options.get("max_body", _DEFAULTS.max_body) * _MIB) + _BESIDE_BODY


def check_unpacked(folder: Path, unit: Unit) -> None:
    """Raise Refusal if what lies in a folder, a session of one rank, unpacks to more than a result of a unit can."""
    for path in sorted(folder.rglob("*.json")):
        if path.stat().st_size > _MOST_JSON_BYTES:
            raise Refusal("bomb", f"{path.name} has {path.stat().st_size:,} bytes")
    most = most_result_bytes(unit)
    for path in sorted(folder.glob("rank-*/*.warc.gz")):
        _check_warc(path, most, _most_record_bytes(unit))
    links = int(unit.options.get("max_links", _DEFAULTS.max_links))
    for path in sorted(folder.glob("rank-*/*.parquet")):
        _check_table(path, (len(unit.urls) + 8) * (links + 2))


def _check_warc(path: Path, most: int, most_of_record: int) -> None:
    unpacked, left, member = 0, b"", _WarcMember()
    stream = isal_zlib.decompressobj(_GZIP_FORMAT)
    with path.open("rb") as file:
        while left or (left := file.read(_CHUNK)):
            try:
                chunk = stream.decompress(left, _CHUNK)
            except IsalError as error:  # type: ignore[misc]  # its stub is no class
                raise Refusal("warc", f"{path.name} is no gzip file, or damaged") from error
            unpacked += len(chunk)
            member.take(chunk)
            if unpacked > most or member.bytes > most_of_record:
                told = f"more than {most:,} bytes, or has a record of more than {most_of_record:,}"
                raise Refusal("bomb", f"{path.name} unpacks to {told}")
            left = stream.unused_data if stream.eof else stream.unconsumed_tail
            if stream.eof:
                if not member.is_one_record:
                    raise Refusal("warc", f"{path.name} has a gzip member that is not one record")
                stream, member = isal_zlib.decompressobj(_GZIP_FORMAT), _WarcMember()
    if member.bytes:
        raise Refusal("warc", f"{path.name} breaks off in a record")


class _WarcMember:
    """What is known of a gzip member of a WARC file, of which so many ``bytes`` were unpacked."""

    def __init__(self) -> None:
        self.bytes = 0
        self._head = b""

    def take(self, chunk: bytes) -> None:
        self.bytes += len(chunk)
        if len(self._head) < _MOST_HEAD_BYTES:
            self._head += chunk[: _MOST_HEAD_BYTES - len(self._head)]

    @property
    def is_one_record(self) -> bool:
        """Is the member as long as the one record is that begins it (WARC 1.1, section 4)?"""
        end = self._head.find(_HEAD_END)
        lengths = _LENGTH.findall(self._head[: end + 2])
        return end >= 0 and len(lengths) == 1 and self.bytes == end + 2 * len(_HEAD_END) + int(lengths[0])


def _check_table(path: Path, most_rows: int) -> None:
    name = path.name.partition("-")[0]
    try:
        with pq.ParquetFile(path) as table:
            if not table.schema_arrow.equals(TABLES[name]):
                raise Refusal("session", f"{path.name} has other columns than {name} has")
            if table.metadata.num_rows > most_rows:
                raise Refusal("bomb", f"{path.name} has {table.metadata.num_rows:,} rows; {most_rows:,} may be")
            _check_groups(path, table.metadata)
        with pq.ParquetFile(path, read_dictionary=list(_strings(TABLES[name]))) as table:
            for number in range(table.metadata.num_row_groups):
                _check_strings(path, table.read_row_group(number))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Refusal(
            "session", f"{path.name} is not readable as Parquet ({str(error).partition(chr(10))[0]})"
        ) from error


def _check_groups(path: Path, metadata: pq.FileMetaData) -> None:
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(place) for place in range(group.num_columns)]
        values = max(column.num_values for column in columns)
        if group.num_rows > ROWS_PER_GROUP or values > 16 * ROWS_PER_GROUP:
            raise Refusal("bomb", f"{path.name}: row group {number} has {values:,} values")
        if sum(column.total_uncompressed_size for column in columns) > _MOST_GROUP_BYTES:
            raise Refusal("bomb", f"{path.name}: row group {number} unpacks to more than {_MOST_GROUP_BYTES:,} bytes")


def _strings(schema: pa.Schema) -> Iterator[str]:
    """The columns of a table whose values have no fixed width, as Parquet names them."""
    for field in schema:
        if pa.types.is_string(field.type) or pa.types.is_binary(field.type):
            yield field.name
        elif pa.types.is_list(field.type):
            yield _SITEMAPS


def _check_strings(path: Path, group: pa.Table) -> None:
    total = 0
    for column in group.columns:
        for chunk in column.chunks:
            values = chunk.flatten() if pa.types.is_list(chunk.type) else chunk
            if pa.types.is_dictionary(values.type):
                lengths = pc.binary_length(values.dictionary)
                total += pc.sum(lengths.take(values.indices), min_count=0).as_py()
    if total > _MOST_GROUP_BYTES:
        raise Refusal("bomb", f"{path.name}: its strings come to {total:,} bytes")
