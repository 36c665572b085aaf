"""Functions that are compiled to machine code, because they look at every byte or bit of a file."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_BLAS = "scipy.linalg.cython_blas"
"""What numba multiplies matrices with."""


def _load_arrays_without_blas() -> None:
    """Load what numba knows of arrays as where there is no scipy: no function here multiplies matrices.

    Otherwise the first call of any function loads scipy.linalg, in every rank.
    """
    if _BLAS in sys.modules:
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]  # so that importing it fails at once
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[_BLAS]


_load_arrays_without_blas()


def compiled(function: Function) -> Function:
    """Compile a function of numbers and numpy arrays at its first call.

    What was compiled is kept for the next process, beside the module or in the user's cache, if it can be.  It runs
    without the interpreter lock, so threads can share the work.  Whole numbers in it are int64; an index beyond an
    array is not noticed.  A sum or product of int64 that is too large is no error, but numba lets LLVM reckon that
    there is none, and what LLVM makes of that may be wrong: numbers that are to wrap around are np.uint64.
    """
    return _compiled(function)


def inlined(function: Function) -> Function:
    """Compile a function like `compiled`, as a part of each compiled one that calls it.

    For the pieces of a loop over every byte: a call that is left to LLVM's own judgement costs more than such a piece.
    """
    return _compiled(function, forceinline=True)


def _compiled(function: Function, *, forceinline: bool = False) -> Function:
    try:
        return cast(Function, njit(cache=True, nogil=True, forceinline=forceinline)(function))
    except RuntimeError:  # there is no place to keep it
        return cast(Function, njit(nogil=True, forceinline=forceinline)(function))
