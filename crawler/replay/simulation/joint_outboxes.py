"""What the ranks of a simulation send each other: handed over at once, and weighed as messages many at a time.

What a message weighs changes nothing of the course, and most messages are short.
"""

import numpy as np

from crawler.replay.course import Messages, joined_messages
from crawler.replay.estimation.outboxes import EstimatedOutboxes
from crawler.replay.estimation.url_rows import Findings, joined
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording

_WEIGHED_AT_ONCE = 1 << 16
"""So many URLs wait to be weighed, at least those of a superstep: some megabytes."""


class JointOutboxes:
    """The outboxes of all ranks."""

    def __init__(self, recording: Recording, ownership: Ownership) -> None:
        self._owners = ownership.owners
        self._outboxes = EstimatedOutboxes(recording, ownership)
        self._waiting: list[tuple[int, Findings]] = []
        self._waiting_urls = 0
        self._weighed: list[Messages] = []

    def send(self, superstep: int, sent: Findings) -> Findings:
        """Send URLs to their owners at the end of a superstep, each at most once; what each rank receives, in order."""
        if len(sent):
            self._waiting.append((superstep, sent))
            self._waiting_urls += len(sent)
            if self._waiting_urls >= _WEIGHED_AT_ONCE:
                self._weigh()
        return self._outboxes.received(sent, self._owners[sent.urls])

    def messages(self) -> Messages:
        """All that has been sent, by superstep, sender and receiver."""
        if self._waiting:
            self._weigh()
        return joined_messages(self._weighed)

    def _weigh(self) -> None:
        lengths = [len(its) for _, its in self._waiting]
        supersteps = np.repeat([superstep for superstep, _ in self._waiting], lengths).astype(np.int32)
        sent = joined([its for _, its in self._waiting])
        self._weighed.append(self._outboxes.messages(supersteps, sent, self._owners[sent.urls]))
        self._waiting, self._waiting_urls = [], 0
