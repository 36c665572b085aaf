"""What rank 0 tells all ranks at the end of a superstep: what an operator has changed while the crawl runs.

Rank 0 alone looks, once a superstep and topic, wherever files lie.  It says in its state whether it has news; only then
do the ranks meet once more, and all hear the same before any of them fetches again.
"""

from collections.abc import Sequence
from typing import Protocol

from crawler.exchange.link_exchange import LinkExchange


class Topic(Protocol):
    """Something that an operator may change."""

    def news(self) -> bytes | None:
        """On rank 0: what has changed since this was last asked; None if nothing has."""
        ...

    def hear(self, news: bytes) -> None:
        """On every rank, rank 0 among them: it has changed to this."""
        ...


class Announcements:
    """The topics of a crawl, the same in the same order on all ranks."""

    def __init__(self, topics: Sequence[Topic] = ()) -> None:
        self._topics = topics
        self._news: list[bytes | None] = []

    def look(self) -> bool:
        """On rank 0: is there news?"""
        self._news = [topic.news() for topic in self._topics]
        return any(news is not None for news in self._news)

    def spread(self, exchange: LinkExchange) -> None:
        """Have all ranks hear the news.  They call this together."""
        spread = exchange.tell_all(self._news)
        for topic, news in zip(self._topics, spread, strict=True):
            if news is not None:
                topic.hear(news)
