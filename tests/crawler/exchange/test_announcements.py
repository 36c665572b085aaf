"""Announcements: what rank 0 says, topic by topic.  Several ranks: tests/mpi/test_exchange.py."""

from crawler.exchange.announcements import Announcements
from crawler.exchange.link_exchange import LinkExchange
from crawler.process.sole_rank import sole_rank


class Words:
    """A topic that says these words, one a superstep."""

    def __init__(self, *words: bytes | None) -> None:
        self.said = list(words)
        self.heard: list[bytes] = []

    def news(self) -> bytes | None:
        return self.said.pop(0)

    def hear(self, news: bytes) -> None:
        self.heard.append(news)


def test_each_topic_hears_its_own_news_and_nothing_where_there_is_none() -> None:
    first, second = Words(None, b"block", None), Words(None, None, b"")
    announcements = Announcements([first, second])
    exchange = LinkExchange(sole_rank())
    had_news = []
    for _ in range(3):
        had_news.append(announcements.look())
        announcements.spread(exchange)
    assert had_news == [False, True, True]
    assert (first.heard, second.heard) == ([b"block"], [b""])


def test_a_crawl_without_topics_has_no_news() -> None:
    assert not Announcements().look()
