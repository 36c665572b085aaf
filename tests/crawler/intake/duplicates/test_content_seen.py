"""Which documents have come before, on whatever rank."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.keep_alive import KeepAlive
from crawler.intake.duplicates import content_seen
from crawler.intake.duplicates.content_messages import ContentQuestion, First, Wanted, read_answered
from crawler.intake.duplicates.content_seen import ContentSeen
from tests.crawler.support.documents import PLENTY, question
from tests.crawler.support.thread_ranks import FakeExchange, on_ranks

LITTLE = 1 << 14
"""Memory for a few dozen documents."""


class Asker:
    """A rank's end: its questions that have no answer yet, and its part of what is remembered."""

    def __init__(self, seen: ContentSeen) -> None:
        self.seen = seen
        self.open: list[ContentQuestion] = []

    def ask(
        self,
        exchange: FakeExchange,
        questions: Sequence[ContentQuestion],
        noted: Sequence[ContentQuestion] = (),
        *,
        wants: Wanted = Wanted.ALL_NOW,
    ) -> list[tuple[ContentQuestion, First | None]]:
        """Ask; the questions that are answered now, the oldest first, with what is said of them."""
        self.open += questions
        answers = self.seen.ask(exchange, questions, noted, wants=wants)
        settled, self.open = self.open[: len(answers)], self.open[len(answers) :]
        return [
            (one, known.first_with(one) if known is not None else None)
            for one, known in zip(settled, answers, strict=True)
        ]


def alone(seen: ContentSeen, *questions: ContentQuestion, noted: Sequence[ContentQuestion] = ()) -> list[First | None]:
    """The answers where there is one rank that wants them all."""
    (answers,) = on_ranks(1, lambda exchange: Asker(seen).ask(exchange, questions, noted))
    return [first for _, first in answers]


def first_of(one: ContentQuestion) -> First:
    return First(one.url_hash, one.url, one.fetched)


def fill(seen: ContentSeen) -> None:
    """Have documents remembered that are more than little memory holds."""
    for start in range(0, 600, 100):
        numbers = range(start, start + 100)
        pages = [question(f"http://filling.example/{number}", f"filling {number}") for number in numbers]
        assert alone(seen, *pages) == [None] * 100


def in_memory(folder: Path) -> ContentSeen:
    return ContentSeen(folder, PLENTY)


def on_disk(folder: Path) -> ContentSeen:
    seen = ContentSeen(folder, LITTLE)
    fill(seen)
    return seen


def test_a_merge_serves_the_network(tmp_path: Path) -> None:
    served: list[int] = []
    fill(ContentSeen(tmp_path / "memory", PLENTY, KeepAlive(lambda: served.append(1))))
    assert served == []
    fill(ContentSeen(tmp_path, LITTLE, KeepAlive(lambda: served.append(1))))
    assert len(served) > 50


Make = Callable[[Path], ContentSeen]
ANYWHERE = pytest.mark.parametrize("make", [in_memory, on_disk])


@ANYWHERE
def test_what_came_before_is_told_with_the_first_page_that_had_it(tmp_path: Path, make: Make) -> None:
    seen = make(tmp_path)
    first = question("http://a.example/", "x", fetched=123.25)
    assert alone(seen, first) == [None]
    answers = alone(seen, question("http://b.example/", "y"), question("http://c.example/", "x"))
    assert answers == [None, First(first.url_hash, "http://a.example/", 123.25)]
    assert alone(seen, question("http://d.example/", "x")) == [first_of(first)]


@ANYWHERE
def test_another_payload_of_the_same_document_is_told_without_the_url(tmp_path: Path, make: Make) -> None:
    seen = make(tmp_path)
    first = question("http://a.example/", "x", "gzip")
    alone(seen, first)
    assert alone(seen, question("http://b.example/", "x", "br")) == [First(first.url_hash, "", 1.5)]


@ANYWHERE
def test_of_several_at_once_the_page_with_the_lowest_hash_is_the_first(tmp_path: Path, make: Make) -> None:
    questions = [question(f"http://a.example/{number}", "x", fetched=float(number)) for number in range(50)]
    lowest = min(questions, key=lambda one: one.url_hash)
    expected = [None if one is lowest else first_of(lowest) for one in questions]
    assert alone(make(tmp_path), *questions) == expected


