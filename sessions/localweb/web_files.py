"""The two files of a made web, a WARC file and its seeds, which are there both or not at all.

The instant at which a web is there is that at which its WARC file gets its name; the seeds have theirs before.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from sessions.storage.tables import sync_folder
from sessions.storage.temporary_folder import scratch_folder

_SEEDS = "seeds"


def seeds_path(path: Path) -> Path:
    """Where the seeds of a made web lie: web.seeds.txt beside web.warc.gz."""
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".warc") + ".seeds.txt")


@contextmanager
def whole_web(path: Path, seeds: Sequence[str]) -> Iterator[Path]:
    """Where to write a WARC file that becomes ``path``, with ``seeds`` beside it, if all goes well.

    ``seeds`` may be filled meanwhile.  Raises FileExistsError if either file exists and FileNotFoundError if there is
    no folder for them; then, as after any failure, nothing is left behind.
    """
    named = seeds_path(path)
    for target in (path, named):
        if target.exists() and not (target == named and _is_of_killed(path)):
            raise FileExistsError(f"{target} exists already")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")
    with scratch_folder(f".{path.name}-", path.parent) as folder:
        yield folder / path.name
        (folder / _SEEDS).write_text("".join(f"{url}\n" for url in seeds))
        for name in (_SEEDS, path.name):
            with open(folder / name, "rb") as file:
                os.fsync(file.fileno())
        if _is_of_killed(path):
            named.unlink()
        os.link(folder / _SEEDS, named)
        try:
            sync_folder(path.parent)
            os.link(folder / path.name, path)
        except OSError:
            named.unlink()
            raise
        sync_folder(path.parent)


def _is_of_killed(path: Path) -> bool:
    """Did who was killed just before the WARC file got its name leave its seeds?  Then their other name is there."""
    if path.exists():
        return False
    named, left = seeds_path(path), path.parent.glob(f".{escape(path.name)}-*/{_SEEDS}")
    return named.exists() and any(seeds.samefile(named) for seeds in left)
