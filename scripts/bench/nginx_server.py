"""A web served by nginx while something is measured."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sessions.localweb.serve.nginx_export import Exported, export_web


@contextmanager
def served_by_nginx(
    webs: Sequence[Path],
    folder: Path,
    port: int,
    *,
    addresses: Sequence[str] = ("127.0.0.1",),
    tls_port: int | None = None,
    http_for_https: bool = False,
    keeps_connections: bool = True,
) -> Iterator[Exported]:
    """Serve the pages of WARC files at these addresses, from a folder that is made anew.

    Unless it ``keeps_connections``, the server closes each after an answer.
    """
    shutil.rmtree(folder, ignore_errors=True)
    exported = export_web(
        webs, folder, port=port, addresses=addresses, tls_port=tls_port, http_for_https=http_for_https
    )
    if not keeps_connections:
        kept = exported.config.read_text()
        exported.config.write_text(kept.replace("keepalive_requests 1000000000;", "keepalive_requests 1;"))
    subprocess.run(
        exported.start_command, shell=True, check=True, stderr=subprocess.DEVNULL, preexec_fn=_without_interrupting
    )
    try:
        yield exported
    finally:
        subprocess.run(exported.stop_command, shell=True, check=True, stderr=subprocess.DEVNULL)


def _without_interrupting() -> None:
    """The server shares the cores with the ranks, as no real one does: let it not cut in at every request."""
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
