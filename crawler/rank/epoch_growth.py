"""By how much an epoch makes a session grow on disk."""

from sessions.records import RankFiles


class EpochGrowth:
    """Tells what each epoch of a rank brings to disk; WARC files, which go on from one to the next, count by growth."""

    def __init__(self) -> None:
        self._lengths: dict[str, int] = {}

    def of(self, files: RankFiles) -> int:
        """Return the bytes that an epoch has added; ``files`` is what it says of itself."""
        tables = sum(file["bytes"] for file in files["tables"].values())
        grown = {file["file"]: file["bytes"] for file in files["warc"]}
        bodies = sum(length - self._lengths.get(name, 0) for name, length in grown.items())
        self._lengths = grown or self._lengths  # files of earlier epochs have been left for good
        return tables + bodies
