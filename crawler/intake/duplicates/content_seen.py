"""Content seen: which documents have come before, on whatever rank of the cluster.

The digest of a document says which rank remembers it.  At the superstep's end every rank asks the owners of its new
digests; the owner answers with the first page that had the same document, or notes that this one is the first.  Of
several that ask for one digest in the same exchange, the page with the lowest hash is the first; else the one that
asked in the earlier exchange.

The owner keeps the first pages (on disk, all that may be the first) in an append-only file, and in a DRUM
(`crawler.drum`) where in it each document has its own: a merge rewrites all documents, so little is kept of each.  As
long as the DRUM fits in memory, a question is answered in the exchange in which it is asked; later, when it merges.
That begins once enough wait there, or too many at some rank, and goes on in pieces between exchanges; if any rank wants
all answers now, it is finished at once.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crawler.drum.blobs import Blobs
from crawler.drum.drum import Drum
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import Answers, Kind, UpdateRule
from crawler.exchange.asking import Asking
from crawler.intake.duplicates.content_messages import (
    ANSWER,
    PAGE,
    Answered,
    ContentQuestion,
    Known,
    Numbers,
    QuestionPacket,
    Records,
    Wanted,
    answered,
    asked,
    known_by_number,
    read_answered,
    read_asked,
)
from crawler.urls.batch import Mask
from sessions.url import Hashes

Ranks = npt.NDArray[np.uint16]

_NAME = "content-seen"
_SHARE_FOR_PAGES = 4
_ENOUGH = 2
"""A rank whose pages wait for other owners wants merges of all; one is worth it for half of what the last one had."""
_NOTES = np.dtype([("asker", "<u2"), ("number", "<u8")])
_PAGE = np.dtype(PAGE)
KIND = Kind({"start": ("<u8", UpdateRule.FIRST), "size": ("<u4", UpdateRule.FIRST)}, notes=_NOTES)
"""Of each document: where the first page that had it stands, and in how many bytes."""


class ContentSeen:
    """The documents that this rank remembers for all, and what this rank has asked of others.

    Nothing is forgotten: the documents take at most ``budget`` bytes of memory, and beyond that files in ``folder``.
    A digest is found by its first 8 bytes and compared in full; of different digests that begin alike only the first
    is remembered.  ``keep_alive`` serves again and again during a merge; with ``in_pieces`` one that is due or wanted
    goes on by `merge_on`.
    """

    def __init__(
        self, folder: Path, budget: int, keep_alive: KeepAlive = NOTHING_TO_SERVE, *, in_pieces: bool = False
    ) -> None:
        pages_in_memory = budget // _SHARE_FOR_PAGES
        self._pages = _Pages(folder, pages_in_memory)
        self._firsts = Drum(
            folder,
            _NAME,
            KIND,
            budget=budget - pages_in_memory,
            choose=_all_of_them,
            keep_alive=keep_alive,
            in_pieces=in_pieces,
        )
        self._in_pieces = in_pieces
        self._merged_last = 0
        self._to_send: list[_ToSend] = []
        self._open = _OpenQuestions()
        self._someone_waits = False

    def __len__(self) -> int:
        """How many documents this rank remembers; those that wait for a merge do not count."""
        return len(self._firsts)

    def ask(
        self,
        exchange: Asking,
        questions: Sequence[ContentQuestion],
        noted: Sequence[ContentQuestion] = (),
        *,
        wants: Wanted,
    ) -> list[Known | None]:
        """Ask of each page which had the same document before it; of those ``noted``, only tell that they have theirs.

        The answers are those to the oldest questions that had none, in the order in which they were asked, as many as
        there are by now: None where the page is the first.  All ranks call this together; if one of them ``wants``
        all now, all questions are answered, on all of them.
        """
        number = self._open.add(len(questions))
        if not (self._someone_waits or questions):
            wants = Wanted.ANSWERS
        payloads = asked(questions, noted, number, exchange.ranks, wants)
        answers = [read_answered(payload) for payload in exchange.ask(payloads, self.answer) or ()]
        for of_rank in answers:
            self._open.answered(of_rank.firsts, known_by_number(of_rank))
        if answers:
            self._someone_waits = any(of_rank.someone_waits for of_rank in answers)
        return self._open.settled()

    def tell(self, exchange: Asking, pages: Sequence[ContentQuestion]) -> bool:
        """Tell who remembers documents that these pages have theirs; False if no rank had any to tell of.

        All ranks call this together, again and again until it says so, before anything is asked.
        """
        return exchange.ask(asked((), pages, 0, exchange.ranks, Wanted.ANSWERS), self.answer) is not None

    def answer(self, received: Sequence[memoryview]) -> list[bytes]:
        """Take each rank's questions, and answer those, of these and of earlier ones, that can be answered."""
        batches = [read_asked(payload) for payload in received]
        self._put(batches)
        wants = max(batch.wants for batch in batches)
        if wants == Wanted.ALL_NOW:
            self._note(self._firsts.flush())
        elif wants == Wanted.MERGE and self._is_merge_worth_it:
            self._merged_last = self._firsts.pending
            self._note(self._firsts.begin_merge())
        to_send, self._to_send = self._to_send, []
        someone_waits = self._firsts.pending > 0
        return [answered(_joined(to_send, rank, someone_waits)) for rank in range(len(received))]

    @property
    def is_merging(self) -> bool:
        """Is there a merge to go on with?"""
        return self._firsts.is_merging

    @property
    def merge_lag(self) -> float:
        """How far it is behind the questions that came since, as `crawler.drum.drum.Drum` has it."""
        return self._firsts.merge_lag

    @property
    def merge_done(self) -> float:
        """Which part of it is done; 1 if there is none."""
        return self._firsts.merge_done

    def merge_on(self) -> None:
        """Do a piece of the merge that was begun; the answers are sent when a rank asks next."""
        self._note(self._firsts.merge_on())

    def close(self) -> None:
        """Let go of memory and files; nothing can be asked afterwards."""
        self._firsts.close()
        self._pages.close()

    @property
    def _is_merge_worth_it(self) -> bool:
        """May a merge begin that is not due?  Not over what came since the last one was begun, while that is little."""
        drum = self._firsts
        is_enough = _ENOUGH * drum.pending >= self._merged_last and drum.pending > 0
        return self._in_pieces and is_enough and not drum.is_merging

    def _put(self, batches: Sequence[QuestionPacket]) -> None:
        """Hand questions to the DRUM, a page of lower hash before one of higher."""
        questions = np.concatenate([batch.questions for batch in batches])
        askers = np.repeat(np.arange(len(batches), dtype=np.uint16), [len(batch.questions) for batch in batches])
        urls = [url for batch in batches for url in batch.urls]
        order = np.argsort(questions["hash"], kind="stable")
        questions, keys = questions[order], questions["key"][order]
        notes = np.empty(len(order), _NOTES)
        notes["asker"], notes["number"] = askers[order], questions["number"]
        is_kept = self._may_be_first(keys)
        places = np.zeros(len(order), KIND.value)
        places[is_kept] = self._pages.append(questions[is_kept], [urls[its] for its in order[is_kept].tolist()])
        self._note(self._firsts.put(keys, questions["operation"], places, notes))

    def _may_be_first(self, keys: Hashes) -> Mask:
        """Which pages may be the first of their documents, as far as memory can tell: only these are kept.

        On disk memory can tell nothing of earlier exchanges, so there each page that is asked about is kept once.
        """
        is_first_here = np.zeros(len(keys), bool)
        is_first_here[np.unique(keys, return_index=True)[1]] = True
        return is_first_here & ~self._firsts.known(keys)[0]

    def _note(self, said: Iterator[Answers]) -> None:
        """Have what the DRUM says ready to be sent."""
        for answers in said:
            notes = answers.notes[answers.found]
            pages, urls = self._pages.read(answers.before[answers.found])
            known = np.empty(len(pages), ANSWER)
            for name, _ in PAGE:
                known[name] = pages[name]
            known["number"] = notes["number"]
            self._to_send.append(_ToSend(answers.notes[~answers.found], notes["asker"], known, urls))


