"""What is on its way to owners: all of it, once, and never more in an exchange than may be."""

from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.outboxes import Outboxes
from sessions.url import url_hashes
from tests.crawler.support.batches import batch_of, by_rank


@settings(deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.none(), st.lists(st.integers(0, 2), max_size=9)), max_size=40), st.integers(1, 12))
def test_every_url_is_sent_once_and_never_too_many_at_a_time(
    tmp_path_factory: object, steps: list[list[int] | None], most: int
) -> None:
    folder = tmp_path_factory.mktemp("outboxes")  # type: ignore[attr-defined]
    outboxes = Outboxes(3, Path(folder), most)
    put: list[Counter[str]] = [Counter() for _ in range(3)]
    sent: list[Counter[str]] = [Counter() for _ in range(3)]

    def exchange() -> None:
        before = len(outboxes)
        outgoing = outboxes.take()
        taken = by_rank(outgoing, 3)
        assert outgoing.receivers == [rank for rank, urls in enumerate(taken) if len(urls)]
        assert sum(map(len, taken)) == before - len(outboxes) <= most
        assert before == 0 or sum(map(len, taken)) > 0
        for its, urls in zip(sent, taken, strict=True):
            assert urls.urls == sorted(urls.urls)
            assert urls.hashes.tolist() == url_hashes(urls.urls).tolist()
            its.update(urls.urls)

    for number, step in enumerate(steps):
        if step is None:
            exchange()
            continue
        urls = [f"http://a.example/{number}/{place}" for place in range(len(step))]
        for owner, url in zip(step, urls, strict=True):
            put[owner][url] += 1
        outboxes.add(batch_of(urls), np.array(step, np.uint16))
        assert len(outboxes) == sum(its.total() for its in put) - sum(its.total() for its in sent)
    while len(outboxes):
        exchange()
    assert sent == put
