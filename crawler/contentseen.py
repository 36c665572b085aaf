"""Content seen: which documents have come before, on whatever rank of the cluster.

The digest of a document says which rank remembers it.  At the superstep's end every rank asks the owners of its new
digests; the owner answers with the first page that had the same document, or notes that this one is the first.  Of
several that ask for one digest in the same exchange, the page with the lowest hash is the first.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from crawler.keytable import KeyTable, Slots
from crawler.urlbatch import Mask
from sessions.url import Hashes

Records = npt.NDArray[np.void]

_KEY_BYTES = 8
_COUNT_BYTES = 4
_TABLE_BYTES = 48
"""What a key takes in a table that has just doubled: four places of key and row."""
_PAGE = [("digest", "V20"), ("payload", "V20"), ("hash", "<u8"), ("fetched", "<f8"), ("url_bytes", "<u4")]
_QUESTION = np.dtype(_PAGE)
_FIRST = np.dtype([*_PAGE, ("url_start", "<u8")])
_ANSWER = np.dtype([("question", "<u4"), ("hash", "<u8"), ("fetched", "<f8"), ("url_bytes", "<u4")])


class Question(NamedTuple):
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


class Asking(Protocol):
    """What the ranks' exchange has to offer here: `crawler.exchange.LinkExchange`, or a fake of it."""

    @property
    def ranks(self) -> int:
        """K."""
        ...

    def ask(self, questions: list[bytes], answer: Callable[[list[memoryview]], list[bytes]]) -> list[memoryview] | None:
        """Send each rank its questions, have ``answer`` deal with those that come, and return the answers.

        All by rank.  None if no rank had a question.  Blocks until all ranks have called it.
        """
        ...


