"""The records of a WARC file as the gzip members that they are: copied as they stand, or with other header fields."""

from collections.abc import Iterator, Mapping
from hashlib import sha1
from pathlib import Path
from typing import BinaryIO, NamedTuple

from isal import isal_zlib
from isal.igzip_lib import IsalError

from sessions.storage.gzip_members import compressed_member, stored_member
from sessions.storage.warc_digest import sha1_label

_GZIP_FORMAT = 31
_READ_BYTES = 1 << 16
_END_OF_HEAD = b"\r\n\r\n"


class WarcMember(NamedTuple):
    """A record: where its member begins, the member itself, its header lines, and its block."""

    offset: int
    raw: bytes
    lines: tuple[bytes, ...]
    block: bytes

    def field(self, name: str) -> str:
        """The value of a header field; empty if there is none."""
        wanted = name.lower().encode()
        values = (line.partition(b":")[2].strip() for line in self.lines if line.partition(b":")[0].lower() == wanted)
        return next(values, b"").decode("utf-8", "replace")

    def with_fields(self, fields: Mapping[str, str | None], block: bytes | None = None) -> bytes:
        """The member of the same record with other header fields, None for none, and with another block if given."""
        block = self.block if block is None else block
        changed = {name.lower().encode(): value for name, value in fields.items()} | {
            b"warc-block-digest": sha1_label(sha1(block).digest()).decode(),
            b"content-length": str(len(block)),
        }
        lines = []
        for line in self.lines:
            name = line.partition(b":")[0]
            value = changed.get(name.lower(), line.partition(b":")[2].strip().decode("utf-8", "surrogateescape"))
            if b":" not in line:
                lines.append(line)
            elif value is not None:
                lines.append(b"%s: %s" % (name, value.encode("utf-8", "surrogateescape")))
        record = b"\r\n".join(lines) + _END_OF_HEAD + block + b"\r\n\r\n"
        is_compressed = b"\ncontent-encoding:" in block.partition(_END_OF_HEAD)[0].lower()
        return stored_member(record) if is_compressed else compressed_member(record)


def warc_members(path: Path, length: int) -> Iterator[WarcMember]:
    """Yield the records in the first ``length`` bytes of a file.  Raises ValueError if one is damaged."""
    with open(path, "rb") as file:
        offset = 0
        while offset < length:
            member = _member_at(file, path, offset, length)
            yield member
            offset += len(member.raw)


def member_at(path: Path, offset: int) -> WarcMember:
    """The record at an offset of a file.  Raises ValueError if it is damaged."""
    with open(path, "rb") as file:
        return _member_at(file, path, offset, path.stat().st_size)


def _member_at(file: BinaryIO, path: Path, offset: int, limit: int) -> WarcMember:
    stream, data, raw = isal_zlib.decompressobj(_GZIP_FORMAT), [], []
    file.seek(offset)
    left = limit - offset
    while not stream.eof:
        chunk = file.read(min(_READ_BYTES, left))
        left -= len(chunk)
        try:
            data.append(stream.decompress(chunk))
        except IsalError as error:  # type: ignore[misc]  # its stub is no class
            raise ValueError(f"{path}: no readable record at offset {offset}") from error
        if not chunk:
            raise ValueError(f"{path}: the record at offset {offset} breaks off")
        raw.append(chunk[: len(chunk) - len(stream.unused_data)])
    head, end, rest = b"".join(data).partition(_END_OF_HEAD)
    lines = tuple(head.split(b"\r\n"))
    member = WarcMember(offset, b"".join(raw), lines, b"")
    size = member.field("Content-Length")
    if not (end and size.isdigit() and len(rest) >= int(size)):
        raise ValueError(f"{path}: no readable record at offset {offset}")
    return member._replace(block=rest[: int(size)])
