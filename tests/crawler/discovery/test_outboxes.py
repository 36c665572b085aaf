"""What is on its way to owners: all of it, once, and never more in an exchange than may be."""

from collections import Counter
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery.outboxes import Outboxes
from crawler.urls.batch import UrlBatch
from sessions.url import url_hashes


def batch(urls: list[str]) -> UrlBatch:
    count = len(urls)
    columns = np.zeros(count, np.uint16), np.zeros(count, np.uint8), np.zeros(count, np.uint8)
    return UrlBatch(urls, url_hashes(urls), *columns)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.none(), st.tuples(st.integers(0, 2), st.integers(0, 9))), max_size=40), st.integers(1, 12))
def test_every_url_is_sent_once_and_never_too_many_at_a_time(
    tmp_path_factory: object, steps: list[tuple[int, int] | None], most: int
) -> None:
    folder = tmp_path_factory.mktemp("outboxes")  # type: ignore[attr-defined]
    outboxes = Outboxes(3, Path(folder), most)
    put: list[Counter[str]] = [Counter() for _ in range(3)]
    sent: list[Counter[str]] = [Counter() for _ in range(3)]

    def exchange() -> None:
        before = len(outboxes)
        taken = outboxes.take()
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
        owner, count = step
        urls = [f"http://a.example/{number}/{place}" for place in range(count)]
        put[owner].update(urls)
        outboxes.add(owner, batch(urls))
        assert len(outboxes) == sum(its.total() for its in put) - sum(its.total() for its in sent)
    while len(outboxes):
        exchange()
    assert sent == put