class _ToSend(NamedTuple):
    """Answers to be sent: the notes of first pages; of other pages who asked, what is known, and the URLs of that."""

    firsts: Records
    askers: Ranks
    known: Records
    urls: list[bytes]


def _joined(parts: Sequence[_ToSend], rank: int, someone_waits: bool) -> Answered:
    """All answers for one rank."""
    firsts = [part.firsts["number"][part.firsts["asker"] == rank] for part in parts]
    places = [np.flatnonzero(part.askers == rank) for part in parts]
    known = [part.known[its] for part, its in zip(parts, places, strict=True)]
    urls = [part.urls[place] for part, its in zip(parts, places, strict=True) for place in its.tolist()]
    return Answered(
        someone_waits,
        np.concatenate([np.empty(0, np.uint64), *firsts]),
        np.concatenate([np.empty(0, ANSWER), *known]),
        urls,
    )


def _all_of_them(answers: Answers) -> Mask:
    return np.ones(len(answers.keys), bool)


class _OpenQuestions:
    """A rank's own questions, numbered as they are asked, from the oldest without an answer on."""

    def __init__(self) -> None:
        self._oldest = 0
        self._is_answered = bytearray()
        self._known: dict[int, Known] = {}

    def add(self, count: int) -> int:
        """Open so many more; the number of the first of them."""
        number = self._oldest + len(self._is_answered)
        self._is_answered += bytes(count)
        return number

    def answered(self, firsts: Numbers, known: dict[int, Known]) -> None:
        """Note the answers to some: those ``firsts`` are about first pages, the others are not."""
        numbers = np.concatenate([firsts, np.fromiter(known, np.uint64, len(known))])
        np.frombuffer(self._is_answered, np.uint8)[(numbers - np.uint64(self._oldest)).astype(np.int64)] = 1
        self._known |= known

    def settled(self) -> list[Known | None]:
        """Close the oldest, as far as all are answered: their answers."""
        count = self._is_answered.find(0)
        count = len(self._is_answered) if count < 0 else count
        del self._is_answered[:count]
        self._oldest += count
        return [self._known.pop(number, None) for number in range(self._oldest - count, self._oldest)]


