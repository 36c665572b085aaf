"""Starting ranks: ``cutweb crawl`` and ``cutweb replay`` as a rank of an MPI run, or as the one that calls mpiexec.

Some settings must be in the environment before MPI begins: that waiting ranks do not burn the processors, and that
more ranks than cores may run.  They are given only where the user has not said otherwise.
"""

import fcntl
import os
import shutil
import signal
import sys
import termios
import traceback
import warnings
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from crawler.config.command_line import UsageError
from crawler.config.early_options import EarlyOptions
from crawler.exchange.verdict import Ending
from crawler.launch.closing_message import Closing, reason_of, what_is_left
from crawler.launch.common_ground import strangers
from crawler.launch.earlier_ranks import clear_this_machine
from crawler.launch.map_agreement import HeldMap, look_at
from crawler.launch.operator_wish import Wish, ask
from crawler.launch.scratch import problem_with
from crawler.launch.start_limit import launched_in_time, limited_start
from crawler.monitoring.progress_display import TERMINAL_VARIABLE
from crawler.process.end_at_once import abort_of, ending_on_second_signal
from crawler.process.exit_codes import BY_SIGNAL, ExitCode
from crawler.process.file_limits import raise_limit
from crawler.process.mpi_environment import is_launched
from crawler.process.stop_signals import hold_stops, leaving_if_stopped
from crawler.process.terminal import refuse, tell
from sessions.session import Session, SessionError
from sessions.storage.temporary_folder import leave_nothing
from sessions.writing.commit import FencedError

MPIEXEC_VARIABLE = "CUTWEB_MPIEXEC"
_THIS = ("-P", "-m", "cutweb")
"""What ranks run; -P, so that no folder crawler/ where they start (any Scrapy project has one) comes first."""
_PATIENCE_YIELDS = 100_000
_TOLD = (ExitCode.REFUSED, ExitCode.FENCED, ExitCode.SILENCE)
"""With these codes ranks have said why they ended."""
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


class RunRequest(Protocol):
    """What the user asked for, as far as starting ranks goes."""

    @property
    def ranks(self) -> int | None:
        """How many ranks are meant."""
        ...

    @property
    def partition(self) -> Path | None:
        """The map that all ranks must hold."""
        ...

    @property
    def scratch(self) -> Path | None:
        """Where each has its scratch folder, if not in the session."""
        ...

    @property
    def out(self) -> Path | None:
        """The session that they write."""
        ...


AnyAsked = TypeVar("AnyAsked", bound=RunRequest)
AnyPlan = TypeVar("AnyPlan")


@dataclass(frozen=True)
class Command(Generic[AnyAsked, AnyPlan]):
    """A command that runs as ranks.

    ``parsed`` makes of its arguments what is asked, or an exit code.  On rank 0 ``planned`` makes of that, the number
    of ranks, the map that each holds and what keeps each from its scratch folder a plan that can be sent to all; both
    raise UsageError.  With that every rank calls ``run``; what it returns on rank 0 is said in the end.  Before that
    all ranks have ``looked``, with their communicator: what one returns, if anything, refuses the command.
    ``early`` is what the arguments say that matters before ranks come together.
    """

    name: str
    parsed: Callable[[list[str]], AnyAsked | int]
    planned: Callable[[AnyAsked, int, Sequence[HeldMap], Sequence[str | None]], AnyPlan]
    run: Callable[[Any, AnyPlan], Closing]
    looked: Callable[[AnyAsked, Any], str | None] = lambda asked, comm: None
    early: Callable[[list[str]], EarlyOptions | None] = lambda arguments: None


def launch(command: Command[AnyAsked, AnyPlan], arguments: list[str]) -> int:
    """Run a command as a rank of this MPI run, or as the one that starts the ranks; the exit code."""
    set_mpi_up()
    raise_limit()
    if is_launched(os.environ):
        return _be_a_rank(command, arguments)
    try:
        asked = command.parsed(arguments)
    except UsageError as error:
        return _refuse(command.name, error)
    if isinstance(asked, int):
        return asked
    if (asked.ranks or 1) > 1:
        return _start_ranks(command.name, asked, arguments, command.early(arguments))
    return _be_a_rank(command, arguments)


