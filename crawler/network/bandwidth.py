"""How much may be received: token buckets (Turner, New directions in communications, 1986) over a rank's connections.

Bytes are counted as they arrive at this machine (`crawler.network.arrived_bytes`), whether anybody has read them yet or
not.  Two gates keep to the limit.  A request begins only if the buckets have something left beside what may still
arrive of the answers under way before anybody reads; so answers that are small enough to lie in the kernel whole come
at the right pace.  And while a bucket is in debt nothing is read, so that the windows of large answers close and their
servers wait.  (A speed for each transfer, as CURLOPT_MAX_RECV_SPEED_LARGE has it, would bound neither: nobody knows how
many will speak at once, and a small answer has come before libcurl looks at its speed.)

Of the two buckets, as in RFC 2698, one keeps to the rate, and remembers what a rank that was busy elsewhere did not
use; the other bounds the speed at which that is made up for.
"""

from collections.abc import Hashable
from math import inf
from typing import NamedTuple

_KEPT_SECONDS = 1.0
"""What was not used for longer than this is lost."""
_PEAK, _BURST_SECONDS = 1.25, 0.25
"""What was not used comes at so many times the rate, and at once as far as it stands for so many seconds."""
_UNREAD_SECONDS, _LEAST_UNREAD = 0.0625, 32 << 10
"""The kernel keeps of an answer that nobody reads what stands for so many seconds, but not less than so many bytes."""
_SMALL_BYTES = 1024
"""What a robots.txt, or an answer to a HEAD, is expected to take."""
_ANSWERS_REMEMBERED = 32
"""The size that an answer is expected to have is the mean of about so many before it."""
_HEADROOM = 1.1
_SHORTEST_SECONDS = 0.02
"""What became of a share in less time than that tells nothing: ranks that close an epoch exchange several times."""
_NEARLY_ALWAYS = 0.9
"""A rank that is kept waiting for such a share of its time takes as much as it gets."""
AS_MUCH_AS_IT_GETS = -1
"""The need of a rank that is kept waiting nearly always."""


class Use(NamedTuple):
    """What became of a rank's share, in bytes per second: what it could use (or `AS_MUCH_AS_IT_GETS`), and has lost."""

    need: int
    lost: int


class _Bucket:
    """Tokens that come at ``speed`` times the rate, and are kept as far as they stand for so many ``seconds`` of it."""

    def __init__(self, speed: float, seconds: float) -> None:
        self._speed = speed
        self._seconds = seconds
        self.tokens = 0.0
        self.lost = 0.0

    def fill(self, rate: float, seconds: float, beside: float) -> None:
        """So many ``seconds`` have passed; so many tokens are kept ``beside``, for what is under way."""
        tokens = self.tokens + self._speed * rate * seconds
        self.tokens = min(tokens, self._seconds * rate + beside)
        self.lost += tokens - self.tokens

    def seconds_until(self, amount: float, rate: float) -> float:
        """In how many seconds there will be so many tokens."""
        return max(0.0, amount - self.tokens) / (self._speed * rate)