class _Pages:
    """Pages with their URLs, by where they start: the first in ``budget`` bytes of memory, all later ones in a file."""

    def __init__(self, folder: Path, budget: int) -> None:
        self._budget = budget
        self._first = bytearray()
        self._later = Blobs(folder, f"{_NAME}-pages")

    def append(self, pages: Records, urls: list[bytes]) -> Records:
        """Add pages, of whose fields those of a page are kept; their places, as `KIND` has them."""
        records = np.empty(len(pages), _PAGE)
        for name, _ in PAGE:
            records[name] = pages[name]
        raw, step = records.tobytes(), _PAGE.itemsize
        texts = [raw[number * step : (number + 1) * step] + url for number, url in enumerate(urls)]
        places = np.empty(len(texts), KIND.value)
        places["size"] = sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        if len(self._first) + sizes.sum() <= self._budget:
            places["start"] = len(self._first) + np.cumsum(sizes) - sizes
            self._first += b"".join(texts)
        else:
            self._budget = len(self._first)  # what starts there or later is in the file from now on
            places["start"] = self._later.append(texts) + np.uint64(self._budget)
        return places

    def read(self, places: Records) -> tuple[Records, list[bytes]]:
        """The pages at these places, with their URLs; the file is read from front to back."""
        texts = [b""] * len(places)
        starts, sizes = places["start"].tolist(), places["size"].tolist()
        for its in np.argsort(places["start"]).tolist():
            texts[its] = self._text(starts[its], sizes[its])
        step = _PAGE.itemsize
        return np.frombuffer(b"".join([text[:step] for text in texts]), _PAGE), [text[step:] for text in texts]

    def close(self) -> None:
        self._later.close()

    def _text(self, start: int, size: int) -> bytes:
        if start < len(self._first):
            return bytes(self._first[start : start + size])
        return self._later.read(start - len(self._first), size)
