"""The evils, one small function each, by what they are about."""

from importlib import import_module
from pkgutil import iter_modules

from tests.hostile.answers import PREPARED


def load() -> None:
    """Import all modules of this package, so that `tests.hostile.evil.EVILS` is complete, and make what takes long."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    for make in PREPARED:
        make()
