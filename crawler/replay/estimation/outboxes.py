"""The link exchange of an estimate: what the ranks' messages weigh, and in what order their URLs arrive."""

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from crawler.exchange.wire_format import Weights, weights_of
from crawler.replay.course import Messages, Ranks
from crawler.replay.estimation.url_rows import Findings
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Numbers, Recording
from crawler.urls.batch_columns import BatchColumns

_URLS_AT_ONCE = 1 << 12
"""So many URLs are weighed at once, at least a message: that bounds what their text takes, which stays in the cache."""
_WEIGHTLESS = Weights(np.empty(0, np.int64), np.empty(0, np.int64))


class EstimatedOutboxes:
    """Sends what ranks have for each other as `crawler.exchange` would, in its wire format."""

    def __init__(self, recording: Recording, ownership: Ownership) -> None:
        self._ranks = ownership.ranks
        self._numbers = ownership.numbers
        self._url_bytes = recording.url_bytes
        _, offsets, text = recording.urls.buffers()
        self._text = np.frombuffer(text, np.uint8)
        self._starts = np.frombuffer(offsets, np.int64)[recording.urls.offset :][: len(recording)]
        by_text = pc.array_sort_indices(recording.urls).to_numpy()
        self._place_sent = _places(by_text)
        self._place_decoded = self._place_sent
        if self._numbers is not None:
            self._place_decoded = _places(np.lexsort((self._place_sent, self._numbers, self._numbers < 0)))

    def send(self, superstep: int, sent: Findings, receivers: Ranks) -> tuple[Messages, Findings]:
        """The messages in which ranks send n URLs, in any order, to ``receivers`` int32[n]; what each receives."""
        messages = self.messages(np.full(len(sent), superstep, np.int32), sent, receivers)
        return messages, self.received(sent, receivers)

    def received(self, sent: Findings, receivers: Ranks) -> Findings:
        """What each rank receives of n URLs that are sent to ``receivers`` int32[n]."""
        pairs = receivers.astype(np.int64) * self._ranks + sent.ranks
        order = np.argsort(pairs * len(self._starts) + self._place_decoded[sent.urls])
        return Findings(receivers[order], sent.urls[order], sent.depths[order], sent.hops[order], sent.flags[order])

    def messages(self, supersteps: Ranks, sent: Findings, receivers: Ranks) -> Messages:
        """The messages in which n URLs, in any order, go to ``receivers``, int32[n], at the ends of ``supersteps``."""
        keys = (supersteps.astype(np.int64) * self._ranks + sent.ranks) * self._ranks + receivers
        order = np.lexsort((self._place_sent[sent.urls], keys))
        return self._weighed(sent.where(order), keys[order])

    def _weighed(self, sent: Findings, keys: Numbers) -> Messages:
        """The messages as which these go, given in the order in which they are written."""
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        bounds = np.append(starts, len(keys))
        weights = self._weights(sent, bounds)
        pairs, receivers = np.divmod(keys[starts], self._ranks)
        supersteps, senders = np.divmod(pairs, self._ranks)
        return Messages(
            supersteps.astype(np.int32),
            senders.astype(np.int32),
            receivers.astype(np.int32),
            np.diff(bounds),
            weights.numbers,
            np.add.reduceat(self._url_bytes[sent.urls], starts) if len(starts) else np.empty(0, np.int64),
            weights.bytes,
        )

    def _weights(self, sent: Findings, bounds: Numbers) -> Weights:
        blocks = [self._weights_of(sent, bounds[first : last + 1]) for first, last in _blocks(bounds)]
        return Weights(*(np.concatenate(column) for column in zip(_WEIGHTLESS, *blocks, strict=True)))

    def _weights_of(self, sent: Findings, bounds: Numbers) -> Weights:
        rows = slice(bounds[0], bounds[-1])
        urls = sent.urls[rows]
        batches = BatchColumns(
            self._text,
            self._starts[urls],
            self._url_bytes[urls],
            sent.depths[rows],
            sent.hops[rows],
            sent.flags[rows],
            bounds - bounds[0],
        )
        return weights_of(batches, self._numbers[urls] if self._numbers is not None else None)


def _places(order: Numbers) -> Numbers:
    """The place of each item in an order: the inverse permutation."""
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places


def _blocks(bounds: Numbers) -> Iterator[tuple[int, int]]:
    """Messages from ... to, of about as many URLs as are weighed at once."""
    first = 0
    while first < len(bounds) - 1:
        last = int(np.searchsorted(bounds, bounds[first] + _URLS_AT_ONCE, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last
