"""What a page of a session takes on disk."""

from collections import Counter
from pathlib import Path
from typing import Any

from sessions.session import Session


def stored_bytes(path: Path) -> dict[str, Any]:
    """Pages, and bytes a page: of WARC files, of each table.  Raises SessionError if there is no session."""
    session = Session.open(path)
    pages = sum(file.rows for file in session.table_files("pages"))
    tables: Counter[str] = Counter()
    for file in session.table_files():
        tables[file.table] += file.bytes
    return {
        "pages": pages,
        "warc": sum(file.bytes for file in session.warc_files()) / pages,
        "tables": {name: count / pages for name, count in sorted(tables.items())},
    }
