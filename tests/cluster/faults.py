"""The faults of docs/cluster.md: what the user reads of each, and the exit code, as patterns for a job's log."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_VARIES = re.compile(r"\b[A-Z]+\b")
"""Words of a line that stand for what varies."""
_ROW = re.compile(r"^\| (?P<name>[^|]+?) \| (?:`(?P<line>[^`]*)`)? ?\| (?P<code>[^|]+?) \|$", re.MULTILINE)


class Fault(NamedTuple):
    """A fault's ``line``, empty if nothing is said, and the job's exit ``code`` in words."""

    line: str
    code: str

    @property
    def words(self) -> list[str]:
        """What of the line is the same always."""
        return _VARIES.split(self.line)

    @property
    def phrases(self) -> list[str]:
        """Its words, taken apart where the program puts several messages together."""
        pieces = [piece for words in self.words for piece in re.split(r"; | \(|cutweb crawl: |the crawl ", words)]
        return [piece.strip(" :,()") for piece in pieces]

    def is_told_in(self, log: str) -> bool:
        """Is there a line in the log that has these words in their order?"""
        return re.search(".+?".join(map(re.escape, self.words)), log) is not None

    def is_code(self, code: int) -> bool:
        return (code != 0) if self.code == "not 0" else code == int(self.code)


def faults() -> dict[str, Fault]:
    """Those of the table, by their names."""
    text = (ROOT / "docs" / "cluster.md").read_text()
    table = text.split("<!-- faults -->")[1].split("<!-- /faults -->")[0]
    return {match["name"]: Fault(match["line"] or "", match["code"]) for match in _ROW.finditer(table)}
