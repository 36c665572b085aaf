"""The evils, one small function each, by what they are about."""

from importlib import import_module
from pkgutil import iter_modules

from tests.hostile.answers import PREPARED


def load() -> None:
    """Import all modules of this package, so that `tests.hostile.evil.EVILS` is complete."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")


def prepare() -> None:
    """Make what takes long, once; not when tests are collected, since most workers run none that needs it."""
    load()
    for make in PREPARED:
        make()
