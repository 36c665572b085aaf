"""The seam of what ranks talk about at the end of a superstep beside URLs."""

from typing import Protocol

from crawler.exchange.link_exchange import LinkExchange


class SuperstepParticipant(Protocol):
    """Something that the ranks talk about.

    ``wire_bytes`` counts what this rank sent to others for that.
    """

    wire_bytes: int

    def settle(self, exchange: LinkExchange) -> None:
        """Talk about it.  All ranks call this together."""
        ...

    def close(self) -> None:
        """The crawl has ended."""
        ...
