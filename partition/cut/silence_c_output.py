"""Keeping a C library from printing, without touching what Python prints.

METIS reports with printf that it has cut an empty graph, which happens where parts have next to nothing to share, and
does no harm.  The text would come out whenever the C library empties its buffers, amid a command's own output.
"""

import ctypes
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def silenced() -> Iterator[None]:
    """What C code writes to its stdout and stderr goes nowhere; other C code of the process is not heard either.

    To be used by one thread at a time.  Does nothing where the C library is not glibc: others do not let its streams be
    replaced, and redirecting the file descriptors would silence Python as well.
    """
    streams = _streams()
    sink = _sink()
    kept = [stream.value for stream in streams]
    for stream in streams:
        stream.value = sink
    try:
        yield
    finally:
        for stream, own in zip(streams, kept, strict=True):
            stream.value = own


@cache
def _streams() -> list[ctypes.c_void_p]:
    """The C library's variables stdout and stderr."""
    if platform.libc_ver()[0] != "glibc":
        return []
    library = ctypes.CDLL(None)
    return [ctypes.c_void_p.in_dll(library, name) for name in ("stdout", "stderr")]


@cache
def _sink() -> int | None:
    """A FILE that swallows everything."""
    if not _streams():
        return None
    library = ctypes.CDLL(None)
    library.fopen.restype = ctypes.c_void_p
    sink: int | None = library.fopen(os.devnull.encode(), b"w")
    if sink is None:
        raise OSError(f"{os.devnull}: cannot be opened")
    return sink
