"""What a rank counts while it crawls."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counters:
    """Cumulative counts of one rank since the session's start.  Bytes are bytes; times are in the rank's report."""

    discovered: int = 0
    fetched: int = 0
    links: int = 0
    links_out_of_scope: int = 0
    links_over_limit: int = 0
    links_nofollow: int = 0
    bytes: int = 0
    decoded_bytes: int = 0
    duplicates: int = 0
    near_duplicates: int = 0
    unchanged: int = 0
    robots_fetched: int = 0
    superstep: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    defects: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    filtered: Counter[str] = field(default_factory=Counter)
    queued: Counter[str] = field(default_factory=Counter)
