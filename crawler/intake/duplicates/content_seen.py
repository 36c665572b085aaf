"""Content seen: which documents have come before, on whatever rank of the cluster.

The digest of a document says which rank remembers it.  At the superstep's end every rank asks the owners of its new
digests; the owner answers with the first page that had the same document, or notes that this one is the first.  Of
several that ask for one digest in the same exchange, the page with the lowest hash is the first; else the one that
asked in the earlier exchange.

The owner keeps the first pages (on disk, all that may be the first) in an append-only file, and in a DRUM
(`crawler.drum`) where in it each document has its own: a merge rewrites all documents, so little is kept of each.  As
long as the DRUM fits in memory, a question is answered in the exchange in which it is asked; later, when it merges.
That begins once enough wait there, or too many at some rank, and goes on in pieces between exchanges; if any rank wants
all answers now, it is finished at once.  A merge of many documents has many answers: they wait as places in the file,
and are read and sent so many at a time.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crawler.drum.blobs import Blobs
from crawler.drum.drum import Drum
from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.drum.kind import Answers, Kind, UpdateRule
from crawler.exchange.asking import Asking
from crawler.intake.duplicates.content_messages import (
    ANSWER,
    PAGE,
    ContentQuestion,
    Known,
    KnownPages,
    Numbers,
    QuestionPacket,
    Records,
    Wanted,
    answered,
    asked,
    read_answered,
    read_asked,
)
from crawler.urls.batch import Mask
from sessions.url import Hashes

_NAME = "content-seen"
_SHARE_FOR_PAGES = 4
_ENOUGH = 2
"""A rank whose pages wait for other owners wants merges of all; one is worth it for half of what the last one had."""
_MOST_SENT = 1 << 14
"""Once so many answers are read, they are sent before others are."""
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
        self._ready: deque[_Ready] = deque()
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
    ) -> "Settled":
        """Ask of each page which had the same document before it; of those ``noted``, only tell that they have theirs.

        The answers are those to the oldest questions that had none, in the order in which they were asked, as many as
        there are by now: None where the page is the first.  All ranks call this together; if one of them ``wants``
        all now, all questions are answered, on all of them.
        """
        number = self._open.add(len(questions))
        if not (self._someone_waits or questions):
            wants = Wanted.ANSWERS
        payloads = asked(questions, noted, number, exchange.ranks, wants)
        while self._hear(exchange.ask(payloads, self.answer)):
            payloads = asked((), (), 0, exchange.ranks, Wanted.REST)
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
        to_send = self._next_to_send() if self._ready else _NOTHING_TO_SEND
        has_more = len(self._ready) > 0
        someone_waits = has_more or self._firsts.pending > 0
        return [
            answered(*_for_rank(to_send, rank), someone_waits=someone_waits, has_more=has_more)
            for rank in range(len(received))
        ]

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

    def _hear(self, payloads: Sequence[memoryview] | None) -> bool:
        """Take the answers of all ranks, if any was asked; has one of them more?"""
        answers = [read_answered(payload) for payload in payloads or ()]
        for of_rank in answers:
            self._open.answered(of_rank.firsts, of_rank.known)
        if answers:
            self._someone_waits = any(of_rank.someone_waits for of_rank in answers)
        return any(of_rank.has_more for of_rank in answers)

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
            is_found = answers.found
            self._ready.append(_Ready(answers.notes[~is_found], answers.notes[is_found], answers.before[is_found]))

    def _next_to_send(self) -> "_ToSend":
        """Read the answers that are ready first, as many as are sent at once."""
        parts, count = [], 0
        while self._ready and count < _MOST_SENT:
            parts.append(self._ready.popleft())
            count += len(parts[-1].firsts) + len(parts[-1].others)
        firsts, others, places = (np.concatenate(column) for column in zip(*parts, strict=True))
        pages, urls = self._pages.read(places)
        known = np.empty(len(pages), ANSWER)
        for name, _ in PAGE:
            known[name] = pages[name]
        known["number"] = others["number"]
        return _ToSend(firsts, others, known, urls)


class _Ready(NamedTuple):
    """Answers that can be sent: the notes of first pages, those of others, and where the first ones of these stand."""

    firsts: Records
    others: Records
    places: Records


class _ToSend(NamedTuple):
    """Answers to be sent: the notes of first pages, those of others, and of these what is known, with its URLs."""

    firsts: Records
    others: Records
    known: Records
    urls: list[bytes]


_NOTHING_TO_SEND = _ToSend(np.empty(0, _NOTES), np.empty(0, _NOTES), np.empty(0, ANSWER), [])


def _for_rank(to_send: _ToSend, rank: int) -> tuple[Numbers, Records, list[bytes]]:
    """The answers for one rank: the numbers of first pages, what is known of others, and the URLs of that."""
    firsts, others, known, urls = to_send
    its = np.flatnonzero(others["asker"] == rank)
    return firsts["number"][firsts["asker"] == rank], known[its], [urls[place] for place in its.tolist()]


def _all_of_them(answers: Answers) -> Mask:
    return np.ones(len(answers.keys), bool)


class _OpenQuestions:
    """A rank's own questions, numbered as they are asked, from the oldest without an answer on."""

    def __init__(self) -> None:
        self._oldest = 0
        self._is_answered = bytearray()
        self._known: list[KnownPages] = []

    def add(self, count: int) -> int:
        """Open so many more; the number of the first of them."""
        number = self._oldest + len(self._is_answered)
        self._is_answered += bytes(count)
        return number

    def answered(self, firsts: Numbers, known: KnownPages) -> None:
        """Note the answers to some: those ``firsts`` are about first pages, the others are not."""
        numbers = np.concatenate([firsts, known.numbers])
        np.frombuffer(self._is_answered, np.uint8)[(numbers - np.uint64(self._oldest)).astype(np.int64)] = 1
        if len(known.numbers):
            self._known.append(known)

    def settled(self) -> "Settled":
        """Close the oldest, as far as all are answered: their answers."""
        count = self._is_answered.find(0)
        count = len(self._is_answered) if count < 0 else count
        del self._is_answered[:count]
        oldest = self._oldest
        self._oldest += count
        settled = Settled(oldest, count, self._known)
        self._known = [known for known in self._known if int(known.numbers.max()) >= self._oldest]
        return settled


class Settled:
    """The answers to ``count`` questions, which are numbered from ``oldest`` on: None where the page is the first.

    What is ``known`` of the others, and of pages with higher numbers, stays as it came until it is looped over.
    """

    def __init__(self, oldest: int, count: int, known: Sequence[KnownPages]) -> None:
        self._oldest = oldest
        self._count = count
        self._known = known

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Known | None]:
        known = self._known_in_order() if self._known else iter(())
        following = next(known, None)
        for number in range(self._oldest, self._oldest + self._count):
            if following is not None and following[0] == number:
                yield following[1]
                following = next(known, None)
            else:
                yield None

    def _known_in_order(self) -> Iterator[tuple[int, Known]]:
        """What is known of pages from the oldest on, by number."""
        numbers = np.concatenate([np.empty(0, np.uint64), *(known.numbers for known in self._known)])
        order = np.argsort(numbers)
        order = order[np.searchsorted(numbers, np.uint64(self._oldest), sorter=order) :]
        ends = np.cumsum([len(known.numbers) for known in self._known], dtype=np.int64)
        parts = np.searchsorted(ends, order, "right")
        places = order - np.concatenate([[0], ends])[parts]
        for number, part, place in zip(numbers[order], parts, places, strict=True):
            yield int(number), self._known[part].at(place)


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
