"""Choices by name: what each means, and where it lies.  Nothing is imported before it is used.

A seam with several implementations has a registry, and the choices of an option, its help, the docs and the checks of
what files say are made from that: a further implementation is its own file and one line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Choice:
    """An implementation: ``meaning`` as half a sentence of the help, ``place`` as "package.module:name"."""

    name: str
    meaning: str
    place: str


class Registry(Mapping[str, Choice]):
    """The ``choices`` of one ``kind``, as its plural reads in a message, in the order in which they are shown."""

    def __init__(self, kind: str, *choices: Choice) -> None:
        self.kind = kind
        self._choices = {choice.name: choice for choice in choices}

    def __getitem__(self, name: str) -> Choice:
        return self._choices[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def add(self, choice: Choice) -> None:
        """Add a choice at the end, or in the place of one of its name."""
        self._choices[choice.name] = choice

    def check(self, name: str) -> None:
        """Raise ValueError if there is no choice of that name."""
        if name not in self._choices:
            raise ValueError(f"no {self.kind} {name!r}; there are {', '.join(self)}")

    def load(self, name: str) -> Any:
        """Import and return an implementation.  Raises ValueError if there is none of that name."""
        self.check(name)
        module, _, attribute = self._choices[name].place.partition(":")
        return getattr(import_module(module), attribute)

    def told(self) -> str:
        """Return the choices and their meanings, as the help of an option has them."""
        return "; ".join(f"{choice.name}: {choice.meaning}" for choice in self._choices.values())