def set_mpi_up() -> None:
    """Set in the environment what MPI reads as it begins, where the user has not."""
    for name, value in {**_MPI_SETTINGS, **(_ROOT_SETTINGS if os.geteuid() == 0 else {})}.items():
        os.environ.setdefault(name, value)


def _be_a_rank(command: Command[AnyAsked, AnyPlan], arguments: list[str]) -> int:
    """Take part in this MPI run, whatever its size.  An error that nobody expected ends all ranks."""
    # What mpi4py suspects of the environment, check_size says in our words.
    warnings.filterwarnings("ignore", message="suspicious MPI execution environment", category=RuntimeWarning)
    from crawler.process.mpi_wait import sleeping_wait

    with limited_start(command.name, command.early(arguments)):
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        hold_stops()
        sleeping_wait(comm.Ibarrier())
    _work_in_batches()
    words_of = f"cutweb {command.name}: rank {comm.rank} of {comm.size}"
    with ending_on_second_signal(words_of, abort_of(comm), has_launcher=comm.size > 1):
        return _take_part(command, arguments, comm)


def _take_part(command: Command[AnyAsked, AnyPlan], arguments: list[str], comm: Any) -> int:
    from crawler.process.mpi_wait import sleeping_wait

    asked: AnyAsked | int | None = None
    try:
        asked = comm.bcast(_asked(command, arguments) if comm.rank == 0 else None)
        if isinstance(asked, int):
            return asked
        clear_this_machine(asked.out)
        held, problems = comm.gather(look_at(asked.partition)), comm.gather(problem_with(asked.scratch))
        found = [strangers(comm, asked.out), *(comm.gather(command.looked(asked, comm)) or ())]
        prepared: Any = None
        if comm.rank == 0:
            prepared = _prepare(command, asked, comm.size, held or (), problems or (), found)
        sleeping_wait(comm.Ibarrier())  # rank 0 may have a whole crawl to read for that
        answer: AnyPlan | int = comm.bcast(prepared)
        if isinstance(answer, int):
            return answer
        end = command.run(comm, answer)
        if comm.rank == 0:
            tell(*end.words.split("\n"))
        sleeping_wait(comm.Ibarrier())
        return int(comm.bcast(end.code))
    except BaseException as error:
        reason = reason_of(error)
        _say_last(_account(command, asked, comm, error, reason))
        leave_nothing()
        code = ExitCode.FENCED if isinstance(error, FencedError) else ExitCode.FAILED
        if reason is not None and comm.size == 1:
            return code
        let_launcher_read(sys.stderr.fileno())
        comm.Abort(code)
        os._exit(1)  # an MPI that comes back from Abort


def _account(
    command: Command[AnyAsked, AnyPlan],
    asked: AnyAsked | int | None,
    comm: Any,
    error: BaseException,
    reason: str | None,
) -> str:
    """What there is to say about an error that ends the run: one line, unless the program is to blame."""
    if reason is None:
        return f"rank {comm.rank} of {comm.size} failed:\n{traceback.format_exc()}"
    session = asked.out if asked is not None and not isinstance(asked, int) else None
    return f"cutweb {command.name}: rank {comm.rank} of {comm.size}: {reason}{what_is_left(error, session)}\n"


def _say_last(text: str) -> None:
    with suppress(OSError):  # what is full may be the disk that this goes to
        tell(*text.rstrip("\n").split("\n"), err=True)


def _work_in_batches() -> None:
    """Have the scheduler not interrupt others each time a packet wakes this process: switching costs all of them."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def let_launcher_read(pipe: int) -> None:
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


def _asked(command: Command[AnyAsked, AnyPlan], arguments: list[str]) -> AnyAsked | int:
    """What is asked for, or the exit code with which all ranks leave."""
    try:
        return command.parsed(arguments)
    except UsageError as error:
        return _refuse(command.name, error)


def _prepare(
    command: Command[AnyAsked, AnyPlan],
    asked: AnyAsked | int,
    ranks: int,
    held: Sequence[HeldMap],
    problems: Sequence[str | None] = (),
    found: Sequence[str | None] = (),
) -> AnyPlan | int:
    """Rank 0's check of what is asked: the plan, or the exit code with which all ranks leave."""
    for obstacle in found:
        if obstacle is not None:
            return _refuse(command.name, UsageError(obstacle))
    try:
        with leaving_if_stopped():
            return asked if isinstance(asked, int) else command.planned(asked, ranks, held, problems)
    except UsageError as error:
        return _refuse(command.name, error)
    except OSError as error:
        reason = reason_of(error)
        if reason is None:
            raise
        return _refuse(command.name, UsageError(reason))
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1


