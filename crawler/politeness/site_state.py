"""The states of a site, as one rank knows it; docs/politeness.md has the table of what leads from one to another."""

from enum import Enum


class SiteState(Enum):
    """What a site of a rank is doing."""

    IDLE = "idle"
    """All its URLs are parked: it waits for room in its FIFO."""
    ASKING = "asking"
    """It has URLs or errands, and a gatekeeper has been asked for what is missing: facts, an allowance or a turn."""
    LEASED = "leased"
    """It is on the agenda by a lease of its server, to be visited when both have rested."""
    TURN = "turn"
    """It is on the agenda by a turn that this rank was given."""
    FETCHING = "fetching"
    """It was picked, and is the fetcher's until it is released."""
    RESTING = "resting"
    """It has no URLs, here or parked; it is remembered until it has rested, and its gatekeepers have answered."""
    FORGOTTEN = "forgotten"
    """It is not in the table of sites."""
