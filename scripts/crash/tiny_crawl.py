"""Crawls of a tiny invented web in this process, in no real time: begun, gone on with, and judged when they end.

They run as ``cutweb crawl`` runs them once its options are parsed, on a web with a clock of its own.  While a journal
is kept they mark in it where they stand.
"""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest import mock

from mpi4py import MPI

from crawler.commands import crawl as crawl_command
from crawler.config.command_line import UsageError, parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.launch import start_ranks
from crawler.launch.plan import plan
from crawler.launch.resume_plan import plan_to_resume
from crawler.launch.undamaged import damage_found
from crawler.rank import crawl as crawl_module
from crawler.rank.rank import Rank
from scripts.crash.journal import Journal
from scripts.crash.tiny_web import MANY_ROOTS, ROOTS, URLS, script
from scripts.crash.verdict import Found, settled, verdict
from sessions.checking.check import check_session
from sessions.rule_records import RULES
from sessions.session import HEADER, SEEDS, Session, epoch_path
from sessions.writing.recorder import rank_folder
from tests.crawler.support.fake_web import FakeWeb

_OPTIONS: dict[str, Any] = {
    "contact": "https://crawler.example/",
    "scope": "sites",
    "external": "all",
    "epoch_seconds": 4.0,
    "superstep": 1.0,
    "log_json": True,
    "traps": False,
}

NOTHING_MORE: Mapping[str, Any] = MappingProxyType({})
EARLIER_RULES = '[[rule]]\nsite = "a.example"\nnote = "soon"\n'
LATER_RULES = f'[[rule]]\nprefix = "{URLS[8]}"\nblock = true\n'
"""What stands in a file of rules first, and after the first commit: no crawl has come to what they block by then."""


class Beginning(NamedTuple):
    """What a crawl begins with: URLs, or a worklist, which it keeps to; and whether it has rules, which change.

    ``kept`` are more options, by name.
    """

    urls: tuple[str, ...] = ROOTS
    worklist: Path | None = None
    has_rules: bool = False
    kept: Mapping[str, Any] = NOTHING_MORE

    def options(self, out: Path) -> dict[str, Any]:
        """The options that say so, of a crawl in ``out``."""
        asked: dict[str, Any] = {"urls": self.urls, "worklist": self.worklist, **self.kept}
        return asked | ({"rules": rules_of(out)} if self.has_rules else {})

    def arguments(self, out: Path) -> list[str]:
        """The same on the command line."""
        begun = [*self.urls] if self.worklist is None else ["--worklist", str(self.worklist)]
        return [*begun, *_arguments(self.kept), *(["--rules", str(rules_of(out))] if self.has_rules else [])]

    def write_rules(self, out: Path, rules: str = EARLIER_RULES) -> None:
        """Write the file of rules of a crawl in ``out``, if it has any."""
        if self.has_rules:
            rules_of(out).write_text(rules)

    @property
    def end(self) -> str:
        """Why the crawl ends."""
        return "complete" if self.worklist is None else "worklist"


SEEDED = Beginning()
_MEMORIES = ("seen", "sent", "content", "duplicate", "frontier", "budget")
ON_DISK = Beginning(
    MANY_ROOTS,
    kept={f"{name}_memory": 0.0001 for name in _MEMORIES}
    | {"order": "budget", "delay": 0.1, "superstep": 0.6, "epoch_seconds": 60.0},
)
"""A crawl that has next to no memory: URL-seen, documents and pairs of domains are on disk, and merge there."""
BEGUN, ASSEMBLED, CLOSING, COMMITTED, ENDING, ENDED = "begun", "assembled", "closing", "committed", "ending", "ended"
"""Marks in a journal: rank 0 has its plan, the rank is put together; an epoch, or the last one, is being closed, and is
committed; the crawl has ended."""


def rules_of(out: Path) -> Path:
    """Where the rules of a crawl stand: beside the folder of which a journal is kept."""
    return out.parents[1].with_name(f"{out.parents[1].name}.rules.toml")


_OURS = {SEEDS, HEADER, "live.json"}


def begin(
    out: Path,
    journal: Journal | None = None,
    ranks: int = 1,
    comm: MPI.Intracomm = MPI.COMM_SELF,
    beginning: Beginning = SEEDED,
    **options: Any,
) -> FakeWeb:
    """Crawl from the beginning to the end, as one of the ranks of ``comm``; the web that was crawled."""
    beginning.write_rules(out)
    asked = CrawlOptions(out=out, ranks=ranks, **{**_OPTIONS, **beginning.options(out), **options})
    return _crawl(lambda: plan(asked, ranks), journal, comm)


def go_on(
    out: Path,
    *arguments: str,
    journal: Journal | None = None,
    ranks: int | None = 1,
    comm: MPI.Intracomm = MPI.COMM_SELF,
) -> FakeWeb:
    """Resume to the end; the web that was crawled.  Raises UsageError if the session cannot go on."""
    own = () if ranks is None else ("--ranks", str(ranks))
    asked = parsed(["--take-over", "--resume", str(out), *own, *arguments])
    assert isinstance(asked, CrawlOptions)
    return _crawl(lambda: plan_to_resume(asked, ranks or 1), journal, comm)


class Ended(NamedTuple):
    """How a command ended: its exit code and what it wrote to standard error."""

    code: int
    complained: str


