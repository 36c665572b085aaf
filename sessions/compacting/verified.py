"""Reading files only as they were committed: what is damaged must not be copied under a new checksum."""

from collections.abc import Iterator
from pathlib import Path

from xxhash import xxh3_64

from sessions.session import SessionError

CHUNK_BYTES = 1 << 20


def committed_bytes(path: Path, length: int, xxh3: str) -> Iterator[bytes]:
    """Yield the first ``length`` bytes of a file in pieces; raises SessionError at the end if they are not these."""
    digest, left = xxh3_64(), length
    with open(path, "rb") as file:
        while left and (data := file.read(min(left, CHUNK_BYTES))):
            left -= len(data)
            digest.update(data)
            yield data
    if left or digest.hexdigest() != xxh3:
        raise SessionError(
            f"{path}: is not as it was committed, so the session is damaged and nothing is merged; see it with: "
            f"cutweb check {path.parent.parent}"
        )


def check_unchanged(path: Path, length: int, xxh3: str) -> None:
    """Raise SessionError unless the first ``length`` bytes of a file have this xxh3."""
    for _ in committed_bytes(path, length, xxh3):
        pass
