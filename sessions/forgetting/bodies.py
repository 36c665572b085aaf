"""WARC files without the records of forgotten sites, and with the bodies that other sites' pages still need."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64

from sessions.forgetting.gone import Gone
from sessions.forgetting.heirs import Heirs, RecordPlace, path_of
from sessions.storage.os_errors import naming
from sessions.storage.warc_members import WarcMember, member_at, warc_members

_END_OF_HEAD = b"\r\n\r\n"
_NO_REVISIT = {"WARC-Profile": None, "WARC-Refers-To-Target-URI": None, "WARC-Refers-To-Date": None}

Offsets = npt.NDArray[np.int64]


class Committed(NamedTuple):
    """A length that a file had in some epoch, in bytes, and the xxh3 of that many bytes."""

    bytes: int
    xxh3: str


class RewrittenWarc(NamedTuple):
    """What has become of a WARC file: by committed length before, that of now; where each record was, and is.

    ``dropped`` records are gone; of those that stayed ``moved`` have got a body.
    """

    committed: dict[int, Committed]
    before: Offsets
    now: Offsets
    dropped: int
    moved: int


def rewrite_warc(
    session: Path, source: Path, target: Path, lengths: Sequence[int], gone: Gone, heirs: Heirs
) -> RewrittenWarc:
    """Write a WARC file again; ``lengths`` are those that were committed, in order.

    Raises ValueError if a record is damaged, and OSError if it cannot be written.
    """
    digest, length = xxh3_64(), 0
    committed: dict[int, Committed] = {}
    before: list[int] = []
    now: list[int] = []
    dropped = moved = 0
    with naming(target), open(target, "xb") as file:
        for member in warc_members(source, lengths[-1] if lengths else 0):
            if member.offset in lengths:
                committed[member.offset] = Committed(length, digest.hexdigest())
            raw, has_moved = _rewritten(session, member, gone, heirs)
            if raw is None:
                dropped += 1
                continue
            moved += has_moved
            before.append(member.offset)
            now.append(length)
            file.write(raw)
            digest.update(raw)
            length += len(raw)
        file.flush()
        os.fsync(file.fileno())
    if lengths:
        committed[lengths[-1]] = Committed(length, digest.hexdigest())
    return RewrittenWarc(committed, np.array(before, np.int64), np.array(now, np.int64), dropped, moved)


def _rewritten(session: Path, member: WarcMember, gone: Gone, heirs: Heirs) -> tuple[bytes | None, bool]:
    """A record as it is kept, None if it is not; and whether it has got a body."""
    url = member.field("WARC-Target-URI")
    if url and gone.url(url):
        return None, False
    refers_to = member.field("WARC-Refers-To-Target-URI")
    if not refers_to or refers_to == url or not gone.url(refers_to):
        return member.raw, False
    inherited = heirs.bodies.get((url, member.field("WARC-Date")))
    if inherited is not None:
        block = member.block + _body(session, inherited)
        return member.with_fields({"WARC-Type": "response", **_NO_REVISIT}, block), True
    heir = heirs.by_url.get(refers_to)
    if heir is None:
        raise ValueError(f"{url} refers to {refers_to}, which has no page; cutweb check tells more")
    return member.with_fields({"WARC-Refers-To-Target-URI": heir.url, "WARC-Refers-To-Date": heir.date}), False


def _body(session: Path, place: RecordPlace) -> bytes:
    """The body in a response record."""
    return member_at(path_of(session, place), place.offset).block.partition(_END_OF_HEAD)[2]
