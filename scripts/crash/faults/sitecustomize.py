"""Kills a rank with SIGKILL just before one of its steps to disk, if its environment asks for it.

Python imports this module by itself where its folder is on PYTHONPATH.  CUTWEB_CRASH_STEP is RANK:N: the rank dies
before its Nth call of those below, each of which changes what a crash leaves.
"""

import os
import signal
from collections.abc import Callable
from typing import Any

_STEPS = ("fsync", "link", "rename", "replace", "truncate", "ftruncate", "unlink", "rmdir", "mkdir")
_RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")


def _die_at(step: int) -> None:
    left = step

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **more)

        return call

    for name in _STEPS:
        setattr(os, name, counted(getattr(os, name)))


_rank, _, _step = os.environ.get("CUTWEB_CRASH_STEP", "").partition(":")
if _step and next((os.environ[name] for name in _RANK_VARIABLES if name in os.environ), "0") == _rank:
    _die_at(int(_step))