@ANYWHERE
def test_digests_that_only_begin_alike_are_different(tmp_path: Path, make: Make) -> None:
    seen = make(tmp_path)
    one = question("http://a.example/", "x")
    other = one._replace(digest=one.digest[:8] + bytes(12), url_hash=5)
    assert alone(seen, one) == alone(seen, other) == [None]
    assert alone(seen, other._replace(url_hash=6)) == [None]
    assert alone(seen, one._replace(url_hash=7)) == [first_of(one)]


@ANYWHERE
def test_a_page_that_is_only_noted_gets_no_answer_and_is_known_afterwards(tmp_path: Path, make: Make) -> None:
    seen = make(tmp_path)
    noted = question("http://a.example/", "x")
    assert alone(seen, noted=[noted]) == []
    assert alone(seen, question("http://b.example/", "x")) == [first_of(noted)]


def test_nothing_is_asked_where_there_is_nothing_to_ask(tmp_path: Path) -> None:
    def work(exchange: FakeExchange) -> list[tuple[ContentQuestion, First | None]]:
        return Asker(in_memory(tmp_path / str(exchange.rank))).ask(exchange, [])

    assert on_ranks(3, work) == [[], [], []]


def test_a_small_session_touches_no_disk(tmp_path: Path) -> None:
    seen = in_memory(tmp_path / "scratch")
    fill(seen)
    alone(seen, question("http://a.example/", "filling 1"))
    assert not (tmp_path / "scratch").exists()


def test_nothing_is_forgotten(tmp_path: Path) -> None:
    seen = on_disk(tmp_path)
    fill_again = [question(f"http://again.example/{number}", f"filling {number}") for number in range(600)]
    expected = [first_of(question(f"http://filling.example/{number}", f"filling {number}")) for number in range(600)]
    assert alone(seen, *fill_again) == expected


def test_on_disk_an_answer_is_waited_for_until_any_rank_wants_all(tmp_path: Path) -> None:
    def work(exchange: FakeExchange) -> list[int]:
        asker = Asker(ContentSeen(tmp_path / str(exchange.rank), LITTLE))
        names = [f"{exchange.rank}.example/{number}" for number in range(600)]
        asker.ask(exchange, [question(f"http://{name}", name) for name in names])
        asker.ask(exchange, [question("http://a.example/", "x")] * (exchange.rank == 1), wants=Wanted.ANSWERS)
        waiting = [len(asker.open)]
        asker.ask(exchange, [], wants=Wanted.ANSWERS)
        waiting.append(len(asker.open))
        asker.ask(exchange, [], wants=Wanted.ALL_NOW if exchange.rank == 0 else Wanted.ANSWERS)
        return [*waiting, len(asker.open)]

    assert on_ranks(2, work) == [[0, 0, 0], [1, 1, 0]]


class Weighed(ContentSeen):
    """Notes of how many pages an answer tells what is known."""

    most_known = 0

    def answer(self, received: Sequence[memoryview]) -> list[bytes]:
        answers = super().answer(received)
        known = [len(read_answered(memoryview(answer)).known.numbers) for answer in answers]
        self.most_known = max(self.most_known, *known)
        return answers


@pytest.mark.parametrize(("most_sent", "expected"), [(1, (1, 30)), (1000, (60, 600))])
def test_many_answers_are_sent_a_part_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_sent: int, expected: tuple[int, int]
) -> None:
    """Or else all that wait for a merge of very many documents would be in memory several times."""
    monkeypatch.setattr(content_seen, "_MOST_SENT", most_sent)
    seen = Weighed(tmp_path, LITTLE)
    fill(seen)
    pages = [question(f"http://again.example/{number}", f"filling {number}") for number in range(600)]

    def work(exchange: FakeExchange) -> list[str]:
        asker, told = Asker(seen), []
        for start in range(0, 600, 10):
            told += asker.ask(exchange, pages[start : start + 10], wants=Wanted.ANSWERS)
        told += asker.ask(exchange, [])
        return [first.url for _, first in told if first is not None]

    assert on_ranks(1, work) == [[f"http://filling.example/{number}" for number in range(600)]]
    least, most = expected
    assert least <= seen.most_known <= most


