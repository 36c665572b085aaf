"""Every moment at which a crawl can be killed, told by the journal of an undisturbed one, and what each leaves.

A scene is a crawl from some state of its folder to its end.  Its journal says what was on disk before each operation;
there the crawl is resumed, and what comes of that is judged.
"""

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scripts.crash.full_disk import LIVE, Disk
from scripts.crash.journal import Journal, Operation
from scripts.crash.tiny_crawl import (
    ASSEMBLED,
    CLOSING,
    COMMITTED,
    ENDED,
    ENDING,
    SEEDED,
    Beginning,
    arguments_of,
    command,
    faults_of,
)
from scripts.crash.verdict import Found
from sessions.session import HEADER

SESSION = "new/session"
"""Its folder is made with the one that it lies in."""
BEGIN, TAKE_OVER, FETCHING, COMMIT, END = "begin", "take-over", "fetching", "commit", "end"
PHASES = (BEGIN, TAKE_OVER, FETCHING, COMMIT, END)
WATCHED = tuple(f"{SESSION}/{name}" for name in ("log/", "alive", "control.json", "live.json", ".live.json"))

Work = Callable[[Path, Journal], object]


class Point(NamedTuple):
    """Before the operation of this ``number`` in a scene's journal; the ``epochs`` were committed by then."""

    number: int
    phase: str
    epochs: int

    def told(self, operations: list[Operation]) -> str:
        """For people."""
        if self.number == len(operations):
            return "after the end"
        operation = operations[self.number]
        return f"before {self.number} ({operation.kind} {operation.path} {operation.target}) of {self.phase}"


@dataclass
class Scene:
    """A crawl in ``SESSION`` of the folder ``start``, and its journal."""

    name: str
    start: Path
    work: Work
    resume: tuple[str, ...] = ()
    ranks: int = 1
    beginning: Beginning = SEEDED
    operations: list[Operation] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    epochs_before: int = 0

    def play(self, folder: Path) -> "Scene":
        """Do it in ``folder``, which is made and becomes a copy of the start."""
        disk = Disk(self.start)
        disk.leave(folder)
        self.epochs_before = len(list((folder / SESSION / "epochs").glob("[0-9]*.json")))
        journal = Journal(folder)
        with journal.kept():
            self.work(folder / SESSION, journal)
        self.operations = journal.operations
        for operation in self.operations:
            disk.do(operation)
        self.unseen = disk.differences(folder)
        return self

    def points(self) -> list[Point]:
        """All points, of those between which nothing happened but to what is there for watchers the last."""
        is_new = not (self.start / SESSION / HEADER).exists()
        phase, epochs, points = BEGIN if is_new else TAKE_OVER, self.epochs_before, []
        for number, operation in enumerate(self.operations):
            if operation.kind == "mark":
                phase = {ASSEMBLED: FETCHING, CLOSING: COMMIT, COMMITTED: FETCHING, ENDING: END}.get(
                    operation.path, phase
                )
                epochs += operation.path == COMMITTED
                if operation.path == COMMITTED and self._is_last(number):
                    phase = END
            elif not operation.path.startswith(WATCHED):
                points.append(Point(number, phase, epochs))
        return [*points, Point(len(self.operations), END, epochs)]

    def is_of_record(self, point: Point, epoch: int) -> bool:
        """Is the commit record of an epoch about to get its name?"""
        its = self.operations[point.number : point.number + 1]
        return any(one.kind == "link" and one.target.endswith(f"/{epoch:06d}.json") for one in its)

    def attempts(self, points: list[Point]) -> list[int]:
        """How many operations come before each point."""
        marks = [operation.kind == "mark" for operation in self.operations]
        return [point.number - sum(marks[: point.number]) for point in points]

    def states(self, points: list[Point], folder: Path, what: str = LIVE) -> Iterator[Point]:
        """Make ``folder`` what is left at one point after the other."""
        disk, done = Disk(self.start), 0
        for point in points:
            for operation in self.operations[done : point.number]:
                disk.do(operation)
            done = point.number
            disk.leave(folder, what, random.Random(f"{self.name} {point.number}"))
            yield point

    def judged(
        self, expected: Found, points: list[Point], folder: Path, what: str = LIVE
    ) -> Iterator[tuple[Point, list[str]]]:
        """The points, each with what is wrong after it."""
        for point in self.states(points, folder, what):
            yield point, faults_of(folder / SESSION, expected, point.epochs, *self.resume, beginning=self.beginning)

    def _is_last(self, number: int) -> bool:
        return not any(one.kind == "mark" and one.path != ENDED for one in self.operations[number + 1 :])


_NEEDING_ROOM = ("create", "write", "mkdir", "link", "rename", "fsync")


class FailingDisk:
    """Fails at the operation after ``fuse`` others, and if it ``stays`` so at all that need room from then on."""

    def __init__(self, fuse: int, number: int, *, stays: bool) -> None:
        self.has_failed = False
        self._left = fuse
        self._number = number
        self._stays = stays

    def __call__(self, kind: str, path: str) -> None:
        self._left -= 1
        if self._left < 0 and kind in _NEEDING_ROOM and (self._stays or not self.has_failed):
            self.has_failed = True
            named = () if kind in ("write", "fsync") else (path,)
            raise OSError(self._number, os.strerror(self._number), *named)


def faults_of_failing(scene: Scene, fuse: int, number: int, expected: Found, folder: Path, *, stays: bool) -> list[str]:
    """What is wrong with how a crawl ends whose disk fails at an operation, or with what comes of it when it is mended.

    The error's ``number`` is that of `errno`.
    """
    Disk(scene.start).leave(folder)
    out = folder / SESSION
    disk = FailingDisk(fuse, number, stays=stays)
    journal = Journal(folder, disk)
    is_begun = (out / HEADER).exists()
    scene.beginning.write_rules(out)
    arguments = ["--take-over", "--resume", str(out), *scene.resume] if is_begun else arguments_of(scene.beginning, out)
    ended = command(journal, *arguments)
    lines = [line for line in ended.complained.splitlines() if line.startswith("cutweb")]
    faults = []
    if ended.code:
        reason = os.strerror(number)
        is_told = len(lines) == 1 and reason in lines[0] and folder.name in lines[0]
        if not is_told or "Traceback" in ended.complained or ended.code not in (1, 2):
            faults.append(f"ended with {ended.code}, and said {ended.complained[-600:]!r}")
    elif disk.has_failed and stays:
        faults.append("ended with 0 although its disk failed")
    epochs = scene.epochs_before + sum(one[:2] == ("mark", COMMITTED) for one in journal.operations)
    return faults + faults_of(out, expected, epochs, *scene.resume, beginning=scene.beginning)


def state_at(scene: Scene, point: Point, folder: Path) -> Path:
    """Make ``folder`` what a kill leaves at a point; the folder."""
    for _ in scene.states([point], folder):
        pass
    return folder


def around(points: list[Point], phases: tuple[str, ...]) -> list[Point]:
    """Those of some phases."""
    return [point for point in points if point.phase in phases]
