"""Starting ranks (tests/mpi really starts them)."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crawler.commands import crawl as crawl_command
from crawler.commands.crawl import crawl
from crawler.config.command_line import UsageError, parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.launch import launched_ranks, start_ranks
from crawler.launch.closing_message import Closing
from crawler.launch.map_agreement import HeldMap
from crawler.launch.plan import Plan, plan
from crawler.launch.start_ranks import MPIEXEC_VARIABLE, Command, find_mpiexec
from crawler.monitoring.progress_display import TERMINAL_VARIABLE
from crawler.process.mpi_environment import RANK_VARIABLES
from crawler.process.stop_signals import StopSignal
from sessions.writing.commit import FencedError, claim, commit

SEED = "http://a.example/"


def program(path: Path) -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_mpiexec_is_what_is_named_or_beside_python_or_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(MPIEXEC_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "python"))
    assert find_mpiexec() is None
    on_path = program(tmp_path / "path" / "mpiexec")
    assert find_mpiexec() == str(on_path)
    beside = program(tmp_path / "venv" / "mpiexec")
    assert find_mpiexec() == str(beside)
    monkeypatch.setenv(MPIEXEC_VARIABLE, "/opt/mpi/bin/mpiexec")
    assert find_mpiexec() == "/opt/mpi/bin/mpiexec"


@pytest.fixture
def no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing had launched this process, and its environment were its own."""
    for name in RANK_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in (*start_ranks._MPI_SETTINGS, *start_ranks._ROOT_SETTINGS):
        monkeypatch.setenv(name, "kept")


