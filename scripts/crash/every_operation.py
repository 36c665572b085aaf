"""A crawl is killed before every one of its file operations, and resumed: is it then as if nothing had happened?

Not random as `__main__`, but all: each operation (create, write, truncate, fsync, link, rename, unlink, mkdir, rmdir)
of a crawl's begin, of one that takes a session over, of closing and committing an epoch, and of the end, on a web of
some pages.  A journal of an undisturbed crawl tells what is on disk before each; power cuts leave less than that
(`full_disk`).  What is left is resumed, in the same folder begun again where there is no session yet, and must come to
the pages, links, outcomes and documents of an undisturbed crawl, be accepted by `cutweb check` before and after, ask
for no page that was committed, keep each epoch that was, and leave no file that is not the session's.

    python -m scripts.crash.every_operation              all of it, some minutes
    python -m scripts.crash.every_operation --ranks 2    crawls by two ranks, of which either may be ahead; one resumes
    python -m scripts.crash.every_operation --worklist   crawls that keep to a worklist
    python -m scripts.crash.every_operation --merging    crawls that merge their own files, and fold records, all along
    python -m scripts.crash.every_operation --on-disk    crawls in next to no memory, whose structures merge on disk
    python -m scripts.crash.every_operation --rules      crawls with rules, in whose file others stand after a while
    python -m scripts.crash.every_operation --works      cutweb compact, in several ways, and forget (`works`)
    python -m scripts.crash.every_operation --one-in 10  a tenth of it, for a first look
    python -m scripts.crash.every_operation --save       and keep the table in docs/resuming.md
"""

import argparse
import multiprocessing
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from crawler.worklist.make_worklist import WorklistSettings, make_worklist
from partition.communication.ranks import Ranks
from scripts.crash.full_disk import CHANCE, LIVE, POWER_CUTS
from scripts.crash.journal import Journal
from scripts.crash.merge_points import ALONE, TOGETHER, around_merges
from scripts.crash.points import (
    BEGIN,
    COMMIT,
    END,
    PHASES,
    SESSION,
    TAKE_OVER,
    Point,
    Scene,
    around,
    faults_of_failing,
    state_at,
)
from scripts.crash.ranks import played_by_ranks
from scripts.crash.tiny_crawl import ON_DISK, SEEDED, Beginning, begin, go_on
from scripts.crash.verdict import Found
from scripts.crash.works import BROKEN, ERRORS, FULL, WorkGround
from scripts.shared.doc_tables import keep, table
from scripts.shared.this_machine import this_machine
from sessions.session import HEADER, Session
from sessions.writing import merging

TWICE = "kill, then kill of the take-over"
WAYS = (LIVE, TWICE, *POWER_CUTS, FULL, BROKEN)
WORKLIST, MERGING, RULES, WORKS, DISK = KINDS = ("worklist", "merging", "rules", "works", "on_disk")
"""Crawls by a worklist; that merge their files all along; with rules that change; works on a session; and crawls whose
URLs, documents and pairs of domains are on disk, and merge there in pieces."""
_MERGE_EVERY = 2


class Task(NamedTuple):
    """Some points of a scene, and what happens there."""

    scene: str
    points: tuple[Point, ...]
    way: str


@dataclass
class Tried:
    """How many points were tried, by way and phase, and what went wrong."""

    points: Counter[tuple[str, str]]
    faults: list[tuple[str, str, str]]


