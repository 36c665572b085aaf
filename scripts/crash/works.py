"""What is done to a session that is there, killed before each file operation: compacting it, and forgetting a site.

Whatever a kill leaves opens, passes `cutweb check` and says what it said before; what is done once more comes to the
same end, and leaves nothing behind.  A session that was compacted is then crawled to its end.
"""

import errno
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner

from crawler.main import cutweb
from scripts.crash.full_disk import LIVE, POWER_CUTS
from scripts.crash.journal import Journal
from scripts.crash.points import SESSION, FailingDisk, Point, Scene
from scripts.crash.tiny_crawl import begin, go_on, leftovers
from scripts.crash.verdict import Found
from sessions.checking.check import check_session
from sessions.schema import TABLES
from sessions.session import Session
from sessions.storage.warc_members import member_at

FULL, BROKEN = "full disk", "one error of the disk"
WAYS = (LIVE, *POWER_CUTS, FULL, BROKEN)
ERRORS = {FULL: errno.ENOSPC, BROKEN: errno.EIO}
_LIMITS = ("6", "9")
_FORGOTTEN = "b.example"
_NEW = "new/without"

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Work:
    """A command on the session of a crawl in several runs; its words, in which ``{}`` is the folder of both sessions.

    If it is written ``anew``, that is where.  Documents whose bodies it ``drops`` are kept again when they come again.
    """

    name: str
    words: tuple[str, ...]
    anew: str | None = None
    drops: bool = False

    def command(self, folder: Path) -> list[str]:
        """The words of the command on a folder."""
        return [word.format(folder) for word in self.words]


def works_on(session: Session) -> list[Work]:
    """What is tried: dates in the middle of the crawl part its epochs and its pages."""
    times = sorted(session.read("pages", ["fetched"])["fetched"].to_pylist())
    fetched, committed = times[len(times) // 2].isoformat(), session.counting[len(session.counting) // 2]["committed"]
    path = f"{{}}/{SESSION}"
    return [
        Work("compact: tables and WARC files merged", ("compact", path)),
        Work("compact --before", ("compact", path, "--before", committed)),
        Work("compact --drop-bodies", ("compact", path, "--drop-bodies"), drops=True),
        Work("compact --drop-bodies --before", ("compact", path, "--drop-bodies", "--before", fetched), drops=True),
        Work("forget", ("forget", path, "--site", _FORGOTTEN, "--out", f"{{}}/{_NEW}"), _NEW),
    ]


class WorkGround:
    """The scenes of all works, in ``folder``, and what each comes to undisturbed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        begin(folder / "undisturbed")
        self._whole = Found.of(Session.open(folder / "undisturbed"))
        start = folder / "start"
        minutes = (f"2026-01-01T00:{minute:02d}:00+00:00" for minute in range(60))
        with mock.patch("sessions.writing.commit._now", side_effect=minutes):
            begin(start / SESSION, max_pages=3)
            for limit in _LIMITS:
                go_on(start / SESSION, "--max-pages", limit)
        self._before = told(start / SESSION)
        self.works: dict[str, Work] = {}
        self.scenes: dict[str, Scene] = {}
        self._ends: dict[str, tuple[Rows, int]] = {}
        for work in works_on(Session.open(start / SESSION)):
            played = folder / f"played-{len(self.works)}"
            scene = Scene(work.name, start, lambda out, _, work=work: _done(work, out.parent.parent))  # type: ignore[misc]
            self.works[work.name] = work
            self.scenes[work.name] = scene.play(played)
            if scene.unseen:
                raise SystemExit(f"crash: the journal does not tell of {', '.join(scene.unseen)}")
            self._ends[work.name] = _end_of(work, played)

    def tried(self, name: str, points: list[Point], way: str, place: Path) -> Iterator[tuple[Point, list[str]]]:
        """The points, each with what is wrong after it."""
        work, scene = self.works[name], self.scenes[name]
        if way not in ERRORS:
            for point in scene.states(points, place, way):
                yield point, self._faults_of(work, place)
            return
        for point, fuse in zip(points, scene.attempts(points), strict=True):
            for _ in scene.states([scene.points()[0]], place):
                pass
            faults = _faults_of_failing(work, place, FailingDisk(fuse, ERRORS[way], stays=way == FULL))
            yield point, faults + self._faults_of(work, place)

    def _faults_of(self, work: Work, folder: Path) -> list[str]:
        """What is wrong with what is left, or with what becomes of it."""
        try:
            faults = [*_faults_of_left(work, folder, self._before, self._ends[work.name][0])]
            if work.anew is None or not (folder / work.anew).exists():
                _done(work, folder)
            if _end_of(work, folder) != self._ends[work.name]:
                faults.append("done again, it comes to another end")
            if work.anew is not None:
                return faults
            faults += leftovers(folder / SESSION)
            go_on(folder / SESSION, "--max-pages", "100")
            faults += _checked(folder / SESSION)
            found, whole = Found.of(Session.open(folder / SESSION)), self._whole
            if work.drops:
                found, whole = (replace(one, bodies=Counter({*one.bodies})) for one in (found, whole))
            return faults + found.faults(whole) + leftovers(folder / SESSION)
        except (Exception, SystemExit) as error:
            return [f"{type(error).__name__}: {error}"]


def told(path: Path) -> Rows:
    """The rows of all tables, in order; of pages that have one, the record in the place of where it stands."""
    session = Session.open(path)
    rows: Rows = {table: session.read(table).to_pylist() for table in TABLES}
    for row in rows["pages"]:
        if row["warc_file"] is not None:
            row["warc_file"] = member_at(path / f"rank-{row['rank']:04d}" / row["warc_file"], row["warc_offset"]).raw
            row["warc_offset"] = 0
    return rows


def _done(work: Work, folder: Path) -> None:
    """Do it.  Raises RuntimeError with what it says if it fails."""
    ended = CliRunner().invoke(cutweb, work.command(folder))
    if ended.exit_code:
        raise RuntimeError(f"{work.name} ended with {ended.exit_code}: {ended.output or ended.exception!r}")


def _end_of(work: Work, folder: Path) -> tuple[Rows, int]:
    """What a work has come to: what the session says, and in how many files."""
    path = folder / (work.anew or SESSION)
    session = Session.open(path)
    return told(path), len(session.table_files()) + len(session.warc_files())


def _faults_of_left(work: Work, folder: Path, before: Rows, end: Rows) -> Iterator[str]:
    """What is wrong with what a kill leaves: the session says what it said before or says in the end."""
    yield from _checked(folder / SESSION)
    left = told(folder / SESSION)
    if left != before and (work.anew is not None or left != end):
        yield "the session says something else"
    if work.anew is not None and (folder / work.anew).exists():
        yield from _checked(folder / work.anew)


def _checked(path: Path) -> list[str]:
    return [f"check: {kind}: {one}" for kind, some in check_session(path).problems.items() for one in some[:2]]


def _faults_of_failing(work: Work, folder: Path, disk: FailingDisk) -> list[str]:
    """What is wrong with how a command ends whose disk fails."""
    with Journal(folder, disk).kept():
        ended = CliRunner().invoke(cutweb, work.command(folder))
    lines = [line for line in ended.output.splitlines() if line.startswith("cutweb")]
    if ended.exit_code and not (ended.exit_code == 2 and len(lines) == 1 and folder.name in lines[0]):
        return [f"ended with {ended.exit_code}, and said {ended.output[-600:]!r} {ended.exception!r}"]
    return []
