"""How much may be received: a token bucket (Turner, New directions in communications, 1986) over a rank's connections.

Bytes are counted as they arrive at this machine (`crawler.network.arrived_bytes`), whether anybody has read them yet or
not.  Two gates keep to the limit.  A request begins only if the bucket has something left beside what the answers under
way are expected to take; so answers that are small enough to lie in the kernel whole come at the right pace.  And
while the bucket is in debt nothing is read, so that the windows of large answers close and their servers wait.  (A
speed for each transfer, as CURLOPT_MAX_RECV_SPEED_LARGE has it, would bound neither: nobody knows how many will speak
at once, and a small answer has come before libcurl looks at its speed.)
"""

from math import inf

_DEPTH_SECONDS = 0.25
"""What was not used for longer than this is lost; no burst is longer, beside what is under way."""
_FIRST_EXPECTED_BYTES = 32 << 10
_SMALL_BYTES = 1024
"""What a robots.txt, or an answer to a HEAD, is expected to take."""
_ANSWERS_REMEMBERED = 32
"""The size that an answer is expected to have is the mean of about so many before it."""
_HEADROOM = 1.1
AS_MUCH_AS_IT_GETS = -1
"""The need of a rank that has been kept waiting."""


class Bandwidth:
    """The bucket of one rank: ``rate`` in bytes per second, infinite while there is no limit; times are the web's."""

    def __init__(self, rate: float = inf, now: float = 0.0) -> None:
        self._rate = rate
        self._updated = self._asked = now
        self._tokens = 0.0
        self._expected = 0.0
        self._mean = 0.0
        self._answers = 0
        self._received_then = 0
        self._was_held = False
        self.received = 0
        """Bytes that have arrived so far."""

    @property
    def rate(self) -> float:
        """Bytes per second that may arrive here."""
        return self._rate

    def replace(self, rate: float, now: float) -> None:
        """From now on this is the rate."""
        self._refill(now)
        if self._rate == inf:
            self._tokens = 0.0
        self._rate = rate

    def starting_from(self, now: float) -> float:
        """Return the time from which a request may begin: ``now``, or later."""
        return self._full_at(now, self._expected)

    def reading_from(self, now: float) -> float:
        """Return the time from which may be read what has arrived: ``now``, or later."""
        return self._full_at(now, 0.0)

    def hold(self) -> None:
        """Something is kept waiting here by the limit alone: this rank could use more."""
        self._was_held = True

    def begin(self, *, is_small: bool = False) -> None:
        """A request begins, for a page unless it ``is_small``; before any has come, as if it took all that may come."""
        self._expected += self._expected_of(is_small)

    def arrive(self, count: int) -> None:
        """So many bytes have arrived."""
        self.received += count
        self._tokens -= count
        self._expected = max(0.0, self._expected - count)

    def end(self, count: int, *, is_small: bool = False) -> None:
        """A request has ended, to which so many bytes came."""
        self._expected = max(0.0, self._expected - max(0.0, self._expected_of(is_small) - count))
        if is_small:
            return
        self._answers = min(self._answers + 1, _ANSWERS_REMEMBERED)
        self._mean += (count - self._mean) / self._answers

    def need(self, now: float) -> int:
        """Return the bytes per second that this rank could use since it was last asked, or `AS_MUCH_AS_IT_GETS`."""
        used, seconds = self.received - self._received_then, now - self._asked
        was_held, self._was_held = self._was_held, False
        self._received_then, self._asked = self.received, now
        if was_held or seconds <= 0:
            return AS_MUCH_AS_IT_GETS
        return round(_HEADROOM * used / seconds)

    def _expected_of(self, is_small: bool) -> float:
        if is_small:
            return _SMALL_BYTES
        if self._answers:
            return self._mean
        return 0.0 if self._rate == inf else max(_DEPTH_SECONDS * self._rate, _FIRST_EXPECTED_BYTES)

    def _full_at(self, now: float, beside: float) -> float:
        if self._rate == inf:
            return now
        self._refill(now)
        return now + max(0.0, beside - self._tokens) / self._rate

    def _refill(self, now: float) -> None:
        if self._rate != inf:
            most = _DEPTH_SECONDS * self._rate + self._expected
            self._tokens = min(self._tokens + self._rate * (now - self._updated), most)
        self._updated = now
