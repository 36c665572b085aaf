"""Whether the packages beside this one are Cutweb's own.

``partition``, ``sessions`` and ``crawler`` are names that others use, too: a package of that name in the working folder
or on PYTHONPATH comes before an installed one.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

_PACKAGES = ("partition", "sessions")


def refuse_strangers() -> None:
    """Exit with code 2 if another package is in the place of one of ours."""
    ours = Path(__file__).resolve().parents[2]
    for name in _PACKAGES:
        found = find_spec(name)
        place = Path(found.origin).resolve().parents[1] if found is not None and found.origin else None
        if place != ours:
            stranger = "is missing" if place is None else f"in {str(place)!a} hides Cutweb's own"
            # The safe way to say something needs `sessions`.
            sys.stderr.write(f"cutweb: the package {name} {stranger}: start cutweb elsewhere, or mend PYTHONPATH\n")
            sys.exit(2)
