"""A limit on the start: ranks that wait in vain for others, and who started them, give up and say who is missing.

Of ranks without a launcher of ours the first to give up speaks.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from crawler.config.command_line import UsageError
from crawler.config.early_options import EarlyOptions
from crawler.launch.arrivals import Arrivals, own_rank, who_is_missing
from crawler.launch.launched_ranks import LaunchedRanks
from crawler.process.killed_after import killed_after
from crawler.process.terminal import tell

_GRACE_SECONDS = 10.0
"""So much later than who has started it does a rank give up."""


@contextmanager
def limited_start(name: str, options: EarlyOptions | None) -> Iterator[None]:
    """Within it this rank, of the command ``name``, is killed if the others have not come in time.

    No more than MPI's start, and a barrier of all ranks, shall be within.
    """
    rank, ranks = own_rank()
    if options is None or ranks == 1:
        yield
        return
    arrivals, seconds = Arrivals(options.out), options.start_seconds
    arrivals.come(rank, os.uname().nodename)

    def last_words() -> bool:
        hosts = arrivals.given_up()
        if hosts is not None:
            tell(f"cutweb {name}: {who_is_missing(hosts, ranks, seconds, os.environ)}", err=True)
        return hosts is not None

    with killed_after(seconds + (_GRACE_SECONDS if arrivals.has_launcher else 0.0), last_words):
        yield
    if rank == 0:
        arrivals.forget()
    else:
        arrivals.leave(rank)


def launched_in_time(
    options: EarlyOptions | None,
    ranks: int,
    command: Sequence[str],
    suspended: Callable[[bool], object] | None = None,
) -> LaunchedRanks:
    """Start ranks by a ``command`` of mpiexec's, and wait until all have come, or mpiexec has ended.

    ``suspended`` is as `LaunchedRanks` has it.
    Raises UsageError, with all of them ended, if that takes too long; it says who is missing.
    """
    arrivals = None if options is None else _awaited(options)
    launched = LaunchedRanks(command, suspended)
    if options is None or arrivals is None:
        return launched
    try:
        if not launched.wait_while(lambda: arrivals.are_awaited, options.start_seconds):
            hosts = arrivals.given_up()
            if hosts is not None:
                launched.end()
                raise UsageError(who_is_missing(hosts, ranks, options.start_seconds, os.environ))
    finally:
        arrivals.forget()
    return launched


def _awaited(options: EarlyOptions) -> Arrivals | None:
    """Where ranks say that they have come; None if nothing can be written there, which the plan tells."""
    arrivals = Arrivals(options.out)
    try:
        arrivals.await_all()
    except OSError:
        return None
    return arrivals
