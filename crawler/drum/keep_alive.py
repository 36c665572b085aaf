"""Breathing: while a merge goes on, which may take minutes, whoever has a network to serve does so now and then."""

from collections.abc import Callable, Iterator
from typing import TypeVar

Breathe = Callable[[], None]
"""Called often, at least once for each block of a file.  It must not use the DRUM."""

Item = TypeVar("Item")


def holding_breath() -> None:
    """There is nothing to be served meanwhile."""


def breathing(items: Iterator[Item], breathe: Breathe) -> Iterator[Item]:
    """The items, with a breath before each."""
    for item in items:
        breathe()
        yield item