def command(journal: Journal, *arguments: str) -> Ended:
    """``cutweb crawl`` with these arguments as its only rank, in this process."""
    said = io.StringIO()
    with (
        _marking(journal),
        journal.kept(),
        mock.patch.object(crawl_module, "network_for", return_value=FakeWeb(script())),
        mock.patch.object(MPI, "COMM_WORLD", _World()),
        mock.patch.object(start_ranks, "hold_stops"),
        redirect_stderr(said),
        redirect_stdout(io.StringIO()),
    ):
        try:
            asked = start_ranks.Command("crawl", parsed, crawl_command._plan, crawl_command._crawl, damage_found)
            code = start_ranks._be_a_rank(asked, list(arguments))
        except _AbortError as abort:
            code = abort.code
    return Ended(code, said.getvalue())


def arguments_of(beginning: Beginning, out: Path) -> list[str]:
    """The arguments that begin the crawl of `begin`."""
    return ["--out", str(out), *_arguments(_OPTIONS), "--log-json", "--no-traps", *beginning.arguments(out)]


def _arguments(kept: Mapping[str, Any]) -> list[str]:
    """Options that are not flags, on the command line."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in kept.items() if not isinstance(value, bool)]


class _AbortError(BaseException):
    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _World:
    """A communicator of one rank whose `Abort` ends the command and not the process."""

    def __getattr__(self, name: str) -> Any:
        return getattr(MPI.COMM_SELF, name)

    def Abort(self, code: int) -> None:  # noqa: N802
        raise _AbortError(code)


def _crawl(planned: Any, journal: Journal | None, comm: MPI.Intracomm) -> FakeWeb:
    web = FakeWeb(script())
    with _marking(journal), mock.patch.object(crawl_module, "network_for", return_value=web), _silence():
        its_plan = comm.bcast(planned() if comm.rank == 0 else None)
        if journal is not None:
            journal.mark(BEGUN)
        crawl_module.crawl(comm, its_plan)
        if journal is not None:
            journal.mark(ENDED)
    return web


@contextmanager
def _marking(journal: Journal | None) -> Iterator[None]:
    journal = journal or Journal(Path())
    assemble, close = crawl_module.live_rank, crawl_module._close_epoch

    def live_rank(ground: Any) -> Rank:
        rank = assemble(ground)
        journal.mark(ASSEMBLED)
        return rank

    def close_epoch(its_plan: Any, rank: Rank, ended: dict[str, Any] | None = None, *, is_last: bool) -> None:
        journal.mark(CLOSING if ended is None else ENDING)
        close(its_plan, rank, ended, is_last=is_last)
        journal.mark(COMMITTED)
        if its_plan.options.rules is not None:
            its_plan.options.rules.write_text(LATER_RULES)

    with mock.patch.multiple(crawl_module, live_rank=live_rank, _close_epoch=close_epoch):
        yield


@contextmanager
def _silence() -> Iterator[None]:
    with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
        yield


def faults_of(
    out: Path,
    expected: Found,
    least_epochs: int = 0,
    *arguments: str,
    ranks: int = 1,
    beginning: Beginning = SEEDED,
) -> list[str]:
    """What is wrong with a folder in which a crawl was killed, and with what becomes of it when it is resumed.

    ``least_epochs`` were committed before.  Where there is no session, the crawl is begun again in the same folder.
    """
    if not (out / HEADER).exists():
        return _faults_of_none(out, expected, least_epochs, beginning)
    findings = check_session(out)
    faults = [f"check before: {kind}: {one}" for kind, some in findings.problems.items() for one in some[:2]]
    session = Session.open(out)
    if session.last_epoch < least_epochs:
        faults.append(f"{least_epochs} epochs were committed, {session.last_epoch} are there")
    committed = settled(out)
    beginning.write_rules(out, LATER_RULES)
    more = ["--rules", str(rules_of(out))] if beginning.has_rules else []
    try:
        web = go_on(out, *arguments, *more, ranks=ranks)
    except SystemExit as left:
        has_ended = session.ended is not None and session.ended["reason"] == beginning.end
        return faults + ([] if has_ended and left.code == 0 else [f"resume left with {left.code}"])
    except (Exception, AssertionError) as error:
        return [*faults, f"resume: {type(error).__name__}: {error}"]
    again = sorted(committed & set(web.requests()))
    faults += [f"fetched again: {', '.join(again)}"] if again else []
    return faults + verdict(out, expected) + leftovers(out)


def _faults_of_none(out: Path, expected: Found, least_epochs: int, beginning: Beginning) -> list[str]:
    if least_epochs:
        return [f"{least_epochs} epochs were committed, and there is no session"]
    before = listing(out)
    faults = []
    try:
        go_on(out)
        faults.append("resume: went on with nothing")
    except UsageError as error:
        if HEADER not in str(error) or "\n" in str(error):
            faults.append(f"resume: refused with {error}")
    except Exception as error:
        faults.append(f"resume: {type(error).__name__}: {error}")
    if listing(out) != before:
        faults.append("resume: changed what it refused")
    try:
        begin(out, beginning=beginning)
    except Exception as error:
        return [*faults, f"begin again: {type(error).__name__}: {error}"]
    return faults + verdict(out, expected) + leftovers(out)


def leftovers(out: Path) -> list[str]:
    """Files of a session that ended which are no part of it."""
    session = Session.open(out)
    own = {file.path for file in session.table_files()} | {file.path for file in session.warc_files()}
    own |= {out / name for name in _OURS}
    own |= {epoch_path(out, record["epoch"]) for record in session.epochs}
    own |= {*(out / RULES).glob("*.json")}
    folders = (
        {out / RULES} | {rank_folder(out, rank) for rank in range(session.most_ranks)} | {out / "epochs", out / "log"}
    )
    left = {path for path in out.rglob("*") if path.parent != out / "log"} - own - folders
    return [f"left behind: {', '.join(sorted(str(path.relative_to(out)) for path in left))}"] if left else []


def listing(folder: Path) -> dict[str, bytes | None]:
    """All that lies in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
