"""Being told what is done while it lasts: in words, in words with how much of it is done, or how much alone."""

from collections.abc import Callable

Say = Callable[[str], None]
"""Called with what is being done now."""
Progress = Callable[[str, int, int], None]
"""Called as (what is being done, how much of it is done, how much there is)."""
Share = Callable[[int, int], None]
"""Called as (how much is done, how much there is), where somebody else knows what is being done."""


def say_nothing(_what: str) -> None:
    """A `Say` for what nobody watches."""


def quiet(_what: str, _done: int, _total: int) -> None:
    """A `Progress` for what nobody watches."""


def unshared(_done: int, _total: int) -> None:
    """A `Share` for what nobody watches."""