def test_wrong_arguments_are_told_in_one_line_before_anything_starts(
    no_launcher: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crawl(["--max-pages", "none"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("cutweb crawl: ")
    assert err.count("\n") == 1


def test_help_is_a_success(no_launcher: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert crawl(["--help"]) == 0
    assert "--max-pages" in capsys.readouterr().out


def test_several_ranks_without_mpiexec_are_refused(
    no_launcher: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_ranks, "find_mpiexec", lambda: None)
    assert crawl(["http://a.example/", "--ranks", "2", "--out", "x"]) == 2
    assert "pip install 'cutweb[mpi]'" in capsys.readouterr().err


def test_the_users_own_mpi_settings_are_kept(no_launcher: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MPIR_CVAR_ENABLE_HEAVY_YIELD")
    crawl(["--no-such-option"])
    assert os.environ["MPIR_CVAR_ENABLE_HEAVY_YIELD"] == "1"
    assert dict(os.environ)["OMPI_MCA_mpi_yield_when_idle"] == "kept"


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `crawl` would do, written down instead of done; nothing here says that this is a rank."""
    done: list[str] = []
    monkeypatch.setattr(start_ranks, "_be_a_rank", lambda command, arguments: done.append("rank") or 0)
    monkeypatch.setattr(
        start_ranks, "_start_ranks", lambda name, asked, *rest: done.append(f"{asked.ranks} ranks") or 0
    )
    monkeypatch.setattr(os, "environ", dict(os.environ))
    for name in RANK_VARIABLES:
        os.environ.pop(name, None)
    return done


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([SEED, "--out", "x"], "rank"),
        ([SEED, "--out", "x", "--ranks", "1"], "rank"),
        ([SEED, "--out", "x", "--ranks", "3"], "3 ranks"),
    ],
)
def test_several_ranks_are_started_and_one_is_this_process(starts: list[str], arguments: list[str], what: str) -> None:
    assert crawl(arguments) == 0
    assert starts == [what]


@pytest.mark.parametrize("variable", RANK_VARIABLES)
def test_what_a_launcher_started_is_a_rank_and_starts_no_others(starts: list[str], variable: str) -> None:
    os.environ[variable] = "0"
    assert crawl([SEED, "--out", "x", "--ranks", "3"]) == 0
    assert starts == ["rank"]


def test_mpi_is_told_not_to_burn_the_processors_unless_the_user_has_said_otherwise(starts: list[str]) -> None:
    chosen, *others = start_ranks._MPI_SETTINGS
    for name in others:
        os.environ.pop(name, None)
    os.environ[chosen] = "my own"
    crawl([SEED, "--out", "x"])
    assert os.environ[chosen] == "my own"
    assert {name: os.environ[name] for name in others} == {name: start_ranks._MPI_SETTINGS[name] for name in others}


def options(out: Path) -> CrawlOptions:
    found = parsed([SEED, "--ranks", "3", "--out", str(out)])
    assert isinstance(found, CrawlOptions)
    return found


class FakeLauncher:
    """Instead of mpiexec: remembers what it was started with and what signals it got, and ends with ``code``."""

    code = 0
    pid = 1 << 30

    def __init__(self, command: list[str], **options: Any) -> None:
        self.command, self.options = command, options
        self.signals: list[int] = []
        type(self).last = self

    def wait(self) -> int:
        return self.code

    def send_signal(self, number: int) -> None:
        self.signals.append(number)


@pytest.fixture
def launcher(monkeypatch: pytest.MonkeyPatch) -> type[FakeLauncher]:
    class Launcher(FakeLauncher):
        last: FakeLauncher

    monkeypatch.setattr(subprocess, "Popen", Launcher)
    monkeypatch.setattr(start_ranks, "find_mpiexec", lambda: "/bin/mpiexec")
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return Launcher


def begin(out: Path, *, ended: bool) -> None:
    header = claim(out, run="run", ranks=1, assignment="page-hash", configuration={})
    entries: list[dict[str, Any]] = [{"tables": {}, "warc": [], "report": {}}]
    commit(out, header, 1, entries, {"reason": "complete", "seconds": 1.0} if ended else None)


def test_the_same_command_is_run_under_mpiexec(launcher: type[FakeLauncher], tmp_path: Path) -> None:
    begin(tmp_path / "session", ended=True)
    arguments = [SEED, "--ranks", "3", "--out", str(tmp_path / "session")]
    assert start_ranks._start_ranks("crawl", options(tmp_path / "session"), arguments) == 0
    assert launcher.last.command == [
        "/bin/mpiexec",
        "-n",
        "3",
        sys.executable,
        "-P",
        "-m",
        "cutweb",
        "crawl",
        *arguments,
    ]
    assert launcher.last.options["start_new_session"], "the terminal's Ctrl-C would reach the ranks twice"
    assert TERMINAL_VARIABLE not in os.environ


SENT = (signal.SIGTERM, signal.SIGUSR1, signal.SIGTERM, signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize(
    ("repetition", "passed_on"),
    [
        (1000.0, [signal.SIGUSR1] * 5),
        (0.0, [signal.SIGUSR1, signal.SIGUSR1, signal.SIGUSR2]),
    ],
)
def test_signals_are_passed_on_and_a_second_one_as_one_that_ends(
    launcher: type[FakeLauncher],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    repetition: float,
    passed_on: list[signal.Signals],
) -> None:
    """`timeout` sends its signal to a process and to its group: one that follows at once is no second one."""
    monkeypatch.setattr(launched_ranks, "REPETITION_SECONDS", repetition)
    start_ranks._start_ranks("crawl", options(tmp_path / "session"), [])
    for number in SENT:
        os.kill(os.getpid(), number)
    assert launcher.last.signals == passed_on


@pytest.mark.parametrize(("code", "exit_code"), [(0, 1), (1, 1), (137, 137), (-9, 1)])
def test_a_crawl_that_was_cut_off_is_never_a_success(
    launcher: type[FakeLauncher], tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int, exit_code: int
) -> None:
    begin(tmp_path / "session", ended=False)
    launcher.code = code
    assert start_ranks._start_ranks("crawl", options(tmp_path / "session"), []) == exit_code
    error = capsys.readouterr().err
    assert "the crawl was cut off" in error
    assert f"mpiexec exit code {code}" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("code", [0, 1, 137])
def test_a_session_that_ended_before_is_no_success_of_ranks_that_never_began(
    launcher: type[FakeLauncher], tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    header = claim(tmp_path / "session", run="run", ranks=1, assignment="page-hash", configuration={})
    commit(tmp_path / "session", header, 1, [{"tables": {}, "warc": [], "report": {}}], {"reason": "signal"})
    launcher.code = code
    assert start_ranks._start_ranks("crawl", options(tmp_path / "session"), []) == (code or 1)
    assert "before the crawl began" in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 1, 137])
def test_a_crawl_that_never_began_is_no_success_either(
    launcher: type[FakeLauncher], tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    launcher.code = code
    assert start_ranks._start_ranks("crawl", options(tmp_path / "session"), []) == (code or 1)
    assert "before the crawl began" in capsys.readouterr().err


def test_what_the_ranks_refused_is_not_explained_again(
    launcher: type[FakeLauncher], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher.code = 2
    assert start_ranks._start_ranks("crawl", options(tmp_path / "session"), []) == 2
    assert capsys.readouterr().err == ""


CRAWL: Command[CrawlOptions, Plan] = Command("crawl", parsed, plan, lambda comm, plan: Closing(""))


def test_rank_0_refuses_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = start_ranks._asked(CRAWL, [SEED, "--contact", "me@a.example", "--scope", "all"])
    assert start_ranks._prepare(CRAWL, asked, 1, []) == 2
    assert capsys.readouterr().err == "cutweb crawl: --out DIR is required\n"
    assert start_ranks._prepare(CRAWL, start_ranks._asked(CRAWL, ["--help"]), 1, []) == 0


class Wanted(NamedTuple):
    """What another command is asked for."""

    text: str
    ranks: int | None = None
    partition: Path | None = None
    scratch: Path | None = None
    out: Path | None = None


def wanted(arguments: list[str]) -> Wanted | int:
    if arguments == ["nothing"]:
        return 0
    if arguments == ["nonsense"]:
        raise UsageError("what is nonsense?")
    return Wanted(*arguments)


def planned(asked: Wanted, ranks: int, held: Sequence[HeldMap], scratch_problems: Sequence[str | None]) -> str:
    if asked.text == "too much":
        raise UsageError(f"{asked.text} for {ranks}")
    return f"{asked.text} with {ranks} and {len(held)}"


def test_any_command_can_run_as_ranks(no_launcher: None, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[tuple[int, str]] = []

    def run(comm: Any, plan: str) -> Closing:
        ran.append((comm.size, plan))
        return Closing("done")

    command: Command[Wanted, str] = Command("say", wanted, planned, run)
    assert start_ranks.launch(command, ["this"]) == 0
    assert capsys.readouterr() == ("done\n", "")
    assert ran == [(1, "this with 1 and 1")]
    assert start_ranks.launch(command, ["nothing"]) == 0
    assert start_ranks.launch(command, ["nonsense"]) == start_ranks.launch(command, ["too much"]) == 2
    assert capsys.readouterr() == ("", "cutweb say: what is nonsense?\ncutweb say: too much for 1\n")
    assert len(ran) == 1


def test_the_exit_code_of_a_run_is_that_of_its_ranks(no_launcher: None) -> None:
    command: Command[Wanted, str] = Command("say", wanted, planned, lambda comm, plan: Closing("", 4))
    assert start_ranks.launch(command, ["this"]) == 4


def test_a_launcher_passes_on_that_nothing_was_fetched(launcher: type[FakeLauncher], tmp_path: Path) -> None:
    begin(tmp_path / "session", ended=True)
    launcher.code = 4
    assert start_ranks._start_ranks("crawl", options(tmp_path / "session"), []) == 4


def test_all_problems_are_told_a_line_each(no_launcher: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert crawl([SEED, "--scratch", "/no/where", "--ca-cert", "/no/ca.pem"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("cutweb crawl: ") for line in lines)
    begins = [line.split()[2].rstrip(":") for line in lines]
    assert begins == ["--scratch", "--out", "--contact", "neither", "--ca-cert"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_while_the_plan_is_made_ends_all_ranks_in_order(
    no_launcher: None, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    def plan_for_long(asked: Wanted, *_found: object) -> str:
        os.kill(os.getpid(), number)
        return "too late"

    command: Command[Wanted, str] = Command("say", wanted, plan_for_long, lambda comm, plan: Closing(plan))
    assert start_ranks.launch(command, ["this"]) == 128 + number
    assert capsys.readouterr() == ("", "")


def test_a_signal_before_the_plan_is_run_is_for_the_run(no_launcher: None, capsys: pytest.CaptureFixture[str]) -> None:
    def run(comm: Any, plan: str) -> Closing:
        os.kill(os.getpid(), signal.SIGTERM)
        stop = StopSignal()
        stop.listen()
        return Closing(f"{plan}: {stop.is_set}")

    command: Command[Wanted, str] = Command("say", wanted, planned, run)
    assert start_ranks.launch(command, ["this"]) == 0
    assert capsys.readouterr() == ("this with 1 and 1: True\n", "")


@pytest.mark.parametrize("code", [0, 1])
def test_another_command_is_started_and_spoken_of_by_its_name(
    launcher: type[FakeLauncher], tmp_path: Path, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    launcher.code = code
    assert start_ranks._start_ranks("say", Wanted("this", 3, out=tmp_path / "session"), ["this"]) == 1
    assert launcher.last.command[-3:] == ["cutweb", "say", "this"]
    assert "before the say began" in capsys.readouterr().err
    begin(tmp_path / "session", ended=False)
    start_ranks._start_ranks("say", Wanted("this", 3, out=tmp_path / "session"), ["this"])
    assert capsys.readouterr().err.startswith(f"cutweb say: the say was cut off (mpiexec exit code {code})")


def run_that_meets(error: BaseException, out: Path | None) -> Command[Wanted, str]:
    def run(comm: Any, plan: str) -> Closing:
        raise error

    return Command("say", lambda arguments: Wanted("this", out=out), planned, run)


def test_a_full_disk_ends_a_run_with_one_line_and_no_traceback(
    no_launcher: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    begin(tmp_path / "session", ended=False)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "some/file")
    assert start_ranks.launch(run_that_meets(full, tmp_path / "session"), []) == 1
    assert capsys.readouterr() == (
        "",
        "cutweb say: rank 0 of 1: some/file: No space left on device; everything up to epoch 1 is kept\n",
    )


def test_a_run_whose_session_is_another_runs_says_so_and_ends(
    no_launcher: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fenced = FencedError("session: another run has taken this session over")
    assert start_ranks.launch(run_that_meets(fenced, tmp_path), []) == 3
    assert capsys.readouterr().err == f"cutweb say: rank 0 of 1: {fenced}\n"


def test_a_disk_that_is_full_before_the_run_begins_is_refused(
    no_launcher: None, capsys: pytest.CaptureFixture[str]
) -> None:
    def planned_in_vain(asked: Wanted, *_found: object) -> str:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "some/file")

    command: Command[Wanted, str] = Command("say", wanted, planned_in_vain, lambda comm, plan: Closing(plan))
    assert start_ranks.launch(command, ["this"]) == 2
    assert capsys.readouterr().err == "cutweb say: some/file: Read-only file system\n"


def test_a_scratch_folder_that_cannot_be_is_refused_before_anything_is_written(
    no_launcher: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    out, scratch = tmp_path / "session", tmp_path / "file" / "scratch"
    assert crawl([SEED, "--out", str(out), "--scratch", str(scratch), "--contact", "me@a.example"]) == 2
    assert capsys.readouterr().err.startswith(f"cutweb crawl: --scratch {scratch}: Not a directory: name a folder")
    assert not out.exists()


def test_a_crawl_whose_name_no_robots_txt_can_say_warns(capsys: pytest.CaptureFixture[str]) -> None:
    crawl_command._warn_of_name(CrawlOptions(user_agent="Mozilla/5.0 (compatible; MyBot/1.0)"))
    crawl_command._warn_of_name(CrawlOptions(user_agent="Mozilla/5.0", robots_token="MyBot"))
    assert capsys.readouterr().err == ""
    crawl_command._warn_of_name(CrawlOptions(user_agent="Mozilla/5.0"))
    assert "'Mozilla'; give its name with --robots-token NAME\n" in capsys.readouterr().err
