"""Where the units of a worklist are: a note in the worklist's folder, which nothing of the worklist depends on."""

import json
from pathlib import Path

from crawler.work.ledger import LEDGER
from crawler.work.work_error import WorkError
from sessions.storage.durable_json import dumped, replace

NOTE = "units.json"


def note_folder(worklist: Path, units: Path) -> None:
    """Note where a worklist's units are.  Raises OSError if the worklist's folder cannot be written to."""
    replace(worklist / NOTE, dumped({"units": str(units.resolve())}), "note")


def noted_folder(worklist: Path) -> Path | None:
    """Return where a worklist's units are, as far as it is noted."""
    try:
        return Path(json.loads((worklist / NOTE).read_text(encoding="utf-8"))["units"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def units_folder(worklist: Path, given: Path | None) -> Path:
    """Return the folder of a worklist's units, the ``given`` one if there is such.

    Raises WorkError if none is given or noted, or it has no ledger.
    """
    folder = given or noted_folder(worklist)
    if folder is None:
        raise WorkError(f"{worklist}: no units of it were exported; or say where they are with --units DIR")
    if not (folder / LEDGER).is_file():
        raise WorkError(f"{folder / LEDGER}: no such file; say where the units are with --units DIR")
    return folder