class ContentSeen:
    """The documents that this rank remembers for all, in at most ``budget`` bytes, but for the last exchange's.

    When half of the budget is used up, what was remembered before that half is forgotten: a document that comes
    again is then a first one once more.  A digest is found by its first 8 bytes and compared in full; of different
    digests that begin alike only the first is remembered.
    """

    def __init__(self, budget: int) -> None:
        self._generation_bytes = budget // 2
        self._young = _Generation()
        self._old = _Generation()

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the documents take."""
        return self._young.nbytes + self._old.nbytes

    def ask(self, exchange: Asking, questions: Sequence[Question]) -> list[First | None]:
        """For each page, which had the same document before it; None if none had.  All ranks call this together."""
        payloads, places = _by_owner(questions, exchange.ranks)
        answers = exchange.ask(payloads, self.answer)
        firsts: list[First | None] = [None] * len(questions)
        for places_of_rank, answer in zip(places, answers or (), strict=False):
            records, urls = _unpacked(answer, _ANSWER)
            columns = (records[name].tolist() for name in ("question", "hash", "fetched"))
            for number, url_hash, fetched, url in zip(*columns, urls, strict=True):
                firsts[places_of_rank[number]] = First(url_hash, url.decode(), fetched)
        return firsts

    def answer(self, received: Sequence[memoryview]) -> list[bytes]:
        """Answer the questions of each rank, and remember the documents that are new."""
        if self._young.room_for(sum(map(len, received))) > self._generation_bytes:
            self._old, self._young = self._young, _Generation()
        batches = [_unpacked(payload, _QUESTION) for payload in received]
        questions = np.concatenate([records for records, _ in batches])
        keys = _keys(questions["digest"])
        is_first = self._remember(keys, questions, [url for _, urls in batches for url in urls])
        stops = np.cumsum([len(records) for records, _ in batches]).tolist()
        starts = [0, *stops[:-1]]
        return [
            self._answers(keys[start:stop], questions[start:stop], is_first[start:stop])
            for start, stop in zip(starts, stops, strict=True)
        ]

    def _remember(self, keys: Hashes, questions: Records, urls: list[bytes]) -> Mask:
        """Note the documents that are new, each with the page of lowest hash that has it; which pages these are."""
        unknown = np.flatnonzero((self._young.find(keys) < 0) & (self._old.find(keys) < 0))
        order = unknown[np.lexsort((questions["hash"][unknown], keys[unknown]))]
        new = order[np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))]
        self._young.add(keys[new], questions[new], [urls[place] for place in new.tolist()])
        is_first = np.zeros(len(questions), bool)
        is_first[new] = True
        return is_first

    def _answers(self, keys: Hashes, questions: Records, is_first: Mask) -> bytes:
        """What a rank is told: of its pages that are no first ones, which was."""
        slots = self._young.find(keys)
        is_old = slots < 0
        slots[is_old] = self._old.find(keys[is_old])
        firsts = np.empty(len(keys), _FIRST)
        firsts[is_old], firsts[~is_old] = self._old.at(slots[is_old]), self._young.at(slots[~is_old])
        is_duplicate = ~is_first & (firsts["digest"] == questions["digest"])
        is_same = firsts["payload"] == questions["payload"]
        numbers = np.flatnonzero(is_duplicate)
        urls = [
            (self._old if is_old[number] else self._young).url(firsts[number]) if is_same[number] else b""
            for number in numbers.tolist()
        ]
        answers = np.empty(len(numbers), _ANSWER)
        answers["question"] = numbers
        answers["hash"], answers["fetched"] = firsts["hash"][numbers], firsts["fetched"][numbers]
        return _packed(answers, urls)


class _Generation:
    """Documents with their first pages, by the first bytes of their digests; it only grows."""

    def __init__(self) -> None:
        self._table = KeyTable({"row": np.uint32})
        self._rows = bytearray()
        self._urls = bytearray()

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + len(self._rows) + len(self._urls)

    def room_for(self, question_bytes: int) -> int:
        """Bytes that it takes at most once so many bytes of questions are added."""
        count = len(self._table) + question_bytes // _QUESTION.itemsize
        rows = question_bytes // _QUESTION.itemsize * _FIRST.itemsize
        return count * _TABLE_BYTES + len(self._rows) + rows + len(self._urls) + question_bytes

    def find(self, keys: Hashes) -> Slots:
        """The row of each document, -1 where there is none: int64[n] for uint64[n]."""
        slots = self._table.find(keys)
        return np.where(slots >= 0, self._table.values["row"][slots].astype(np.int64), -1)

    def at(self, rows: Slots) -> Records:
        return np.frombuffer(self._rows, _FIRST)[rows]

    def url(self, row: np.void) -> bytes:
        start = int(row["url_start"])
        return bytes(self._urls[start : start + int(row["url_bytes"])])

    def add(self, keys: Hashes, pages: Records, urls: Sequence[bytes]) -> None:
        """Add documents that are not there, with their first pages."""
        rows = np.empty(len(pages), _FIRST)
        for name in _QUESTION.names or ():
            rows[name] = pages[name]
        rows["url_start"] = len(self._urls) + _starts(pages["url_bytes"])
        count = len(self._table)
        self._table.insert(keys, {"row": np.arange(count, count + len(rows), dtype=np.uint32)})
        self._rows += rows.tobytes()
        self._urls += b"".join(urls)


def _by_owner(questions: Sequence[Question], ranks: int) -> tuple[list[bytes], list[list[int]]]:
    """The questions that each rank is to be sent, packed, and their places among all."""
    records = np.empty(len(questions), _QUESTION)
    if questions:
        digests, payloads, hashes, _, dates = zip(*questions, strict=True)
        records["digest"] = np.frombuffer(b"".join(digests), "V20")
        records["payload"] = np.frombuffer(b"".join(payloads), "V20")
        records["hash"], records["fetched"] = np.array(hashes, np.uint64), dates
    owners = _keys(records["digest"]) % np.uint64(ranks)
    places = [np.flatnonzero(owners == rank) for rank in range(ranks)]
    packed = [_packed(records[its], [questions[place].url.encode() for place in its.tolist()]) for its in places]
    return packed, [its.tolist() for its in places]


def _keys(digests: Records) -> Hashes:
    """The first bytes of digests as numbers: uint64[n]."""
    octets = np.frombuffer(digests.tobytes(), np.uint8).reshape(-1, digests.dtype.itemsize)
    return np.ascontiguousarray(octets[:, :_KEY_BYTES]).view("<u8").ravel()


def _packed(records: Records, urls: Sequence[bytes]) -> bytes:
    """Records with a URL each, as they travel; no bytes if there are none."""
    if not len(records):
        return b""
    records["url_bytes"] = list(map(len, urls))
    return b"".join([len(records).to_bytes(_COUNT_BYTES, "little"), records.tobytes(), *urls])


def _unpacked(payload: memoryview, kind: np.dtype[np.void]) -> tuple[Records, list[bytes]]:
    """What `_packed` was given."""
    if not len(payload):
        return np.empty(0, kind), []
    count = int.from_bytes(payload[:_COUNT_BYTES], "little")
    records = np.frombuffer(payload, kind, count, _COUNT_BYTES)
    text = bytes(payload[_COUNT_BYTES + records.nbytes :])
    stops = np.cumsum(records["url_bytes"], dtype=np.int64).tolist()
    return records, [text[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]


def _starts(lengths: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Where each of several strings begins that stand one after the other."""
    stops = np.cumsum(lengths, dtype=np.int64)
    return stops - lengths
