"""The process that is weighed: it starts as a rank does, then does each load, with a mark before and after each turn.

    python -m tests.guard.weighed FOLDER           with files in FOLDER

A mark is a call of a system function that nothing else here calls: a counter of instructions sees it from outside.
"""

import os
import sys
from pathlib import Path

from sessions.storage.without_pandas import without_pandas

MARK = "getsid"
"""The function of the C library that is called at each mark."""


def start() -> None:
    """Import what a rank imports, and have MPI begin."""
    from crawler.main import set_up_process

    set_up_process()
    import crawler.launch.start_ranks
    import crawler.rank.crawl  # noqa: F401


def _do_all(folder: Path) -> None:
    start()
    _mark()
    from tests.guard.loads import prepared

    with prepared(folder) as loads:
        for load in loads.values():
            load.run()
            _mark()
            for _ in range(load.turns):
                load.run()
                _mark()


def _mark() -> None:
    os.getsid(0)


if __name__ == "__main__":
    with without_pandas():
        _do_all(Path(sys.argv[1]))
