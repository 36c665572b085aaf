"""What is on disk after a kill or a power cut at any operation of a journal.

A model of a file system, after "All File Systems Are Not Created Equal" (Pillai et al., OSDI 2014): of a file what was
written since its last fsync may be lost, and of a folder the names that were made, changed or removed since its own.
"""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from scripts.crash.journal import Operation

LIVE = "kill"
BARE, NAMES, DATA, CHANCE = "all unsynced lost", "unsynced data lost", "unsynced names lost", "some of it lost"
POWER_CUTS = (BARE, NAMES, DATA, CHANCE)
"""What a power cut may leave of what no fsync was for: nothing, the names without the data, the data without the names
(of files that are named otherwise), any part of it."""


class _File:
    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.durable = bytes(data)


class _Folder:
    def __init__(self) -> None:
        self.entries: dict[str, _File | _Folder] = {}
        self.durable: dict[str, _File | _Folder] = {}
        self.pending: list[tuple[tuple[str, _File | _Folder | None], ...]] = []

    def change(self, *names: tuple[str, "_File | _Folder | None"]) -> None:
        """Give names to nodes, or take them away (None), all of them at once."""
        self.pending.append(names)
        _apply(self.entries, names)


def _apply(entries: dict[str, _File | _Folder], names: tuple[tuple[str, _File | _Folder | None], ...]) -> None:
    for name, node in names:
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node


class Disk:
    """The files below a folder, as they are there now, all of them safely on disk."""

    def __init__(self, folder: Path) -> None:
        self._root = _loaded(folder)

    def do(self, operation: Operation) -> None:
        """Do what a journal says was done."""
        above, name = self._place(operation.path) if operation.kind != "mark" else (self._root, "")
        match operation.kind:
            case "create":
                there = above.entries.get(name)
                if isinstance(there, _File):
                    there.data.clear()
                else:
                    above.change((name, _File()))
            case "write":
                data = self._file(operation.path).data
                data.extend(bytes(max(0, operation.number - len(data))))
                data[operation.number : operation.number + len(operation.data)] = operation.data
            case "truncate":
                data = self._file(operation.path).data
                data.extend(bytes(max(0, operation.number - len(data))))
                del data[operation.number :]
            case "fsync":
                if operation.path != "." and name not in above.entries:  # made by a C library, which no journal sees
                    above.change((name, _File()))
                self._sync(self._node(operation.path))
            case "link" | "rename":
                node, (below, other) = above.entries[name], self._place(operation.target)
                if operation.kind == "link":
                    below.change((other, node))
                elif below is above:
                    above.change((name, None), (other, node))
                else:
                    below.change((other, node))
                    above.change((name, None))
            case "unlink" | "rmdir":
                above.change((name, None))
            case "mkdir":
                above.change((name, _Folder()))

    def leave(self, folder: Path, what: str = LIVE, rng: random.Random | None = None) -> None:
        """Make ``folder``, which is removed first, what a kill leaves, or one of `POWER_CUTS`."""
        shutil.rmtree(folder, ignore_errors=True)
        chance = rng or random.Random(0)
        _write(self._root, folder, _ways_of_names(what, chance), _ways_of_data(what, chance), {})

    def differences(self, folder: Path) -> list[str]:
        """The files that a folder has otherwise than this disk: what was done to them is in no journal."""
        there, here = _flat(_loaded(folder)), _flat(self._root)
        return sorted(name for name in {*there, *here} if there.get(name) != here.get(name))

    def _sync(self, node: _File | _Folder) -> None:
        if isinstance(node, _File):
            node.durable = bytes(node.data)
        else:
            node.durable = dict(node.entries)
            node.pending.clear()

    def _node(self, path: str) -> _File | _Folder:
        if path == ".":
            return self._root
        above, name = self._place(path)
        return above.entries[name]

    def _file(self, path: str) -> _File:
        node = self._node(path)
        assert isinstance(node, _File)
        return node

    def _place(self, path: str) -> tuple[_Folder, str]:
        *above, name = path.split("/")
        folder = self._root
        for part in above:
            below = folder.entries[part]
            assert isinstance(below, _Folder)
            folder = below
        return folder, name


def _loaded(folder: Path) -> _Folder:
    node = _Folder()
    for path in sorted(folder.iterdir()):
        node.entries[path.name] = _loaded(path) if path.is_dir() else _File(path.read_bytes())
    node.durable = dict(node.entries)
    return node


def _flat(folder: _Folder, above: str = "") -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for name, node in folder.entries.items():
        if isinstance(node, _File):
            found[above + name] = bytes(node.data)
        else:
            found |= {above + name: None, **_flat(node, f"{above}{name}/")}
    return found


_Names = Callable[[_Folder], dict[str, _File | _Folder]]
_Data = Callable[[_File], bytes]


def _ways_of_names(what: str, rng: random.Random) -> _Names:
    def some(folder: _Folder) -> dict[str, _File | _Folder]:
        entries = dict(folder.durable)
        for names in folder.pending:
            if rng.random() < 0.5:
                _apply(entries, names)
        return entries

    if what == CHANCE:
        return some
    return (lambda folder: folder.entries) if what in (LIVE, NAMES) else (lambda folder: folder.durable)


def _ways_of_data(what: str, rng: random.Random) -> _Data:
    def some(file: _File) -> bytes:
        whole, kept = bytes(file.data), file.durable
        if whole == kept or not whole.startswith(kept):
            return rng.choice((whole, kept))
        length = rng.randint(len(kept), len(whole))
        return rng.choice((whole, kept, whole[:length], whole[:length] + bytes(len(whole) - length)))

    if what == CHANCE:
        return some
    return (lambda file: bytes(file.data)) if what in (LIVE, DATA) else (lambda file: file.durable)


def _write(folder: _Folder, path: Path, names: _Names, data: _Data, written: dict[_File, Path]) -> None:
    path.mkdir()
    for name, node in names(folder).items():
        if isinstance(node, _Folder):
            _write(node, path / name, names, data, written)
        elif node in written:
            os.link(written[node], path / name)
        else:
            written[node] = path / name
            (path / name).write_bytes(data(node))
