"""What a commit of a DRUM says, as JSON: its phase, its numbers, its files with lengths and checksums."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from crawler.drum.chunk_file import End
from sessions.session import SessionError


class Record(NamedTuple):
    """``files`` by name; ``number`` and ``keys`` are of the log in the memory phase, else of the sorted file.

    ``batch`` is the number of the buckets' batch, ``pending`` how many records each bucket has; 0 and none in the
    memory phase.
    """

    kind: str
    is_in_memory: bool
    number: int
    keys: int
    batch: int
    pending: list[int]
    files: dict[str, End]

    def as_json(self) -> dict[str, Any]:
        """The record as JSON has it."""
        files = {name: [end.length, f"{end.checksum:016x}"] for name, end in sorted(self.files.items())}
        phase = "memory" if self.is_in_memory else "disk"
        numbers = {"number": self.number, "keys": self.keys, "batch": self.batch}
        return {"kind": self.kind, "phase": phase, **numbers, "pending": self.pending, "files": files}


def read_record(record: Mapping[str, Any], name: str, kind: str) -> Record:
    """The record that `Record.as_json` gave.  Raises SessionError if it is none, or of a DRUM of another kind."""
    try:
        files = {file: End(int(length), int(checksum, 16)) for file, (length, checksum) in record["files"].items()}
        numbers = (int(record["number"]), int(record["keys"]), int(record["batch"]))
        read = Record(record["kind"], record["phase"] == "memory", *numbers, list(record["pending"]), files)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SessionError(f"the record of {name} cannot be read ({type(error).__name__}: {error})") from error
    if read.kind != kind:
        raise SessionError(f"the record of {name} is of {read.kind}, but {kind} is asked for; was it another version?")
    return read
