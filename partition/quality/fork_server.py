"""The process from which those of the trials are forked, so that each starts at once and holds nothing of another.

It takes seconds to import what a trial needs.  This module imports nothing of it, so that a command can start the fork
server first, and get ready itself meanwhile.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext

_PRELOADED = ["partition.quality.trials", "partition.quality.warm_start"]
_SAFE_PATH = "PYTHONSAFEPATH"


def fork_server() -> ForkServerContext:
    """Return the context of processes that are forked from the server, which runs from the first call on.

    Signals are to be as they are while trials run: all of them inherit what the server has blocked.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    with _own_packages_only():
        forkserver.ensure_running()
    return context


@contextmanager
def _own_packages_only() -> Iterator[None]:
    """Within it processes that are started look for no packages in the working folder: partition/ may lie there."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
