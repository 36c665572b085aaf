"""A rank that is alone, on a machine without MPI: the few operations of a communicator that a crawl calls."""

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mpi4py import MPI


def sole_rank() -> "MPI.Intracomm":
    """Return what a crawl takes for a communicator of one rank; MPI is not loaded."""
    return cast("MPI.Intracomm", _SoleRank())


class _Done:
    """A request that was done when it was made."""

    def Test(self) -> bool:  # noqa: N802 - as mpi4py has it
        return True


class _SoleRank:
    """Whatever this rank tells all ranks, it has told itself.  It sends nobody a message."""

    rank, size = 0, 1

    def Dup(self) -> Self:  # noqa: N802
        return self

    def Free(self) -> None:  # noqa: N802
        """There is nothing to let go of."""

    def Ibarrier(self) -> _Done:  # noqa: N802
        return _Done()

    def Iallgather(self, mine: npt.NDArray[Any], all_ranks: npt.NDArray[Any]) -> _Done:  # noqa: N802
        np.copyto(all_ranks, np.reshape(mine, all_ranks.shape))
        return _Done()

    def Alltoall(self, mine: npt.NDArray[Any], coming: npt.NDArray[Any]) -> None:  # noqa: N802
        np.copyto(coming, mine)

    def bcast(self, mine: Any, root: int = 0) -> Any:
        return mine

    def gather(self, mine: Any, root: int = 0) -> list[Any]:
        return [mine]