class Ground:
    """What all tasks share: scenes of crawls by one rank or two, in ``folder``, and what an undisturbed one finds."""

    def __init__(self, folder: Path, ranks: int, kind: str = "") -> None:
        self.folder = folder
        self._beginning = _beginning(kind, folder)
        self._begin(folder / "undisturbed")
        self.expected = Found.of(Session.open(folder / "undisturbed"))
        self.scenes: dict[str, Scene] = {}
        nothing = folder / "nothing"
        nothing.mkdir()
        self._is_alone, self._is_on_disk = ranks == 1, kind == DISK
        if self._is_on_disk:
            self._play_on_disk(nothing)
        elif self._is_alone:
            self._play_alone(nothing)
        else:
            self._play_together(nothing)

    def _begin(self, out: Path, journal: Journal | None = None, **options: Any) -> None:
        begin(out, journal, beginning=self._beginning, **options)

    def _play_on_disk(self, nothing: Path) -> None:
        if self._is_alone:
            self._add(Scene("new", nothing, self._begin, beginning=self._beginning))
            return
        for scene in played_by_ranks("new", nothing, self.folder / "played-new", self._beginning):
            self._know(scene)

    def _play_together(self, nothing: Path) -> None:
        new = played_by_ranks("new", nothing, self.folder / "played-new")
        last = [point for point in new[0].points() if new[0].is_of_record(point, 2)][-1]
        start = state_at(new[0], last, self.folder / "killed")
        for scene in (*new, *played_by_ranks("killed", start, self.folder / "played-killed")):
            self._know(scene)

    def _play_alone(self, nothing: Path) -> None:
        folder = self.folder
        new = self._add(Scene("new", nothing, self._begin, beginning=self._beginning))
        last = [point for point in new.points() if new.is_of_record(point, 2)][-1]
        self._add(
            Scene(
                "killed",
                state_at(new, last, folder / "killed"),
                lambda out, journal: go_on(out, journal=journal),
                beginning=self._beginning,
            )
        )
        limited, more = folder / "limited", ("--max-pages", "100")
        self._begin(limited / SESSION, max_pages=4)
        self._add(
            Scene(
                "limited",
                limited,
                lambda out, journal: go_on(out, *more, journal=journal),
                more,
                beginning=self._beginning,
            )
        )

    def _add(self, scene: Scene) -> Scene:
        return self._know(scene.play(self.folder / f"played-{scene.name}"))

    def _know(self, scene: Scene) -> Scene:
        if scene.unseen:
            sys.exit(f"crash: the journal does not tell of {', '.join(scene.unseen)}")
        self.scenes[scene.name] = scene
        return scene

    def tasks(self) -> list[Task]:
        """All there is to try, in pieces."""
        tasks = []
        for scene in self.scenes.values():
            all_points = (
                around_merges(scene, ALONE if self._is_alone else TOGETHER) if self._is_on_disk else scene.points()
            )
            points = all_points if scene.name.startswith("new") else around(all_points, (TAKE_OVER,))
            for way in self._ways():
                tasks += [Task(scene.name, tuple(some), way) for some in _pieces(points, 8)]
        if not self._is_alone or self._is_on_disk:
            return tasks
        new = self.scenes["new"]
        first = new.points()
        first = [
            *around(first, (BEGIN,)),
            *(p for p in around(first, (COMMIT,)) if p.epochs == 0),
            *around(first, (END,)),
        ]
        return tasks + [Task(new.name, (point,), TWICE) for point in first]

    def _ways(self) -> tuple[str, ...]:
        """What happens at each point; of what merges beside a session nothing is synced, so one power cut is enough."""
        if not self._is_alone:
            return (LIVE, CHANCE)
        return (LIVE, CHANCE, FULL, BROKEN) if self._is_on_disk else (LIVE, *POWER_CUTS, FULL, BROKEN)

    def carry_out(self, task: Task, place: Path) -> Tried:
        """Do a task in a folder of its own, which is removed."""
        scene, tried = self.scenes[task.scene], Tried(Counter(), [])
        if task.way == TWICE:
            self._twice(scene, task.points[0], place, tried)
        elif task.way in ERRORS:
            for point, before in zip(task.points, scene.attempts(list(task.points)), strict=True):
                number, stays = ERRORS[task.way], task.way == FULL
                faults = faults_of_failing(scene, before, number, self.expected, place, stays=stays)
                _count(tried, scene, point, task.way, faults)
        else:
            for point, faults in scene.judged(self.expected, list(task.points), place, task.way):
                _count(tried, scene, point, task.way, faults)
        shutil.rmtree(place, ignore_errors=True)
        return tried

    def _twice(self, scene: Scene, point: Point, place: Path, tried: Tried) -> None:
        """Kill what goes on after a kill, before each of its operations until it begins to fetch."""
        place.mkdir()
        start = state_at(scene, point, place / "killed")
        is_session = (start / SESSION / HEADER).exists()
        work = (lambda out, journal: go_on(out, journal=journal)) if is_session else self._begin
        try:
            second = Scene(f"{scene.name} {point.number}", start, work, beginning=self._beginning).play(place / "again")
        except SystemExit:  # it has ended: nothing is done
            return
        for later, faults in second.judged(self.expected, around(second.points(), (BEGIN, TAKE_OVER)), place / "twice"):
            told = [f"{later.told(second.operations)}: {fault}" for fault in faults]
            _count(tried, scene, point, TWICE, told)


def _beginning(kind: str, folder: Path) -> Beginning:
    if kind == DISK:
        return ON_DISK
    return _by_worklist(folder) if kind == WORKLIST else SEEDED._replace(has_rules=kind == RULES)


def _by_worklist(folder: Path) -> Beginning:
    """A crawl by a worklist of one that a limit ended: half of what it lists is new."""
    begin(folder / "earlier", max_pages=6)
    make_worklist(Ranks(), [folder / "earlier"], folder / "listed", WorklistSettings(datetime.now(UTC)))
    return Beginning((), folder / "listed")


