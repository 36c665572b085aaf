"""Which documents have come before, on whatever rank."""

from collections.abc import Sequence
from hashlib import sha1

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.contentseen import ContentSeen, First, Question
from sessions.url import url_hash
from tests.crawler.ranks import FakeExchange, on_ranks

PLENTY = 64 << 20


def question(url: str, content: str, coding: str = "", fetched: float = 1.5) -> Question:
    """A page that was fetched with a content, in a payload that depends on how it is encoded."""
    digest = sha1(content.encode()).digest()
    return Question(digest, sha1((content + coding).encode()).digest(), url_hash(url), url, fetched)


def alone(seen: ContentSeen, *questions: Question) -> list[First | None]:
    """The answers where there is one rank."""
    (answers,) = on_ranks(1, lambda exchange: seen.ask(exchange, questions))
    return list(answers)


def test_what_came_before_is_told_with_the_first_page_that_had_it() -> None:
    seen = ContentSeen(PLENTY)
    first = question("http://a.example/", "x", fetched=123.25)
    assert alone(seen, first) == [None]
    answers = alone(seen, question("http://b.example/", "y"), question("http://c.example/", "x"))
    assert answers == [None, First(first.url_hash, "http://a.example/", 123.25)]
    assert alone(seen, question("http://d.example/", "x"))[0] == First(first.url_hash, "http://a.example/", 123.25)


def test_another_payload_of_the_same_document_is_told_without_the_url() -> None:
    seen = ContentSeen(PLENTY)
    first = question("http://a.example/", "x", "gzip")
    alone(seen, first)
    assert alone(seen, question("http://b.example/", "x", "br")) == [First(first.url_hash, "", 1.5)]


def test_of_several_at_once_the_page_with_the_lowest_hash_is_the_first() -> None:
    questions = [question(f"http://a.example/{number}", "x", fetched=float(number)) for number in range(50)]
    lowest = min(questions, key=lambda one: one.url_hash)
    answers = alone(ContentSeen(PLENTY), *questions)
    expected = First(lowest.url_hash, lowest.url, lowest.fetched)
    assert answers == [None if one is lowest else expected for one in questions]


def test_digests_that_only_begin_alike_are_different() -> None:
    seen = ContentSeen(PLENTY)
    one = question("http://a.example/", "x")
    other = one._replace(digest=one.digest[:8] + bytes(12), url_hash=5)
    assert alone(seen, one) == alone(seen, other) == [None]
    assert alone(seen, other._replace(url_hash=6)) == [None]
    assert alone(seen, one._replace(url_hash=7)) == [First(one.url_hash, one.url, 1.5)]


def test_nothing_is_asked_where_there_is_nothing_to_ask() -> None:
    assert on_ranks(3, lambda exchange: ContentSeen(PLENTY).ask(exchange, [])) == [[], [], []]


def test_the_oldest_are_forgotten_and_memory_stays_within_the_budget() -> None:
    budget = 1 << 20
    seen = ContentSeen(budget)
    batch = 200
    most = 0
    for number in range(200):
        pages = [question(f"http://a.example/{number}/{page}", f"{number}/{page}") for page in range(batch)]
        assert alone(seen, *pages) == [None] * batch
        most = max(most, seen.nbytes)
    assert alone(seen, question("http://b.example/", "199/0"))[0] is not None
    assert alone(seen, question("http://b.example/", "0/0")) == [None]
    assert budget / 3 < most < budget


PAGES = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 12), st.integers(0, 30), st.booleans()), max_size=25, unique_by=id
)


def brute_force(supersteps: Sequence[Sequence[tuple[int, Question]]]) -> list[list[First | None]]:
    """The answers, in the order of asking, of someone who sees everything."""
    known: dict[bytes, Question] = {}
    answers = []
    for asked in supersteps:
        for _, one in sorted(asked, key=lambda item: item[1].url_hash):
            known.setdefault(one.digest, one)
        of_step: list[First | None] = []
        for _, one in asked:
            first = known[one.digest]
            is_same = first.payload == one.payload
            told = First(first.url_hash, first.url if is_same else "", first.fetched)
            of_step.append(None if first is one else told)
        answers.append(of_step)
    return answers


@given(st.lists(PAGES, max_size=5), st.integers(1, 3))
def test_ranks_together_know_what_one_who_sees_everything_knows(
    plan: list[list[tuple[int, int, int, bool]]], ranks: int
) -> None:
    count = 0
    supersteps: list[list[tuple[int, Question]]] = []
    for pages in plan:
        step = []
        for rank, content, date, is_encoded in pages:
            count += 1
            url = f"http://a.example/{count}"
            step.append((rank % ranks, question(url, str(content), "gzip" * is_encoded, float(date))))
        supersteps.append(step)

    def work(exchange: FakeExchange) -> list[list[First | None]]:
        seen = ContentSeen(PLENTY)
        return [seen.ask(exchange, [one for rank, one in step if rank == exchange.rank]) for step in supersteps]

    results = on_ranks(ranks, work)
    for number, (step, expected) in enumerate(zip(supersteps, brute_force(supersteps), strict=True)):
        of_rank = [iter(result[number]) for result in results]
        assert [next(of_rank[rank]) for rank, _ in step] == expected


def test_owners_share_the_memory_evenly() -> None:
    def work(exchange: FakeExchange) -> int:
        seen = ContentSeen(PLENTY)
        own = [question(f"http://{exchange.rank}.example/{n}", f"{exchange.rank}/{n}") for n in range(500)]
        seen.ask(exchange, own)
        return seen.nbytes

    sizes = np.array(on_ranks(4, work))
    assert sizes.max() < 1.5 * sizes.min()
