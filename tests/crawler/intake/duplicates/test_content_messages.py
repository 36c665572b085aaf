"""What travels between ranks that ask each other about documents."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.drum.kind import CHECK_UPDATE, UPDATE
from crawler.intake.duplicates.content_messages import (
    ANSWER,
    ContentQuestion,
    First,
    Known,
    Wanted,
    answered,
    asked,
    read_answered,
    read_asked,
)
from tests.crawler.support.documents import question

DIGESTS = st.binary(min_size=20, max_size=20)
QUESTIONS = st.lists(
    st.builds(ContentQuestion, DIGESTS, DIGESTS, st.integers(0, 2**64 - 1), st.text(max_size=9), st.floats(0, 2e9)),
    max_size=9,
)


@settings(deadline=None, derandomize=True)
@given(QUESTIONS, QUESTIONS, st.integers(0, 1 << 40), st.integers(1, 4), st.sampled_from(Wanted))
def test_questions_come_as_they_were_asked_and_go_to_who_remembers(
    questions: list[ContentQuestion], noted: list[ContentQuestion], number: int, ranks: int, wants: Wanted
) -> None:
    payloads = asked(questions, noted, number, ranks, wants)
    assert len(payloads) == ranks
    found = []
    for rank, payload in enumerate(payloads):
        wish, records, urls = read_asked(memoryview(payload))
        assert wish == (wants if payload else Wanted.ANSWERS)
        assert bool(payload) == (bool(wants) or len(records) > 0)
        for record, url in zip(records, urls, strict=True):
            assert int(record["key"]) % ranks == rank
            digest = int(record["key"]).to_bytes(8, "little") + record["rest"].tobytes()
            told = ContentQuestion(
                digest, record["payload"].tobytes(), int(record["hash"]), url.decode(), record["fetched"]
            )
            found.append((int(record["number"]), int(record["operation"]), told))
    expected = [(number + place, CHECK_UPDATE, one) for place, one in enumerate(questions)]
    later = number + len(questions)
    expected += [(later + place, UPDATE, one) for place, one in enumerate(noted)]
    assert sorted(found) == expected


@settings(deadline=None, derandomize=True)
@given(st.booleans(), st.booleans(), st.lists(st.integers(0, 2**64 - 1), max_size=5), QUESTIONS)
def test_answers_come_as_they_were_given(
    someone_waits: bool, has_more: bool, firsts: list[int], known: list[ContentQuestion]
) -> None:
    records = np.zeros(len(known), ANSWER)
    for number, (record, one) in enumerate(zip(records, known, strict=True)):
        record["number"], record["rest"], record["payload"] = number, one.digest[8:], one.payload
        record["hash"], record["fetched"] = one.url_hash, one.fetched
    urls = [one.url.encode() for one in known]
    numbers = np.array(firsts, np.uint64)
    payload = answered(numbers, records, urls, someone_waits=someone_waits, has_more=has_more)
    told = read_answered(memoryview(payload))
    assert (told.someone_waits, told.has_more) == (someone_waits, has_more)
    assert told.firsts.tolist() == firsts
    assert told.known.numbers.tolist() == list(range(len(known)))
    assert [told.known.at(place) for place in range(len(known))] == [
        Known(one.digest[8:], one.payload, one.url_hash, one.url, one.fetched) for one in known
    ]


def test_owners_share_the_documents_evenly() -> None:
    questions = [question(f"http://a.example/{number}", str(number)) for number in range(2000)]
    payloads = asked(questions, [], 0, 4, Wanted.ANSWERS)
    counts = [len(read_asked(memoryview(payload)).questions) for payload in payloads]
    assert sum(counts) == 2000
    assert max(counts) < 1.2 * min(counts)


def test_nothing_travels_where_there_is_nothing_to_say() -> None:
    assert asked([], [], 7, 3, Wanted.ANSWERS) == [b""] * 3
    assert len(read_asked(memoryview(b"")).questions) == 0


def test_what_is_known_of_another_document_is_nothing_and_of_another_payload_all_but_the_url() -> None:
    first = question("http://a.example/", "x", "gzip", fetched=2.5)
    known = Known(first.digest[8:], first.payload, first.url_hash, first.url, first.fetched)
    assert known.first_with(first) == First(first.url_hash, first.url, 2.5)
    assert known.first_with(question("http://b.example/", "x", "br")) == First(first.url_hash, "", 2.5)
    assert known.first_with(first._replace(digest=first.digest[:8] + bytes(12))) is None
