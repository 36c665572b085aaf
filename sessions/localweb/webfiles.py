"""The two files of a made web, a WARC file and its seeds, which are there both or not at all."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sessions.scratch import scratch_folder


def seeds_path(path: Path) -> Path:
    """Where the seeds of a made web lie: web.seeds.txt beside web.warc.gz."""
    return path.with_name(path.name.removesuffix(".gz").removesuffix(".warc") + ".seeds.txt")


@contextmanager
def whole_web(path: Path, seeds: Sequence[str]) -> Iterator[Path]:
    """Where to write a WARC file that becomes ``path``, with ``seeds`` beside it, if all goes well.

    ``seeds`` may be filled meanwhile.  Raises FileExistsError if either file exists and FileNotFoundError if there is
    no folder for them; then, as after any failure, nothing is left behind.
    """
    targets = (path, seeds_path(path))
    for target in targets:
        if target.exists():
            raise FileExistsError(f"{target} exists already")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")
    with scratch_folder(f".{path.name}-", path.parent) as folder:
        yield folder / path.name
        (folder / "seeds").write_text("".join(f"{url}\n" for url in seeds))
        os.rename(folder / path.name, targets[0])
        os.rename(folder / "seeds", targets[1])
