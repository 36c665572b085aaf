"""A rank's WARC files made few, and without the bodies that are dropped.

A record is a gzip member of its own, so files are merged by writing one behind the other; each brings the warcinfo
record that its records name.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64

from sessions.compacting.body_places import NowAt
from sessions.compacting.dropping import BodiesOfRank
from sessions.compacting.verified import check_unchanged, committed_bytes
from sessions.records import CommittedFile
from sessions.session import CommittedWarc
from sessions.storage.os_errors import naming
from sessions.storage.warc import PURPOSE
from sessions.storage.warc_members import WarcMember, warc_members

Copied = Callable[[int], None]
"""Told of bytes as they are copied."""


@dataclass
class WarcPlan:
    """What becomes of a rank's WARC files: ``gone`` ones, and ``groups`` of which each becomes one file.

    Of the files in ``cut`` only some bodies stay, those at these offsets.  What is in no group stays as it is.
    """

    gone: list[CommittedWarc] = field(default_factory=list)
    groups: list[list[CommittedWarc]] = field(default_factory=list)
    cut: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """At most so many bytes are written."""
        return sum(warc.bytes for group in self.groups for warc in group)

    @property
    def names(self) -> set[str]:
        """The files that are something else afterwards."""
        return {warc.path.name for warc in (*self.gone, *(warc for group in self.groups for warc in group))}


def plan_of(
    warcs: Sequence[CommittedWarc], may_merge: Callable[[CommittedWarc], bool], bodies: BodiesOfRank, file_bytes: int
) -> WarcPlan:
    """Plan for WARC files, in the order in which they were written, of which some ``may_merge`` with their neighbours.

    A file goes when all bodies in it do, and with it what robots.txt files were kept there.
    """
    plan = WarcPlan()
    plan.cut = {warc.path.name: its for warc in warcs if (its := bodies.staying_at.get(warc.path.name)) is not None}
    group: list[CommittedWarc] = []
    size = 0

    def close() -> None:
        if len(group) > 1 or any(warc.path.name in plan.cut for warc in group):
            plan.groups.append([*group])
        group.clear()

    for warc in warcs:
        name = warc.path.name
        if bodies.going[name] and not bodies.staying[name]:
            plan.gone.append(warc)
            continue
        is_free = may_merge(warc) or name in plan.cut
        if not is_free or size + warc.bytes > file_bytes:
            close()
            size = 0
        if is_free:
            group.append(warc)
            size += warc.bytes
    close()
    return plan


def write_group(
    group: Sequence[CommittedWarc], target: Path, plan: WarcPlan, before: datetime | None, copied: Copied
) -> tuple[CommittedFile, dict[str, NowAt]]:
    """Write a group of files into one, ``target``: what a commit record is to say of it, and where bodies stand now.

    ``before`` is until when robots.txt files are left out of files that are cut.  Raises SessionError if a file is not
    as it was committed.
    """
    digest, length = xxh3_64(), 0
    now: dict[str, NowAt] = {}
    with naming(target), open(target, "wb") as file:
        for warc in group:
            staying = plan.cut.get(warc.path.name)
            if staying is None:
                now[warc.path.name] = NowAt(target.name, shift=length)
                pieces = committed_bytes(warc.path, warc.bytes, warc.xxh3)
            else:
                assert before is not None
                check_unchanged(warc.path, warc.bytes, warc.xxh3)
                offsets = np.empty(len(staying), np.int64)
                now[warc.path.name] = NowAt(target.name, before=staying, now=offsets)
                pieces = _staying_records(warc, staying, before, length, offsets)
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                length += len(piece)
                copied(len(piece))
        file.flush()
        os.fsync(file.fileno())
    return {"file": f"{target.parent.name}/{target.name}", "bytes": length, "xxh3": digest.hexdigest()}, now


def _staying_records(
    warc: CommittedWarc, staying: npt.NDArray[np.int64], before: datetime, length: int, offsets: npt.NDArray[np.int64]
) -> Iterator[bytes]:
    """Yield the members that stay; ``offsets`` is filled with where those stand that stood at ``staying``.

    A request goes with the response before it, and a record of a robots.txt file by its own date.
    """
    done, stays = 0, True
    for member in warc_members(warc.path, warc.bytes):
        kind = member.field("WARC-Type")
        if member.field(PURPOSE):
            stays = _date_of(member) >= before
        elif kind in ("response", "revisit"):
            stays = done < len(staying) and int(staying[done]) == member.offset
            if stays:
                offsets[done] = length
                done += 1
        elif kind == "warcinfo":
            stays = True
        if stays:
            length += len(member.raw)
            yield member.raw
    if done < len(staying):
        raise ValueError(f"{warc.path}: no record at offset {staying[done]}, which a page names")


def _date_of(member: WarcMember) -> datetime:
    return datetime.fromisoformat(member.field("WARC-Date"))