def open_in(folder: Path) -> list[str]:
    """The files in a folder that this process has open."""
    links = [os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [link for link in links if link.startswith(str(folder))]


def test_nothing_stays_open(tmp_path: Path) -> None:
    """A file that is open when it is removed stays in its folder on some network file systems."""
    seen = on_disk(tmp_path)
    alone(seen, *(question(f"http://again.example/{number}", f"filling {number}") for number in range(600)))
    assert open_in(tmp_path)
    seen.close()
    assert not open_in(tmp_path)


def test_a_merge_that_is_wanted_is_begun_and_goes_on_in_pieces(tmp_path: Path) -> None:
    seen = ContentSeen(tmp_path, LITTLE, in_pieces=True)
    fill(seen)
    asked = [question(f"http://again.example/{number}", f"filling {number}") for number in range(8)]

    def work(exchange: FakeExchange) -> None:
        asker = Asker(seen)
        assert asker.ask(exchange, asked[:4], wants=Wanted.ANSWERS) == []
        assert not seen.is_merging
        assert asker.ask(exchange, asked[4:], wants=Wanted.MERGE) == []
        done = []
        while seen.is_merging:
            done.append(seen.merge_done)
            seen.merge_on()
        assert done == sorted(done)
        assert done[0] == 0 < done[1] < 1
        answers = asker.ask(exchange, [], wants=Wanted.MERGE)
        expected = [first_of(question(f"http://filling.example/{number}", f"filling {number}")) for number in range(8)]
        assert [first for _, first in answers] == expected
        assert not seen.is_merging

    on_ranks(1, work)


class Round(NamedTuple):
    """An exchange: who asks what (rank, content, date, encoded), which questions are only noted, who wants more.

    After it each rank does so many ``pieces`` of a merge.
    """

    pages: list[tuple[int, int, int, bool]]
    noted: int
    wanting: int
    wants: Wanted
    pieces: int


PAGES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 30), st.booleans()), max_size=40)
ROUNDS = st.lists(
    st.builds(Round, PAGES, st.integers(0, 4), st.integers(0, 7), st.sampled_from(Wanted), st.integers(0, 3)),
    max_size=8,
)
MOST_SENT = st.sampled_from([1, 5, 1 << 14])


class Exact:
    """Someone who sees everything: the first page of each document."""

    def __init__(self) -> None:
        self._known: dict[bytes, ContentQuestion] = {}
        self.expected: dict[int, First | None] = {}

    def superstep(self, questions: Sequence[ContentQuestion]) -> None:
        for one in sorted(questions, key=lambda one: one.url_hash):
            first = self._known.setdefault(one.digest, one)
            url = first.url if first.payload == one.payload else ""
            self.expected[one.url_hash] = None if first is one else First(first.url_hash, url, first.fetched)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(ROUNDS, st.integers(1, 4), st.sampled_from([LITTLE >> 2, LITTLE, PLENTY]), st.booleans(), MOST_SENT)
def test_ranks_together_know_what_one_who_sees_everything_knows(
    plan: list[Round], ranks: int, budget: int, in_pieces: bool, most_sent: int
) -> None:
    """Whatever the number of ranks, the memory, when answers are wanted, how many are sent at once, and what is merged
    meanwhile."""
    exact, count = Exact(), 0
    asked: list[list[tuple[int, ContentQuestion]]] = []
    for step in plan:
        pages = []
        for rank, content, date, is_encoded in step.pages:
            count += 1
            one = question(f"http://a.example/{count}", str(content), "gzip" * is_encoded, float(date))
            pages.append((rank % ranks, one))
        exact.superstep([one for _, one in pages])
        asked.append(pages)

    def work(exchange: FakeExchange) -> list[tuple[ContentQuestion, First | None]]:
        asker = Asker(ContentSeen(folder / str(exchange.rank), budget, in_pieces=in_pieces))
        answers = []
        for step, pages in zip(plan, asked, strict=True):
            mine = [one for rank, one in pages if rank == exchange.rank]
            cut = max(0, len(mine) - step.noted)
            wants = step.wants if step.wanting == exchange.rank else Wanted.ANSWERS
            answers += asker.ask(exchange, mine[:cut], mine[cut:], wants=wants)
            for _ in range(step.pieces):
                asker.seen.merge_on()
            assert budget != PLENTY or not asker.open, "in memory all is answered at once"
        answers += asker.ask(exchange, [], wants=Wanted.ALL_NOW)
        assert not asker.open
        return answers

    with tempfile.TemporaryDirectory() as name, patch.object(content_seen, "_MOST_SENT", most_sent):
        folder = Path(name)
        results = on_ranks(ranks, work)
    for rank, result in enumerate(results):
        order = [
            one
            for step, pages in zip(plan, asked, strict=True)
            for one in _without_last([one for its, one in pages if its == rank], step.noted)
        ]
        assert [one for one, _ in result] == order
    for one, first in [answer for result in results for answer in result]:
        assert first == exact.expected[one.url_hash]


def _without_last(questions: list[ContentQuestion], count: int) -> list[ContentQuestion]:
    return questions[: max(0, len(questions) - count)]
