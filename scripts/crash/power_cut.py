"""What a power cut does to a session beyond killing its processes: what was never brought to disk may be lost."""

import random
from pathlib import Path

from sessions.session import HEADER, SEEDS, Session, SessionError, epoch_path


def lose_uncommitted(folder: Path, rng: random.Random) -> None:
    """Of all that no commit record names, some is gone, some is cut short, some is zeros."""
    try:
        session = Session.open(folder)
    except SessionError:
        return
    kept = {table.path: table.bytes for table in session.table_files()}
    kept |= {warc.path: warc.bytes for warc in session.warc_files()}
    kept |= {folder / name: -1 for name in (HEADER, SEEDS)}
    kept |= {epoch_path(folder, record["epoch"]): -1 for record in session.epochs}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        committed = kept.get(path, 0)
        if committed >= 0 and (length := path.stat().st_size) > committed:
            _lose(path, committed, length, rng)


def _lose(path: Path, committed: int, length: int, rng: random.Random) -> None:
    match rng.randrange(4):
        case 0:
            return
        case 1 if not committed:
            path.unlink()
        case 2:
            with path.open("r+b") as file:
                file.seek(rng.randint(committed, length))
                file.write(bytes(length - file.tell()))
        case _:
            with path.open("r+b") as file:
                file.truncate(rng.randint(committed, length))
