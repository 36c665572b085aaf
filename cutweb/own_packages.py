"""Whether the packages beside this one are Cutweb's own.

``crawler``, ``partition`` and ``sessions`` are names that others use, too: a package of that name in the working folder
or on PYTHONPATH comes before an installed one.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("crawler", "partition", "sessions")


def stranger() -> str:
    """Return what is wrong if another package is in the place of one of ours, and what to do; empty if none is."""
    ours = Path(__file__).resolve().parents[1]
    for name in _PACKAGES:
        found = find_spec(name)
        place = Path(found.origin).resolve().parents[1] if found is not None and found.origin else None
        if place != ours:
            how = "is missing" if place is None else f"in {str(place)!a} hides Cutweb's own"
            return f"the package {name} {how}: start cutweb elsewhere, or mend PYTHONPATH"
    return ""


def refuse_strangers() -> None:
    """Exit with code 2 if another package is in the place of one of ours."""
    if words := stranger():
        # The safe way to say something needs `crawler`.
        sys.stderr.write(f"cutweb: {words}\n")
        sys.exit(2)
