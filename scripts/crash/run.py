"""One run of the crash test: a crawl hit again and again, resumed each time, and judged when it has ended."""

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from scripts.crash.moments import Watch
from scripts.crash.plans import CUT_OFF, SIGNALS, STEP, TAKEN_OVER, Attempt, Blow, CrashRun
from scripts.crash.power_cut import lose_uncommitted
from scripts.crash.processes import Crawl, StuckError
from scripts.crash.reference_crawl import Ground
from scripts.crash.verdict import settled, verdict
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session, SessionError

_COMPLETE = ("crawl ended: complete", "is complete: nothing is left to crawl")
_COMPLAINT_LINES = 3
_GO_ON = "go on with: cutweb crawl --resume"
_FENCED = "taken this session over"


@dataclass
class Outcome:
    """What came of a run: a ``story`` with a line for each attempt, and the ``faults``, if any.

    ``twice`` counts requests beyond the first for a page; ``late`` the blows that came when all was over.
    """

    run: CrashRun
    story: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    blows: list[str] = field(default_factory=list)
    epochs: int = 0
    pages: int = 0
    twice: int = 0
    late: int = 0
    seconds: float = 0.0


def carry_out(ground: Ground, run: CrashRun) -> Outcome:
    """Do it in a folder of its own, which stays if anything is wrong."""
    folder = ground.folder / f"run-{run.number}"
    folder.mkdir()
    expected = ground.expected()
    with ground.web() as web:
        crash = _Crash(ground, run, folder, web)
        try:
            crash.go_through()
        except StuckError as stuck:
            crash.outcome.faults.append(str(stuck))
        finally:
            crash.end_all()
    outcome = crash.outcome
    outcome.faults += verdict(crash.out, expected, has_overlap=run.has_overlap, is_limited=bool(run.limits))
    if not outcome.faults:
        shutil.rmtree(folder)
    return outcome


