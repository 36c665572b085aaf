"""What a check finds, and whom it tells."""

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Problem(NamedTuple):
    """Something wrong in a session.

    ``file`` is relative to the session's folder.  ``row`` is a row number (from 0) in a table file, a byte offset in
    a WARC file, or None where the whole file is meant.
    """

    file: str
    row: int | None
    text: str


Report = Callable[[str, Iterable[Problem]], int]
"""Takes problems of one kind and says how many they were; a kind is the name of the function that finds them."""
