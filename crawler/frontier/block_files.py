"""Blocks of bytes on disk that are taken back in any order, each once."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.drum.disk_files import make_folder, remove, write_at
from crawler.frontier.url_files import FileTraffic
from sessions.session import SessionError

_FILE_BYTES = 16 << 20
_LEAST = 64


class BlockFiles:
    """Files ``folder/name-000000.blocks`` and so on, each removed once all its blocks were taken.

    A block is known by a number below 2^31, which is free again once it was taken.  Beside what is on disk it takes 16
    bytes a block.
    """

    def __init__(self, folder: Path, name: str, *, file_bytes: int = _FILE_BYTES) -> None:
        self._folder = folder
        self._name = name
        self._file_bytes = file_bytes
        self._files_made = 0
        self._length = file_bytes
        self._blocks_of: dict[int, int] = {}
        self._free: list[int] = []
        self._file: npt.NDArray[np.int32] = np.zeros(_LEAST, np.int32)
        self._at: npt.NDArray[np.int64] = np.zeros(_LEAST, np.int64)
        self._bytes: npt.NDArray[np.int32] = np.zeros(_LEAST, np.int32)
        self._made = 0
        self.traffic = FileTraffic()

    def __len__(self) -> int:
        """How many blocks there are."""
        return self._made - len(self._free)

    def append(self, blocks: Sequence[bytes]) -> list[int]:
        """Write blocks one after the other, into one file, and return their numbers."""
        if self._length >= self._file_bytes:
            make_folder(self._folder)
            self._files_made += 1
            self._length = 0
        begin, numbers = self._length, []
        for block in blocks:
            number = self._number()
            self._file[number], self._at[number], self._bytes[number] = self._files_made, self._length, len(block)
            self._length += len(block)
            numbers.append(number)
        write_at(self._path(self._files_made), begin, b"".join(blocks))
        self._blocks_of[self._files_made] = self._blocks_of.get(self._files_made, 0) + len(blocks)
        self.traffic = self.traffic.plus(FileTraffic(written=self._length - begin))
        return numbers

    def take(self, number: int) -> bytes:
        """Remove and return a block.  Raises SessionError, which names the file, if it is cut off or gone."""
        file, at, length = int(self._file[number]), int(self._at[number]), int(self._bytes[number])
        path = self._path(file)
        try:
            with path.open("rb") as stream:
                stream.seek(at)
                block = stream.read(length)
        except OSError as error:
            raise SessionError(f"{path}, URLs that wait, cannot be read: {error}") from error
        if len(block) < length:
            raise SessionError(f"{path}, URLs that wait, is cut off")
        self.traffic = self.traffic.plus(FileTraffic(read=length))
        self._free.append(number)
        self._blocks_of[file] -= 1
        if not self._blocks_of[file] and (file != self._files_made or self._length >= self._file_bytes):
            del self._blocks_of[file]
            remove(path)
        return block

    def _number(self) -> int:
        if self._free:
            return self._free.pop()
        if self._made == len(self._file):
            self._file, self._at, self._bytes = (
                np.concatenate([column, np.zeros_like(column)]) for column in (self._file, self._at, self._bytes)
            )
        self._made += 1
        return self._made - 1

    def _path(self, file: int) -> Path:
        return self._folder / f"{self._name}-{file:06d}.blocks"
