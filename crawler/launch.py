"""Starting ranks: ``cutweb crawl`` as a rank of an MPI run, or as the one that calls mpiexec.

Some settings must be in the environment before MPI begins: that waiting ranks do not burn the processors, and that
more ranks than cores may run.  They are given only where the user has not said otherwise.
"""

import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import termios
import traceback
import warnings
from array import array
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

from crawler.configuration import UsageError, parsed
from crawler.descriptors import raise_limit
from crawler.heldmap import HeldMap, look_at
from crawler.options import CrawlOptions
from crawler.plan import Plan, plan
from crawler.progress import TERMINAL_VARIABLE
from sessions.session import Session, SessionError

MPIEXEC_VARIABLE = "CUTWEB_MPIEXEC"
_PR_SET_PDEATHSIG = 1
_PATIENCE_YIELDS = 100_000
_LAUNCHED_BY = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
_TASKS_OF_SRUN = "SLURM_STEP_NUM_TASKS"
_MPI_SETTINGS = {
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_threads_pthreads_yield_strategy": "nanosleep",
    "OMPI_MCA_threads_pthreads_nanosleep_time": "50000",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
_ROOT_SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def crawl(arguments: list[str]) -> int:
    """Run ``cutweb crawl`` with these arguments; its exit code."""
    for name, value in {**_MPI_SETTINGS, **(_ROOT_SETTINGS if os.geteuid() == 0 else {})}.items():
        os.environ.setdefault(name, value)
    raise_limit()
    if any(name in os.environ for name in _LAUNCHED_BY) or os.environ.get(_TASKS_OF_SRUN, "1") != "1":
        return _be_a_rank(arguments)
    try:
        options = parsed(arguments)
    except UsageError as error:
        return _refuse(error)
    if isinstance(options, int):
        return options
    if (options.ranks or 1) > 1:
        return _start_ranks(options, arguments)
    return _be_a_rank(arguments)


def _be_a_rank(arguments: list[str]) -> int:
    """Crawl as a rank of this MPI run, whatever its size.  An error that nobody expected ends all ranks."""
    # What mpi4py suspects of the environment, check_size says in our words.
    warnings.filterwarnings("ignore", message="suspicious MPI execution environment", category=RuntimeWarning)
    from mpi4py import MPI

    from crawler.crawl import crawl as crawl_by_plan

    comm = MPI.COMM_WORLD
    _work_in_batches()
    try:
        asked = _asked(arguments) if comm.rank == 0 else None
        held = comm.gather(look_at(comm.bcast(asked.partition if isinstance(asked, CrawlOptions) else None)))
        answer = comm.bcast(_prepare(asked, comm.size, held or ()) if asked is not None else None)
        if isinstance(answer, int):
            return answer
        ending = crawl_by_plan(comm, answer)
        if comm.rank == 0:
            print(f"crawl ended: {ending}; see it with: cutweb info {answer.out}", flush=True)
        return 0
    except BaseException:
        sys.stderr.write(f"rank {comm.rank} of {comm.size} failed:\n{traceback.format_exc()}")
        sys.stderr.flush()
        _let_launcher_read(sys.stderr.fileno())
        comm.Abort(1)
        os._exit(1)  # an MPI that comes back from Abort


def _work_in_batches() -> None:
    """Have the scheduler not interrupt others each time a packet wakes this process: switching costs all of them."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _let_launcher_read(pipe: int) -> None:
    """Wait, within reason, until what was written to a pipe has been read: Abort may end the reader before."""
    unread = array("i", [0])
    for _ in range(_PATIENCE_YIELDS):
        try:
            fcntl.ioctl(pipe, termios.FIONREAD, unread)
        except OSError:  # not a pipe
            return
        if not unread[0]:
            return
        os.sched_yield()


def _asked(arguments: list[str]) -> CrawlOptions | int:
    """What is asked for, or the exit code with which all ranks leave."""
    try:
        return parsed(arguments)
    except UsageError as error:
        return _refuse(error)


def _prepare(asked: CrawlOptions | int, ranks: int, held: Sequence[HeldMap]) -> Plan | int:
    """Rank 0's check of what is asked: the plan, or the exit code with which all ranks leave."""
    try:
        return asked if isinstance(asked, int) else plan(asked, ranks, held)
    except UsageError as error:
        return _refuse(error)


def _refuse(error: UsageError) -> int:
    print(f"cutweb crawl: {error}", file=sys.stderr, flush=True)
    return 2


def _start_ranks(options: CrawlOptions, arguments: list[str]) -> int:
    """Run the same command under mpiexec, pass signals on to it, and say so if it is cut off."""
    mpiexec = find_mpiexec()
    if mpiexec is None:
        return _refuse(UsageError("--ranks needs mpiexec, and there is none on the path: pip install 'cutweb[mpi]'"))
    if sys.stderr.isatty():
        os.environ[TERMINAL_VARIABLE] = "1"
    command = [mpiexec, "-n", str(options.ranks), sys.executable, "-m", "crawler", "crawl", *arguments]
    # In a session of its own mpiexec does not get the terminal's Ctrl-C beside the one that is passed on.
    launcher = subprocess.Popen(command, start_new_session=True, preexec_fn=_end_with_parent)
    _pass_signals_on(launcher)
    code = launcher.wait()
    return code if code == 2 else _verify_end(options, code)


def _pass_signals_on(launcher: subprocess.Popen[bytes]) -> None:
    """Ask the ranks to stop when this process is asked to; a second Ctrl-C ends them at once.

    Of all signals SIGUSR1 is the one that every launcher hands to the ranks without killing them soon after.
    """
    interrupts = 0

    def on_signal(received: int, _frame: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += received == signal.SIGINT
        launcher.send_signal(signal.SIGTERM if interrupts > 1 else signal.SIGUSR1)

    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT):
        signal.signal(number, on_signal)


def _end_with_parent() -> None:
    """Have the kernel tell this process when its parent dies, however it dies, so that the crawl ends in order."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGUSR1)


def find_mpiexec() -> str | None:
    """The mpiexec to use: $CUTWEB_MPIEXEC, that of this Python environment, or that on the path."""
    named = os.environ.get(MPIEXEC_VARIABLE)
    beside = str(Path(sys.executable).parent)
    return named or shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")


def _verify_end(options: CrawlOptions, code: int) -> int:
    """A launcher's exit code proves nothing: a crawl has ended when rank 0 has written so."""
    try:
        session = Session.open(options.out or "")
    except SessionError as error:
        print(
            f"cutweb crawl: the ranks ended (mpiexec exit code {code}) before the crawl began: {error}", file=sys.stderr
        )
        return code or 1
    if session.ended is not None:
        return code
    print(
        f"cutweb crawl: the crawl was cut off (mpiexec exit code {code}); {options.out} holds what was committed "
        f"until then ({len(session.epochs)} epochs): cutweb info {options.out}",
        file=sys.stderr,
    )
    return code if code > 0 else 1
