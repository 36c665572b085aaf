"""What a crawl by volunteers' machines takes: time, machines, disk and network, as Anansi's thesis reckons it.

Bytes are plain ones, not 2^10 of them; times are seconds.  Source: the thesis on Anansi (North Carolina State
University, 2010), chapter 5.
"""

from dataclasses import dataclass


def crawl_seconds(pages: float, pages_per_second: float, new_share: float = 1.0) -> float:
    """Seconds until ``pages`` pages are fetched, if a share of the fetches [a] are new ones [t = N/(aF)]."""
    return pages / (new_share * pages_per_second)


def rate_needed(pages: float, seconds: float, new_share: float = 1.0) -> float:
    """Pages a second with which that takes ``seconds`` [F = N/(at)]."""
    return pages / (new_share * seconds)


def machines_needed(pages_per_second: float, links: float, seconds_per_link: float) -> float:
    """Machines that ask for each link of a page, one after the other, and keep up with the rate."""
    return pages_per_second * links * seconds_per_link


def url_store_bytes(urls: float, url_bytes: float, copies: float) -> float:
    """Bytes on disk of all URLs in several copies."""
    return urls * url_bytes * copies


@dataclass(frozen=True)
class Traffic:
    """Bytes that go between the project's machines and the volunteers for a page, by default as the thesis has them."""

    program: float = 600.0
    """What asks for the page and its links, sent with each."""
    url: float = 100.0
    """A URL as text."""
    overhead: float = 30.0
    """Of each message."""
    links: float = 200.0
    """URLs that come back for a page."""

    def down(self, pages: float, seconds: float) -> float:
        """Bytes/s to the volunteers, not compressed."""
        return pages * (self.program + self.url + self.overhead) / seconds

    def up(self, pages: float, seconds: float) -> float:
        """Bytes/s from the volunteers, not compressed."""
        return pages * (self.links * self.url + self.overhead) / seconds


def ranking_seconds(urls: float, urls_per_second: float) -> float:
    """Seconds that it takes to rank all URLs once."""
    return urls / urls_per_second