class _Crash:
    def __init__(self, ground: Ground, run: CrashRun, folder: Path, web: LocalWeb) -> None:
        self._ground = ground
        self._run = run
        self._folder = folder
        self._web = web
        self._rng = random.Random(run.number)
        self._before: Attempt | None = None
        self._crawls: list[Crawl] = []
        self._cut_off: tuple[Crawl, Blow] | None = None
        self.out = folder / "session"
        self.outcome = Outcome(run)

    def go_through(self) -> None:
        """All attempts, until one comes to the crawl's end."""
        for attempt in self._run.attempts:
            if _is_complete(self._attempt(attempt)):
                break
        self._count()

    def end_all(self) -> None:
        """Leave no process behind."""
        for crawl in self._crawls:
            crawl.kill_all()

    def _attempt(self, attempt: Attempt) -> Crawl:
        committed = settled(self.out)
        asked_before = len(self._web.log)
        watch = Watch(self.out, lambda: self._web.requests_served)
        crawl = self._start(attempt)
        stale, self._cut_off = self._cut_off, None
        with ThreadPoolExecutor(1) as thawing:
            thawed = thawing.submit(_thaw, *stale, watch, crawl) if stale is not None else None
            if attempt.blow is not None:
                self._hit(attempt.blow, crawl, watch)
            else:
                crawl.wait()
            if stale is not None and thawed is not None:
                thawed.result()
                self._judge_stale(stale[0], watch)
        if attempt.blow is None and crawl.code != 0:
            self._fault(crawl, f"exit code {crawl.code}")
        if self._cut_off is None:
            crawl.wait_until_gone()
        if attempt.blow is not None and attempt.blow.kind == "power cut":
            lose_uncommitted(self.out, self._rng)
        if not self._run.has_overlap:
            self._judge_requests(crawl, committed, asked_before)
        self._tell(attempt, crawl, watch)
        return crawl

    def _start(self, attempt: Attempt) -> Crawl:
        begins = not (self.out / "session.json").exists()
        if begins:
            self._refuse_nothing()
            command = [*self._ground.begin(self._web, self.out, attempt.ranks), *self._run.limits]
            command += [*self._ground.ownership(attempt), *self._options(attempt)]
        else:
            command = self._go_on(attempt)
        environment = dict(self._ground.environment())
        if attempt.blow is not None and attempt.blow.kind == STEP:
            environment["CUTWEB_CRASH_STEP"] = f"{attempt.blow.rank}:{attempt.blow.moment.amount:.0f}"
        self._before = attempt
        crawl = Crawl(command, self._folder / f"attempt-{len(self._crawls) + 1}", environment)
        self._crawls.append(crawl)
        return crawl

    def _go_on(self, attempt: Attempt) -> list[str]:
        """Say as little as possible: the session knows the rest."""
        before = self._before
        assert before is not None
        command = self._ground.resume(self.out, None if attempt.ranks == before.ranks else attempt.ranks)
        if (attempt.assignment, attempt.ranks) != (before.assignment, before.ranks) and not (
            attempt.assignment == before.assignment != "partition"
        ):
            command += self._ground.ownership(attempt)
            command += [*_rule(attempt)]
        return [*command, *self._scratch(attempt)]

    def _options(self, attempt: Attempt) -> list[str]:
        kept = [option for option in attempt.options if option != "--scratch"]
        return [*kept, *self._scratch(attempt)]

    def _scratch(self, attempt: Attempt) -> list[str]:
        return ["--scratch", str(self._folder / "scratch")] if "--scratch" in attempt.options else []

    def _refuse_nothing(self) -> None:
        """Where an attempt died before there was a session, --resume says so, and the folder can be removed."""
        if not self._crawls:
            return
        done = subprocess.run(
            self._ground.resume(self.out, None),
            capture_output=True,
            text=True,
            check=False,
            env=self._ground.environment(),
        )
        if done.returncode != 2 or "Traceback" in done.stderr or "session" not in done.stderr:
            self.outcome.faults.append(f"resuming nothing: exit code {done.returncode}: {done.stderr[-500:]}")
        shutil.rmtree(self.out, ignore_errors=True)

    def _hit(self, blow: Blow, crawl: Crawl, watch: Watch) -> None:
        if not watch.wait_for(blow.moment, crawl):
            is_late = blow.kind != STEP or crawl.code == 0
            self.outcome.late += is_late
            if is_late and crawl.code != 0:
                self._fault(crawl, f"ended with code {crawl.code} before {blow}")
            self.outcome.blows.append(f"{blow.kind} (late)" if is_late else blow.kind)
            return
        self.outcome.blows.append(blow.kind)
        match blow.kind:
            case "rank":
                crawl.kill_rank(blow.rank)
            case "launcher":
                crawl.kill_launcher()
            case "mpiexec":
                crawl.kill_mpiexec()
            case "all" | "power cut":
                crawl.kill_all()
            case _ if blow.kind in SIGNALS:
                crawl.ask(blow.kind)
            case _:
                assert blow.kind == CUT_OFF
                crawl.stop(blow.rank)
                self._cut_off = crawl, blow
                return
        crawl.wait()
        if blow.kind in SIGNALS:
            self._judge_farewell(crawl, watch)

    def _judge_farewell(self, crawl: Crawl, watch: Watch) -> None:
        """A signal ends a crawl in order and with success; one that has not begun may end with none."""
        if _is_complete(crawl) or (crawl.code == 0 and _GO_ON in crawl.said):
            return
        if watch.new_epochs or crawl.code == 0:
            self._fault(crawl, f"a signal ended it with exit code {crawl.code}, and it said {crawl.said[-300:]!r}")

    def _judge_stale(self, crawl: Crawl, watch: Watch) -> None:
        """What was cut off and is back must not have its way if it was replaced: it ends by itself, and says why."""
        code = crawl.wait()
        crawl.wait_until_gone()
        if watch.has_taken_over and (code == 0 or _FENCED not in crawl.complained):
            self._fault(crawl, f"was cut off and came back: exit code {code}")
        if "Traceback" in crawl.complained:
            self._fault(crawl, "was cut off and came back: a traceback")

    def _judge_requests(self, crawl: Crawl, committed: Collection[str], asked_before: int) -> None:
        again = sorted({url for _, _, url in self._web.log[asked_before:]} & set(committed))
        if again:
            self._fault(crawl, f"asked again for {len(again)} pages that were committed, as {again[0]}")

    def _fault(self, crawl: Crawl, what: str) -> None:
        number = self._crawls.index(crawl) + 1
        last = [line for line in crawl.complained.splitlines() if line][-_COMPLAINT_LINES:]
        self.outcome.faults.append("\n      ".join((f"attempt {number}: {what}", *last)))

    def _tell(self, attempt: Attempt, crawl: Crawl, watch: Watch) -> None:
        pages = len(settled(self.out))
        end = str(attempt.blow) if attempt.blow is not None else "to the end"
        how = f"K={attempt.ranks} {attempt.assignment}{' scratch' if '--scratch' in attempt.options else ''}"
        self.outcome.story.append(
            f"{how}, {end}: {crawl.seconds:.1f} s, {watch.new_epochs} epochs, {pages} pages, code {crawl.code}"
        )
        self.outcome.seconds += crawl.seconds

    def _count(self) -> None:
        asked = Counter(url for _, _, url in self._web.log if not url.endswith("/robots.txt"))
        self.outcome.twice = asked.total() - len(asked)
        try:
            session = Session.open(self.out)
        except SessionError:
            return
        self.outcome.epochs, self.outcome.pages = session.last_epoch, session.read("pages", ["hash"]).num_rows


def _thaw(stale: Crawl, blow: Blow, watch: Watch, crawl: Crawl) -> None:
    assert blow.thaw is not None
    if watch.wait_for(TAKEN_OVER, crawl):
        watch.wait_for(blow.thaw, crawl)
    stale.go_on()


def _is_complete(crawl: Crawl) -> bool:
    return crawl.code == 0 and any(words in crawl.said for words in _COMPLETE)


def _rule(attempt: Attempt) -> list[str]:
    """What the options say of URLs that no map knows, if there is a map."""
    if attempt.assignment != "partition" or "--unknown" not in attempt.options:
        return []
    place = attempt.options.index("--unknown")
    return [*attempt.options[place : place + 2]]
