"""The seam between a session and the graphs that are made of it, so that neither imports the other."""

from typing import Protocol

import pyarrow as pa


class TableReader(Protocol):
    """What is asked of a session: its tables."""

    def read(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """The rows of a table."""
        ...