def _refuse(name: str, error: UsageError) -> int:
    refuse(f"cutweb {name}", *error.problems)
    return ExitCode.REFUSED


def _start_ranks(name: str, asked: RunRequest, arguments: list[str], early: EarlyOptions | None = None) -> int:
    """Run the same command under mpiexec, pass signals on to it, and say so if it is cut off."""
    if sys.stderr.isatty():
        os.environ[TERMINAL_VARIABLE] = "1"
    before = _latest_of(asked)
    try:
        command = [name, *arguments]
        code, received = run_under_mpiexec(asked.ranks or 1, command, early, _pausing(asked.out))
    except UsageError as error:
        return _refuse(name, error)
    if received and code == BY_SIGNAL + signal.SIGUSR1:  # what the ranks were sent in its place
        code = BY_SIGNAL + received[0]
    return code if code in _TOLD else _verify_end(name, asked, code, before)


def _pausing(session: Path | None) -> Callable[[bool], None]:
    """What has a crawl pause when the process that started it is stopped, and go on when that does."""

    def suspended(is_so: bool) -> None:
        try:
            ask(session or Path(), Wish.PAUSE if is_so else Wish.GO_ON)
        except (SessionError, OSError) as error:
            if is_so:
                tell(f"cannot pause: {error}", err=True)

    return suspended


def run_under_mpiexec(
    ranks: int,
    words: Sequence[str],
    early: EarlyOptions | None = None,
    suspended: Callable[[bool], object] | None = None,
) -> tuple[int, list[int]]:
    """Run ``cutweb`` with these words as ranks; their exit code, and the signals that were passed on to them.

    It is mpiexec's, unless a second signal has ended them.  ``suspended`` is as `LaunchedRanks` has it.  Raises
    UsageError if there is no mpiexec, or if ranks do not come together in the time that ``early`` gives them.
    """
    mpiexec = find_mpiexec()
    if mpiexec is None:
        raise UsageError("--ranks needs mpiexec, and there is none on the path: pip install 'cutweb[mpi]'")
    command = [mpiexec, "-n", str(ranks), sys.executable, *_THIS, *words]
    launched = launched_in_time(early, ranks, command, suspended)
    code = launched.wait()
    return code if launched.forced_by is None else BY_SIGNAL + launched.forced_by, launched.received


def _latest_of(asked: RunRequest) -> tuple[str, int] | None:
    """The latest run of the session that there is, and its number of commit records; None if there is none."""
    try:
        session = Session.open(asked.out or "")
    except SessionError:
        return None
    return session.header["run"], session.last_epoch


def find_mpiexec() -> str | None:
    """The mpiexec to use: $CUTWEB_MPIEXEC, that of this Python environment, or that on the path."""
    named = os.environ.get(MPIEXEC_VARIABLE)
    beside = str(Path(sys.executable).parent)
    return named or shutil.which("mpiexec", path=beside) or shutil.which("mpiexec")


def _verify_end(name: str, asked: RunRequest, code: int, before: tuple[str, int] | None) -> int:
    """A launcher's exit code proves nothing: the ranks have ended when rank 0 has written so.

    ``before`` is what the session's latest run was when the launcher began.
    """
    try:
        session = Session.open(asked.out or "")
    except SessionError as error:
        tell(
            f"cutweb {name}: the ranks ended (mpiexec exit code {code}) before the {name} began, or its folder is "
            f"gone: {error}",
            err=True,
        )
        return code or 1
    if session.ended is not None:
        is_as_before = before == (session.header["run"], session.last_epoch)
        if is_as_before and session.ended["reason"] not in (Ending.COMPLETE, Ending.WORKLIST):
            tell(f"cutweb {name}: mpiexec ended (exit code {code}) before the {name} began", err=True)
            return code or 1
        return code
    further = f"go on with: cutweb crawl --resume {asked.out}" if session.seeds else f"cutweb info {asked.out}"
    tell(
        f"cutweb {name}: the {name} was cut off (mpiexec exit code {code}); {asked.out} holds what was committed "
        f"until then ({session.epoch_count} epochs); {further}",
        err=True,
    )
    return code if code > 0 else 1
