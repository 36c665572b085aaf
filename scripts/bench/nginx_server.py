"""A web served by nginx while something is measured."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sessions.localweb.serve.nginx_export import export_web


@contextmanager
def served_by_nginx(web: Path, folder: Path, port: int, addresses: Sequence[str] = ("127.0.0.1",)) -> Iterator[None]:
    """Serve the pages of a WARC file at these addresses, from a folder that is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    exported = export_web([web], folder, port=port, addresses=addresses)
    subprocess.run(
        exported.start_command, shell=True, check=True, stderr=subprocess.DEVNULL, preexec_fn=_without_interrupting
    )
    try:
        yield
    finally:
        subprocess.run(exported.stop_command, shell=True, check=True, stderr=subprocess.DEVNULL)


def _without_interrupting() -> None:
    """The server shares the cores with the ranks, as no real one does: let it not cut in at every request."""
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
