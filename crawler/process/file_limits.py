"""File descriptors: how many this process may have, and how many of them connections may take."""

import resource

_FOR_ALL_ELSE = 128
_KEPT_PER_CONNECTION = 4


def raise_limit() -> None:
    """Raise this process's limit of descriptors as far as the system lets it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def most_connections() -> int:
    """How many transfers at once leave enough descriptors for all else."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(0, soft - _FOR_ALL_ELSE)


def connections_kept(transfers: int) -> int:
    """How many connections to keep open, used or idle, for so many transfers at once."""
    return max(transfers, min(_KEPT_PER_CONNECTION * transfers, most_connections()))
