"""What becomes of one rank's files: which are merged or written anew, and the doing of it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path

from sessions.compacting.bodies import WarcPlan, plan_of, write_group
from sessions.compacting.body_places import NowAt, names_of, with_bodies_at
from sessions.compacting.dropping import BodiesOfRank, Dropping
from sessions.compacting.verified import check_unchanged
from sessions.folding import HeldTable, epochs_in, table_files_of, warc_files_of
from sessions.progress import Progress
from sessions.records import CommitRecord, CommittedFile, CommittedRows
from sessions.runs import counting
from sessions.session import CommittedWarc, Session
from sessions.storage.tables import read_batches, sync_folder
from sessions.writing.merging import merge

_PAGES = "pages"
_SUFFIX = ".warc.gz"
Place = tuple[int, int, str]
"""An epoch of a commit record, a rank, and a table."""


@dataclass
class RankPlan:
    """Of a rank, groups of table files that become one each, and what becomes of its WARC files."""

    rank: int
    tables: list[list[HeldTable]]
    warcs: WarcPlan
    going: int
    """So many pages lose their bodies."""

    @property
    def bytes(self) -> int:
        """At most so many bytes are written."""
        return self.warcs.bytes + sum(held.file["bytes"] for group in self.tables for held in group)

    @property
    def is_nothing(self) -> bool:
        """Does everything stay as it is?"""
        return not (self.tables or self.warcs.groups or self.warcs.gone)


@dataclass
class Written:
    """What was written: table files by the place of the last file of each group; WARC files by the epoch of theirs.

    ``replaced`` are the WARC files that are no part of the session any more, relative to it.  ``pages`` have lost their
    bodies, which were so many ``bytes`` of WARC files.
    """

    tables: dict[Place, CommittedRows] = field(default_factory=dict)
    warcs: dict[tuple[int, int], list[CommittedFile]] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)
    pages: int = 0
    bytes: int = 0

    @property
    def is_nothing(self) -> bool:
        """Was nothing written, and is nothing dropped?"""
        return not (self.tables or self.replaced)


def plan_rank(session: Session, rank: int, last_epoch: int, dropping: Dropping | None, file_bytes: int) -> RankPlan:
    """Plan for a rank: files of epochs up to ``last_epoch`` are merged into files of about ``file_bytes``."""
    held = sorted(
        (file for file in table_files_of(session.epochs) if file.rank == rank),
        key=lambda file: (file.table, file.epoch),
    )
    pages = [file for file in session.table_files(_PAGES) if file.rank == rank]
    bodies = dropping.bodies_of(pages) if dropping is not None else BodiesOfRank()
    epoch_of = {name: epoch for name, (epoch, _, _) in warc_files_of(session.epochs).items()}

    def written(warc: CommittedWarc) -> tuple[int, str]:
        return epoch_of[warc.path.relative_to(session.path).as_posix()], warc.path.name

    its = sorted((warc for warc in session.warc_files() if warc.rank == rank), key=written)
    warcs = plan_of(its, lambda warc: written(warc)[0] <= last_epoch, bodies, file_bytes)
    groups = [
        group
        for group in _groups(held, _may_merge(session, last_epoch), file_bytes)
        if len(group) > 1 or (group[0].table == _PAGES and _names_any(session.path, group[0], warcs.names))
    ]
    going = sum(count for name, count in bodies.going.items() if name in warcs.names)
    return RankPlan(rank, groups, warcs, going)


def write_rank(session: Session, plan: RankPlan, dropping: Dropping | None, written: Written, say: Progress) -> None:
    """Do what is planned for a rank, for the session's next commit record, and add to ``written``.

    Raises SessionError if a file is not as it was committed, and OSError if one cannot be written.
    """
    number, rank, done = session.last_epoch + 1, plan.rank, 0
    what = f"compacting rank {rank} of {session.most_ranks}"

    def copied(count: int) -> None:
        nonlocal done
        done += count
        say(what, done, plan.bytes)

    places_now = _write_warcs(session, plan, dropping, written, copied)
    change = partial(with_bodies_at, places_now)
    for group in plan.tables:
        oldest, last = group[0], group[-1]
        for held in group:
            check_unchanged(session.path / held.file["file"], held.file["bytes"], held.file["xxh3"])
        changes = last.table == _PAGES and any(_names_any(session.path, held, plan.warcs.names) for held in group)
        written.tables[last[:3]] = merge(
            session.path,
            last.table,
            last.run,
            [held.file for held in group],
            epochs_in(oldest.file, oldest.epoch)[0],
            epochs_in(last.file, last.epoch)[1],
            rewritten=number if changes else None,
            change=change if changes else None,
        )
        copied(sum(held.file["bytes"] for held in group))
    if not plan.is_nothing:
        sync_folder(session.path / f"rank-{rank:04d}")


def _write_warcs(
    session: Session, plan: RankPlan, dropping: Dropping | None, written: Written, copied: Callable[[int], None]
) -> dict[str, NowAt]:
    """Write the WARC files anew that are planned; where the bodies of all that changed stand now, by file."""
    places_now = {warc.path.name: NowAt(None) for warc in plan.warcs.gone}
    before = dropping.before if dropping is not None else None
    lasting = {**warc_files_of(session.epochs), **warc_files_of(_without_end(session))}
    for group in plan.warcs.groups:
        target = _named(group[-1].path, session.last_epoch + 1)
        entry, now = write_group(group, target, plan.warcs, before, copied)
        places_now |= now
        epoch = max(lasting[_relative(session, warc)][0] for warc in group)
        written.warcs.setdefault((epoch, plan.rank), []).append(entry)
        written.bytes -= entry["bytes"]
    changed = [*plan.warcs.gone, *(warc for group in plan.warcs.groups for warc in group)]
    written.bytes += sum(warc.bytes for warc in changed)
    written.replaced |= {_relative(session, warc) for warc in changed}
    written.pages += plan.going
    return places_now


def _without_end(session: Session) -> list[CommitRecord]:
    return [record for record in counting(session.epochs) if not record.get("ended")]


def _relative(session: Session, warc: CommittedWarc) -> str:
    return warc.path.relative_to(session.path).as_posix()


def _named(last: Path, number: int) -> Path:
    """The name of what stands in the place of several WARC files, or of a part of one: that of the last, and a number.

    The number is that of the commit record since which it is part of the session.
    """
    stem = re.sub(r"-\d{6,}$", "", last.name.removesuffix(_SUFFIX))
    return last.with_name(f"{stem}-{number:06d}{_SUFFIX}")


def _may_merge(session: Session, last_epoch: int) -> Callable[[HeldTable], bool]:
    """Which files are merged with others: not those of later epochs, nor those of an end, which may be withdrawn."""
    last = session.epochs[-1]
    end = last["epoch"] if last.get("ended") else None
    return lambda held: held.epoch <= last_epoch and held.epoch != end


def _groups(
    held: Sequence[HeldTable], may_merge: Callable[[HeldTable], bool], file_bytes: int
) -> Iterator[list[HeldTable]]:
    """Yield the files of a rank that become one: of one table, one after the other."""
    for _, files in groupby(held, key=lambda file: file.table):
        group: list[HeldTable] = []
        size = 0
        for file in files:
            if group and (size + file.file["bytes"] > file_bytes or not may_merge(file)):
                yield group
                group, size = [], 0
            group.append(file)
            size += file.file["bytes"]
        if group:
            yield group


def _names_any(session: Path, held: HeldTable, names: set[str]) -> bool:
    """Do pages in a file have their bodies in one of these WARC files?"""
    if not names:
        return False
    batches = read_batches(_PAGES, [session / held.file["file"]], ["warc_file"])
    return any(not names.isdisjoint(names_of(batch)) for batch in batches)
