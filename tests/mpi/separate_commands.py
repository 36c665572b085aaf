"""Run under mpiexec: commands one after the other on the same ranks; the code and the words of each are kept apart.

The arguments are a folder and, as JSON, the words of each command.  Each rank writes to the folder what it has heard.
A command must not end the ranks, as one does that a rank meets an error in alone.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryFile

from mpi4py import MPI

from crawler.main import _run_command, set_up_process
from sessions.storage.without_pandas import without_pandas


def heard(words: list[str]) -> tuple[int, str, str]:
    """The exit code of a command, and what it has written to both outputs, C code included."""
    with TemporaryFile() as out, TemporaryFile() as err:
        own = [os.dup(1), os.dup(2)]
        try:
            for file, number in ((out, 1), (err, 2)):
                os.dup2(file.fileno(), number)
            code = _run_command(words)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for number, kept in zip((1, 2), own, strict=True):
                os.dup2(kept, number)
                os.close(kept)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return code, texts[0], texts[1]


if __name__ == "__main__":
    set_up_process()
    with without_pandas():
        told = [heard(words) for words in json.loads(sys.argv[2])]
    (Path(sys.argv[1]) / str(MPI.COMM_WORLD.rank)).write_text(json.dumps(told))