def _count(tried: Tried, scene: Scene, point: Point, way: str, faults: Iterable[str]) -> None:
    tried.points[way, point.phase] += 1
    tried.faults += [(way, point.phase, f"{scene.name}, {point.told(scene.operations)}: {fault}") for fault in faults]


def _pieces(points: list[Point], size: int) -> list[list[Point]]:
    return [points[start : start + size] for start in range(0, len(points), size)]


class Works:
    """Works on a session that is there, in the place of a crawl."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ground = WorkGround(folder)

    def tasks(self) -> list[Task]:
        """All there is to try, in pieces."""
        return [
            Task(scene.name, tuple(some), way)
            for scene in self._ground.scenes.values()
            for way in WAYS
            if way != TWICE
            for some in _pieces(scene.points(), 8)
        ]

    def carry_out(self, task: Task, place: Path) -> Tried:
        """Do a task in a folder of its own, which is removed."""
        tried = Tried(Counter(), [])
        for point, faults in self._ground.tried(task.scene, list(task.points), task.way, place):
            _count(tried, self._ground.scenes[task.scene], point._replace(phase=task.scene), task.way, faults)
        shutil.rmtree(place, ignore_errors=True)
        return tried


_SECTIONS = {
    WORKLIST: "kills by a worklist",
    MERGING: "kills of merging crawls",
    RULES: "kills with rules",
    WORKS: "kills of works",
    DISK: "kills on disk",
}
_ground: list[Ground | Works] = []


def _work(number: int, task: Task) -> Tried:
    return _ground[0].carry_out(task, _ground[0].folder / f"task-{number}")


def main() -> None:
    """Print what is wrong, and a table; exit code 1 if anything is."""
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="cutweb-kills-", dir=options.folder))
    kind = next((name for name in KINDS if getattr(options, name)), "")
    if kind == MERGING:
        merging.MERGE_EVERY = _MERGE_EVERY
    ground = Works(folder) if kind == WORKS else Ground(folder, options.ranks, kind)
    _ground.append(ground)
    tasks = [task for task in ground.tasks() if options.way is None or task.way == options.way][:: options.one_in]
    points: Counter[tuple[str, str]] = Counter()
    faults: list[tuple[str, str, str]] = []
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        for tried in pool.map(_work, range(len(tasks)), tasks):
            points += tried.points
            faults += tried.faults
            for way, phase, fault in tried.faults:
                print(f"! {way}, {phase}: {fault}", flush=True)
    shutil.rmtree(folder)
    text = _table(points, faults, by_work=kind == WORKS, one_in=options.one_in)
    print(text, end="")
    if options.save:
        keep("resuming.md", _section(kind, options.ranks), text)
    if faults:
        sys.exit(f"{len(faults)} faults")


def _section(kind: str, ranks: int) -> str:
    alone = _SECTIONS.get(kind, "kills")
    return alone if ranks == 1 else f"{alone} of two"


def _table(points: Counter[tuple[str, str]], faults: list[tuple[str, str, str]], *, by_work: bool, one_in: int) -> str:
    """What was tried and failed: a row for each way of dying and a column for each phase, or a row for each work."""
    wrong = Counter((way, phase) for way, phase, _ in faults)
    ways = [way for way in WAYS if any(tried == way for tried, _ in points)]
    if by_work:
        works = [*dict.fromkeys(phase for _, phase in points)]
        head = ["what is done", *ways, "together", "failures"]
        rows = [
            [work, *_row([points[way, work] for way in ways], [wrong[way, work] for way in ways])] for work in works
        ]
    else:
        head = ["what happens", *PHASES, "together", "failures"]
        rows = [[way, *_row([points[way, its] for its in PHASES], [wrong[way, its] for its in PHASES])] for way in ways]
    sample = f", one in {one_in}" if one_in > 1 else ""
    return f"{sum(points.values()):,} points{sample}, {len(faults)} failures; {this_machine()}:\n\n{table(head, rows)}"


def _row(counts: list[int], failures: list[int]) -> list[str]:
    return [*map(str, counts), str(sum(counts)), str(sum(failures))]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=WAYS, help="only one of the ways")
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="of each N groups of eight points only one")
    parser.add_argument("--ranks", type=int, choices=(1, 2), default=1, help="of the crawls that are killed")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--worklist", action="store_true", help="crawls by a worklist, of one rank")
    kinds.add_argument("--merging", action="store_true", help="crawls of one rank that merge their files all along")
    kinds.add_argument("--on-disk", action="store_true", help="crawls in next to no memory, by one rank or two")
    kinds.add_argument("--rules", action="store_true", help="crawls of one rank with rules that change")
    kinds.add_argument("--works", action="store_true", help="cutweb compact and forget instead of crawls")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--folder", type=Path, help="where the folder goes that all is done in")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/resuming.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