class Bandwidth:
    """The buckets of one rank: ``rate`` in bytes per second, infinite while there is no limit; times are the web's."""

    def __init__(self, rate: float = inf, now: float = 0.0) -> None:
        self._rate = rate
        self._updated = self._told = now
        self._use = Use(AS_MUCH_AS_IT_GETS, 0)
        self._kept, self._burst = _Bucket(1.0, _KEPT_SECONDS), _Bucket(_PEAK, _BURST_SECONDS)
        self._expected_of: dict[Hashable, float] = {}
        self._expected = 0.0
        self._mean = 0.0
        self._answers = 0
        self._received_then = self._lost_then = 0.0
        self._held_seconds = 0.0
        self._held_until = now
        self.received = 0
        """Bytes that have arrived so far."""

    @property
    def rate(self) -> float:
        """Bytes per second that may arrive here."""
        return self._rate

    @property
    def most_unread(self) -> float:
        """How many bytes of an answer may arrive while nobody reads."""
        return max(_UNREAD_SECONDS * self._rate, _LEAST_UNREAD)

    def replace(self, rate: float, now: float) -> None:
        """From now on this is the rate, by which what waits may have to wait no longer."""
        self._fill(now)
        self._held_seconds -= self._still_held(now)
        self._held_until = min(self._held_until, now)
        if self._rate == inf:
            self._kept.tokens = self._burst.tokens = 0.0
        self._rate = rate

    def starting_from(self, now: float) -> float:
        """Return the time from which a request may begin: ``now``, or later.

        While all that may come is taken by large answers, whose sockets are read in turn, that is not yet.
        """
        return self._has_from(now, self._expected + min(self._expected_page(), 0.5 * _BURST_SECONDS * self._rate))

    def reading_from(self, now: float) -> float:
        """Return the time from which may be read what has arrived: ``now``, or later."""
        return self._has_from(now, 0.0)

    def hold(self, now: float, until: float) -> None:
        """Something is kept waiting here by the limit alone: this rank could use more."""
        self._held_seconds += max(0.0, until - max(now, self._held_until))
        self._held_until = max(until, self._held_until)

    def begin(self, answer: Hashable, *, is_small: bool = False) -> None:
        """A request begins, for a page unless its ``answer`` is small."""
        expected = _SMALL_BYTES if is_small else self._expected_page()
        self._expected_of[answer] = expected
        self._expected += expected

    def arrive(self, count: int) -> None:
        """So many bytes have arrived."""
        self.received += count
        self._kept.tokens -= count
        self._burst.tokens -= count

    def read(self, answer: Hashable, count: int) -> None:
        """So many bytes of an answer have been read: it may take less from now on."""
        come = min(self._expected_of.get(answer, 0.0), count)
        if come:
            self._expected_of[answer] -= come
            self._expected -= come

    def end(self, answer: Hashable, count: int, *, is_small: bool = False) -> None:
        """A request has ended, to which so many bytes came."""
        self._expected -= self._expected_of.pop(answer, 0.0)
        if not self._expected_of:
            self._expected = 0.0  # what adding and subtracting left of it
        if is_small:
            return
        self._answers = min(self._answers + 1, _ANSWERS_REMEMBERED)
        self._mean += (count - self._mean) / self._answers

    def use(self, now: float) -> Use:
        """Return what became of the share since this was last asked; the need is what came while nothing was held."""
        self._fill(now)
        seconds = now - self._told
        if seconds < _SHORTEST_SECONDS:
            return self._use._replace(lost=0)
        used, lost = self.received - self._received_then, self._kept.lost - self._lost_then
        held = self._held_seconds - self._still_held(now)
        self._told, self._received_then, self._lost_then = now, self.received, self._kept.lost
        self._held_seconds -= held
        is_held = held >= _NEARLY_ALWAYS * seconds
        need = AS_MUCH_AS_IT_GETS if is_held else round(_HEADROOM * used / (seconds - held))
        self._use = Use(need, round(lost / seconds))
        return self._use

    def _still_held(self, now: float) -> float:
        """For how many seconds from now on something is to be kept waiting."""
        return max(0.0, self._held_until - now)

    def _expected_page(self) -> float:
        """How much of the next page may come before anybody reads."""
        if self._answers:
            return min(self._mean, self.most_unread)
        return 0.0 if self._rate == inf else self.most_unread

    def _has_from(self, now: float, amount: float) -> float:
        if self._rate == inf:
            return now
        self._fill(now)
        return now + max(bucket.seconds_until(amount, self._rate) for bucket in (self._kept, self._burst))

    def _fill(self, now: float) -> None:
        if self._rate != inf:
            self._kept.fill(self._rate, now - self._updated, self._expected)
            self._burst.fill(self._rate, now - self._updated, self._expected)
        self._updated = now
