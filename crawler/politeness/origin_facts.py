"""What a rank has been told of origins, as long as it holds, in bounded memory."""

from crawler.politeness.messages import Facts

MOST_ORIGINS = 1 << 15
MOST_BYTES = 64 << 20
"""Of rules: most sites have none or short ones, but one robots.txt may take half a MiB."""


class OriginFacts:
    """Facts by origin; when there are too many, those used least recently are forgotten, and asked again."""

    def __init__(self, *, most_origins: int = MOST_ORIGINS, most_bytes: int = MOST_BYTES) -> None:
        self._most_origins = most_origins
        self._most_bytes = most_bytes
        self._known: dict[str, tuple[Facts, float]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def get(self, origin: str, now: float, *, with_rules: bool) -> Facts | None:
        """What is known of an origin and still holds; None if nothing is, or the rules are wanted and are not."""
        known = self._known.get(origin)
        if known is None or known[1] <= now or (with_rules and known[0].rules is None):
            return None
        self._known[origin] = self._known.pop(origin)
        return known[0]

    def add(self, facts: Facts, now: float) -> None:
        """Take note of facts that have just come; they take the place of older ones about their origin."""
        self.forget(facts.origin)
        self._known[facts.origin] = facts, now + facts.seconds
        self._bytes += _size(facts)
        while len(self._known) > self._most_origins or (self._bytes > self._most_bytes and len(self._known) > 1):
            self.forget(next(iter(self._known)))

    def forget(self, origin: str) -> None:
        """Know nothing of an origin any more."""
        known = self._known.pop(origin, None)
        if known is not None:
            self._bytes -= _size(known[0])


def _size(facts: Facts) -> int:
    return facts.rules.bytes if facts.rules is not None else 0
