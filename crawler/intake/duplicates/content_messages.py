"""What ranks ask each other about documents, and how questions and answers travel.

A document goes by the SHA-1 of its content.  The first 8 bytes of that, as a number, are its *key*: it says who is
asked; the *rest* is compared.
"""

from collections.abc import Sequence
from enum import IntEnum
from itertools import chain
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from crawler.drum.kind import CHECK_UPDATE, UPDATE

Records = npt.NDArray[np.void]
Numbers = npt.NDArray[np.uint64]

_KEY_BYTES = 8
_COUNT_BYTES = 4
_SOMEONE_WAITS, _HAS_MORE = 1, 2


class Wanted(IntEnum):
    """What a rank wants of those that it asks: answers when there are any, the rest of those that it was told there
    are, a merge begun for them, or all answers now."""

    ANSWERS = 0
    REST = 1
    MERGE = 2
    ALL_NOW = 3


PAGE = [("rest", "V12"), ("payload", "V20"), ("hash", "<u8"), ("fetched", "<f8"), ("url_bytes", "<u4")]
"""What is said of a page, beside the key of its document and its URL."""
QUESTION = np.dtype([("key", "<u8"), *PAGE, ("number", "<u8"), ("operation", "u1")])
ANSWER = np.dtype([*PAGE, ("number", "<u8")])
_AnswerItem = tuple[bytes, bytes, int, float, int, int]


class ContentQuestion(NamedTuple):
    """A page whose document may have come before.

    ``digest`` is the SHA-1 of the document, ``payload`` that of the body it came in, still content-encoded;
    ``fetched`` is the start of the fetch in seconds since 1970, UTC.
    """

    digest: bytes
    payload: bytes
    url_hash: int
    url: str
    fetched: float


class First(NamedTuple):
    """The first page that had a document: its hash and start of the fetch; its URL, if its payload was the same too."""

    url_hash: int
    url: str
    fetched: float


class Known(NamedTuple):
    """The first page with a document of the same key; ``rest`` is that of the document's digest."""

    rest: bytes
    payload: bytes
    url_hash: int
    url: str
    fetched: float

    def first_with(self, question: ContentQuestion) -> First | None:
        """What that is to the page that was asked about: None if the documents are different ones."""
        if self.rest != question.digest[_KEY_BYTES:]:
            return None
        return First(self.url_hash, self.url if self.payload == question.payload else "", self.fetched)


class QuestionPacket(NamedTuple):
    """What one rank asks another: questions with their URLs; what it ``wants`` is of earlier ones, too."""

    wants: Wanted
    questions: Records
    urls: list[bytes]


class KnownPages:
    """What is known of n pages that are not the first with their documents: ``records`` structured[n] of `ANSWER`, and
    the URLs of the first pages, one after the other.

    They wait for the answers to older questions, so they stay as they came: some 70 bytes and a URL each.
    """

    def __init__(self, records: Records, urls: memoryview) -> None:
        self._records = records
        self._urls = urls
        self._stops = np.cumsum(records["url_bytes"], dtype=np.int64)

    @property
    def numbers(self) -> Numbers:
        """The numbers of the questions, uint64[n]."""
        return self._records["number"]

    def at(self, place: int) -> Known:
        """What is known of the page at this place."""
        rest, payload, url_hash, fetched, url_bytes, _ = cast(_AnswerItem, self._records.item(place))
        stop = self._stops.item(place)
        return Known(rest, payload, url_hash, str(self._urls[stop - url_bytes : stop], "utf-8"), fetched)


class Answered(NamedTuple):
    """What one rank answers another: the ``firsts`` are pages whose documents are new; of other pages, what is known.

    Pages go by the numbers of the questions.  ``someone_waits``: there are questions, of whatever rank, that the one
    that answers has not answered; it ``has_more`` if it can answer some of them.
    """

    someone_waits: bool
    has_more: bool
    firsts: Numbers
    known: KnownPages


def asked(
    questions: Sequence[ContentQuestion], noted: Sequence[ContentQuestion], number: int, ranks: int, wants: Wanted
) -> list[bytes]:
    """What each of the ranks is sent; nothing if there is nothing to say.

    The questions are numbered from ``number`` on; those ``noted`` want no answer.
    """
    records = _records(questions, noted, number)
    urls = [question.url.encode() for question in chain(questions, noted)]
    owners = records["key"] % np.uint64(ranks)
    places = [np.flatnonzero(owners == rank) for rank in range(ranks)]
    return [
        wants.to_bytes(1, "little") + _packed(records[its], [urls[place] for place in its.tolist()])
        if wants or len(its)
        else b""
        for its in places
    ]


def read_asked(payload: memoryview) -> QuestionPacket:
    """What `asked` made for one rank."""
    if not len(payload):
        return QuestionPacket(Wanted.ANSWERS, np.empty(0, QUESTION), [])
    records, text = _records_and_text(payload[1:], QUESTION)
    stops = np.cumsum(records["url_bytes"], dtype=np.int64).tolist()
    urls = [bytes(text[start:stop]) for start, stop in zip([0, *stops], stops, strict=False)]
    return QuestionPacket(Wanted(payload[0]), records, urls)


def answered(firsts: Numbers, known: Records, urls: Sequence[bytes], *, someone_waits: bool, has_more: bool) -> bytes:
    """Answers as they travel: those of an `Answered`, whose ``known`` pages are records of `ANSWER` with ``urls``."""
    flags = (someone_waits * _SOMEONE_WAITS | has_more * _HAS_MORE).to_bytes(1, "little")
    return b"".join([flags, len(firsts).to_bytes(_COUNT_BYTES, "little"), firsts.tobytes(), _packed(known, urls)])


def read_answered(payload: memoryview) -> Answered:
    """What `answered` made for one rank."""
    flags, start = payload[0], 1 + _COUNT_BYTES
    firsts = np.frombuffer(payload, "<u8", int.from_bytes(payload[1:start], "little"), start)
    known = KnownPages(*_records_and_text(payload[start + firsts.nbytes :], ANSWER))
    return Answered(bool(flags & _SOMEONE_WAITS), bool(flags & _HAS_MORE), firsts, known)


def _records(questions: Sequence[ContentQuestion], noted: Sequence[ContentQuestion], number: int) -> Records:
    records = np.zeros(len(questions) + len(noted), QUESTION)
    if len(records):
        digests, payloads, hashes, _, dates = zip(*questions, *noted, strict=True)
        split = np.frombuffer(b"".join(digests), [("key", "<u8"), ("rest", "V12")])
        records["key"], records["rest"] = split["key"], split["rest"]
        records["payload"] = np.frombuffer(b"".join(payloads), "V20")
        records["hash"], records["fetched"] = np.array(hashes, np.uint64), dates
        records["number"] = np.uint64(number) + np.arange(len(records), dtype=np.uint64)
        records["operation"] = np.where(np.arange(len(records)) < len(questions), CHECK_UPDATE, UPDATE)
    return records


def _packed(records: Records, urls: Sequence[bytes]) -> bytes:
    """Records with a URL each."""
    records["url_bytes"] = list(map(len, urls))
    return b"".join([len(records).to_bytes(_COUNT_BYTES, "little"), records.tobytes(), *urls])


def _records_and_text(payload: memoryview, kind: np.dtype[np.void]) -> tuple[Records, memoryview]:
    """What `_packed` was given, the URLs one after the other."""
    count = int.from_bytes(payload[:_COUNT_BYTES], "little")
    records = np.frombuffer(payload, kind, count, _COUNT_BYTES)
    return records, payload[_COUNT_BYTES + records.nbytes :]
