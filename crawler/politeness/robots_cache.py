"""What robots.txt files said, kept on disk, so that a gatekeeper asks for each once however many sites it forgets.

IRLbot has two repositories for this, one of the files and one of what was requested, and asks them for every URL (Lee,
Leonard, Wang, Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008, section 4).  Here they are one, and
it is asked when an origin enters its gatekeeper's memory; what was requested and has not come stays in that memory.

The repository (`crawler.drum`) says where in an append-only file a record lies and until when its rules hold.  Rules
that come later are appended too; the older record is left where it is.
"""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from struct import Struct
from typing import NamedTuple

import numpy as np

from crawler.drum.blobs import Blobs
from crawler.drum.drum import Drum
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import CHECK, UPDATE, Answers, Kind, UpdateRule
from crawler.politeness.robots.rules import Rules
from sessions.url import url_hashes

_LEAST_PATIENCE_SECONDS = 5.0
_MERGED_A_SECOND = 4e6  # measured, with two million origins and more on one core
_SHARE_OF_TIME = 0.1
_MOST_STAGED_BYTES = 1 << 18

_KIND = Kind({"offset": ("u8", UpdateRule.LAST), "length": ("u4", UpdateRule.LAST), "expiry": ("f8", UpdateRule.LAST)})
_RECORD = Struct("<dddHHHB")
_NEVER = math.nan


class Remembered(NamedTuple):
    """What is known of an origin's robots.txt: its ``rules``, which hold until the time ``until``.

    ``rounds`` is how often in a row it was given up, ``unreachable_since`` when it failed first, None if it did not.
    Times are readings of the web's clock, in seconds.
    """

    rules: Rules
    until: float
    rounds: int = 0
    unreachable_since: float | None = None


