"""The buckets: records that wait for the next merge, by the leading bits of their keys, each in two files.

The files of a bucket are one of fixed-width records and one of aux, in the same order, each behind a buffer (Lee,
Leonard, Wang and Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 4.2 and figure 2).
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from crawler.drum.aux_file import encoded
from crawler.drum.chunk_file import ChunkWriter, Meter, read_chunks
from crawler.drum.disk_files import OwnFiles
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import Kind
from crawler.drum.put_records import Records, record_type
from crawler.drum.shape import Shape
from sessions.session import SessionError


class Buckets:
    """The buckets of one batch, the ``number``-th.  Writing them out and reading them serves by ``keep_alive``.

    ``counts`` says how many records each has.
    """

    def __init__(
        self,
        own: OwnFiles,
        kind: Kind,
        shape: Shape,
        meter: Meter,
        number: int,
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
    ) -> None:
        self.number = number
        self.counts = np.zeros(shape.buckets, np.int64)
        self._own = own
        self._kind = kind
        self._type = record_type(kind)
        self._shape = shape
        self._meter = meter
        self._keep_alive = keep_alive
        self._files: dict[tuple[int, str], ChunkWriter] = {}
        self._buffers = _Buffers(shape, self._type)

    @property
    def paths(self) -> list[Path]:
        """The files that were begun."""
        return [file.path for file in self._files.values()]

    def add(self, records: Records, strings: list[str]) -> None:
        """Distribute records with their strings, or with no strings at all, to the buckets in order of arrival."""
        ids = (records["key"] >> np.uint64(self._shape.other_bits)).astype(np.uint16)
        order = np.argsort(ids, kind="stable")  # of 16-bit integers it is a radix sort
        records = records.take(order)
        counts = np.bincount(ids, minlength=self._shape.buckets)
        bounds = np.concatenate([[0], np.cumsum(counts)]).tolist()
        ordered = np.array(strings, object).take(order).tolist() if strings else []
        for bucket in np.flatnonzero(counts).tolist():
            start, end = bounds[bucket], bounds[bucket + 1]
            self._add_records(bucket, records[start:end])
            if strings:
                self._add_aux(bucket, encoded(ordered[start:end]))
        self.counts += counts

    def write_out(self) -> None:
        """Write all buffers to the files, and give their memory back."""
        for bucket in self._keep_alive.during(iter(range(self._shape.buckets))):
            self._write_records(bucket)
            self._write_aux(bucket)
        self._buffers = _Buffers(self._shape, self._type)

    def read(self, bucket: int) -> Records:
        """The records of a bucket that was written out.  Raises SessionError if its file is damaged."""
        records = np.empty(int(self.counts[bucket]), self._type)
        room = records.view(np.uint8)
        filled = 0
        for chunk in self._chunks(bucket, "records"):
            room[filled : filled + len(chunk)] = np.frombuffer(chunk, np.uint8)
            filled += len(chunk)
        if filled != len(room):
            path = self._own.path(f"{self.number:06d}.{bucket:04d}.records")
            raise SessionError(f"{path}: {filled} bytes of records, but {len(room)} were written")
        return records

    def read_aux(self, bucket: int) -> Iterator[bytearray]:
        """The aux of a bucket that was written out, as a stream.  Raises SessionError if its file is damaged."""
        return self._chunks(bucket, "aux")

    def _chunks(self, bucket: int, suffix: str) -> Iterator[bytearray]:
        file = self._files.get((bucket, suffix))
        if file is None:
            return iter(())
        chunks = read_chunks(file.path, self._header(bucket, suffix), file.end, self._meter)
        return self._keep_alive.during(chunks)

    def _file(self, bucket: int, suffix: str) -> ChunkWriter:
        file = self._files.get((bucket, suffix))
        if file is None:
            path = self._own.path(f"{self.number:06d}.{bucket:04d}.{suffix}")
            file = self._files[bucket, suffix] = ChunkWriter(path, self._header(bucket, suffix), self._meter)
        return file

    def _header(self, bucket: int, suffix: str) -> bytes:
        return f"{suffix} of batch {self.number}, bucket {bucket} of {self._kind.description()}".encode()

    def _add_records(self, bucket: int, rows: Records) -> None:
        start = 0
        while start < len(rows):
            start += self._buffers.fill(bucket, rows[start:])
            if self._buffers.is_full(bucket):
                self._write_records(bucket)

    def _add_aux(self, bucket: int, text: bytes) -> None:
        self._buffers.texts[bucket].append(text)
        self._buffers.text_bytes[bucket] += len(text)
        if self._buffers.text_bytes[bucket] >= self._shape.buffer:
            self._write_aux(bucket)

    def _write_records(self, bucket: int) -> None:
        rows = self._buffers.take(bucket)
        if len(rows):
            self._append(bucket, "records", rows.tobytes())

    def _write_aux(self, bucket: int) -> None:
        text = b"".join(self._buffers.texts[bucket])
        self._buffers.texts[bucket], self._buffers.text_bytes[bucket] = [], 0
        for start in range(0, len(text), self._shape.buffer):
            self._append(bucket, "aux", text[start : start + self._shape.buffer])

    def _append(self, bucket: int, suffix: str, data: bytes) -> None:
        file = self._file(bucket, suffix)
        self._own.make_folder()
        file.append(data)


class _Buffers:
    """M bytes of records and about M bytes of aux for each bucket; memory is taken as it is filled."""

    def __init__(self, shape: Shape, record: np.dtype[np.void]) -> None:
        self._type = record
        # As bytes: numpy copies structures field by field.
        self._rows = np.empty((shape.buckets, max(1, shape.buffer // record.itemsize), record.itemsize), np.uint8)
        self._filled = [0] * shape.buckets
        self.texts: list[list[bytes]] = [[] for _ in range(shape.buckets)]
        self.text_bytes = [0] * shape.buckets

    def fill(self, bucket: int, rows: Records) -> int:
        """Copy as many rows as fit; how many did."""
        filled = self._filled[bucket]
        buffer = self._rows[bucket, filled : filled + len(rows)]
        buffer[:] = rows[: len(buffer)].view(np.uint8).reshape(-1, self._type.itemsize)
        self._filled[bucket] += len(buffer)
        return len(buffer)

    def is_full(self, bucket: int) -> bool:
        """Whether no more rows fit."""
        return self._filled[bucket] == self._rows.shape[1]

    def take(self, bucket: int) -> Records:
        """The rows of a bucket, good until the next `fill`; the buffer is empty then."""
        rows: Records = self._rows[bucket, : self._filled[bucket]].reshape(-1).view(self._type)
        self._filled[bucket] = 0
        return rows
