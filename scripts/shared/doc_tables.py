"""Tables of what was measured, and keeping them in a document between two marks: <!-- name --> and <!-- /name -->."""

from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def keep(document: str, name: str, text: str) -> None:
    """Write a text between the marks of that name in a document of docs/, in place of what stood there."""
    path = ROOT / "docs" / document
    before, opening, rest = path.read_text().partition(f"<!-- {name} -->\n")
    _, closing, after = rest.partition(f"<!-- /{name} -->\n")
    if not closing:
        raise ValueError(f"{path} has no marks for {name}")
    path.write_text(f"{before}{opening}{text}{closing}{after}")
