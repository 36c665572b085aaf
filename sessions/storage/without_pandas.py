"""Arrow without pandas, which it would import at its first conversion, to look for Series that nobody gives it here."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder


@contextmanager
def without_pandas() -> Iterator[None]:
    """Have no pandas in this process for the length of a ``with`` statement, unless it is imported already.

    Importing it is a quarter of a second of every command and of every rank's start, where it is installed.
    """
    finder = _PandasIsAbsent()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _PandasIsAbsent(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)