class RobotsCache:
    """The robots.txt files of one gatekeeper's origins; ``folder`` is for its files, ``budget`` in bytes of memory.

    What is asked and learnt is put into the repository all at once by `attend`: one by one costs ten times as much.
    While the repository is in memory it answers with that; on disk with its next merge, which does not wait too long.
    ``keep_alive`` serves again and again during a merge.
    """

    def __init__(
        self,
        folder: Path,
        *,
        budget: int,
        keep_alive: KeepAlive = NOTHING_TO_SERVE,
    ) -> None:
        self._blobs = Blobs(folder, "robots", memory=_MOST_STAGED_BYTES)
        self._drum = Drum(
            folder,
            "robots",
            _KIND,
            budget=budget,
            choose=lambda answers: np.ones(len(answers.keys), np.bool_),
            keep_alive=keep_alive,
        )
        self._asked: set[str] = set()
        self._staged: list[tuple[str, bytes, float]] = []
        self._staged_bytes = 0
        self._is_asking = False
        self._since = 0.0
        self._came: deque[tuple[str, int, int, float]] = deque()

    def __len__(self) -> int:
        """How many origins are known here."""
        return len(self._drum)

    @property
    def waiting(self) -> int:
        """How many questions have not been answered."""
        return len(self._asked)

    def next_time(self) -> float | None:
        """When to `attend` to it next; None if nobody waits for an answer."""
        if not self._asked:
            return None
        return self._since if self._is_asking else self._since + self._patience

    def ask(self, origin: str, now: float) -> None:
        """What is known of an origin?  The answer comes by `attend`; until then, to ask again asks nothing."""
        if origin in self._asked:
            return
        if not self._asked:
            self._since = now
        self._asked.add(origin)
        self._staged.append((origin, b"", 0.0))
        self._is_asking = True

    def learn(self, origin: str, remembered: Remembered) -> None:
        """Keep what a robots.txt said; it takes the place of what was known of its origin."""
        record = packed(origin, remembered)
        self._staged.append((origin, record, remembered.until))
        self._staged_bytes += len(record)

    def attend(self, now: float) -> Iterator[tuple[str, Remembered | None]]:
        """Do what is due, and take the answers that have come: origin by origin, None if nothing is known of it.

        A record is read when its turn comes, so that many answers take little memory.
        """
        if self._is_asking or self._staged_bytes >= _MOST_STAGED_BYTES:
            self._send()
        if self._asked and now >= self._since + self._patience:
            self._take(self._drum.flush())
        return self._answers(now)

    def flush(self, now: float) -> Iterator[tuple[str, Remembered | None]]:
        """Answer all questions at once; as `attend`."""
        if self._asked:
            self._send()
            self._take(self._drum.flush())
        return self._answers(now)

    def close(self) -> None:
        """Close the files."""
        self._drum.close()
        self._blobs.close()

    @property
    def _patience(self) -> float:
        """How many seconds a question may wait until it is worth a merge: merges take about a tenth of the time."""
        return max(_LEAST_PATIENCE_SECONDS, len(self._drum) / _MERGED_A_SECOND / _SHARE_OF_TIME)

    def _send(self) -> None:
        if not self._staged:
            return
        origins, records, expiries = zip(*self._staged, strict=True)
        self._staged, self._staged_bytes, self._is_asking = [], 0, False
        values = np.zeros(len(origins), _KIND.value)
        values["length"] = [len(record) for record in records]
        values["expiry"] = expiries
        is_learnt = values["length"] > 0
        if is_learnt.any():
            values["offset"][is_learnt] = self._blobs.append([record for record in records if record])
        operations = np.where(is_learnt, UPDATE, CHECK).astype(np.uint8)
        aux = ["" if record else origin for origin, record in zip(origins, records, strict=True)]
        self._take(self._drum.put(url_hashes(origins), operations, values, aux=aux))

    def _answers(self, now: float) -> Iterator[tuple[str, Remembered | None]]:
        while self._came:
            origin, offset, length, until = self._came.popleft()
            if origin in self._asked:  # or it was asked before a crash
                self._asked.discard(origin)
                self._since = now
                yield origin, unpacked(origin, self._blobs.read(offset, length), until) if length else None

    def _take(self, came: Iterator[Answers]) -> None:
        for answers in came:
            before = answers.before
            places = (before["offset"].tolist(), before["length"].tolist(), before["expiry"].tolist())
            self._came.extend(zip(answers.aux, *places, strict=True))


def remembered_as(origin: str, agent: str) -> str:
    """The name under which it is kept what an origin's robots.txt says to a product token of its own; empty if none."""
    return f"{origin} {agent}" if agent else origin


def name_and_agent(name: str) -> tuple[str, str]:
    """The origin and the product token that a name of `remembered_as` stands for."""
    origin, _, agent = name.partition(" ")
    return origin, agent


def packed(origin: str, remembered: Remembered) -> bytes:
    """What is known of an origin as a record, without the time ``until``; sitemaps are left out.

    Numbers, then the origin, the reason why nothing may be fetched, and the packed rules.
    """
    rules, _, rounds, since = remembered
    name, reason = origin.encode(), rules.unreachable.encode()
    numbers = _RECORD.pack(
        rules.crawl_delay,
        rules.seconds,
        _NEVER if since is None else since,
        rules.status,
        min(rounds, 0xFFFF),
        len(name),
        len(reason),
    )
    return numbers + name + reason + rules.packed


def unpacked(origin: str, record: bytes, until: float) -> Remembered | None:
    """What a record of `packed` says; None if it is about another origin with the same hash."""
    crawl_delay, seconds, since, status, rounds, name, reason = _RECORD.unpack_from(record)
    named = _RECORD.size + name
    reasoned = named + reason
    if record[_RECORD.size : named] != origin.encode():
        return None
    unreachable = record[named:reasoned].decode()
    rules = Rules(record[reasoned:], crawl_delay, unreachable=unreachable, status=status, seconds=seconds)
    rules = replace(rules, agent=agent) if (agent := name_and_agent(origin)[1]) else rules
    return Remembered(rules, until, rounds, None if math.isnan(since) else since)
