"""What a page is compared with when it comes: all documents of the cluster, its site's pages, the previous session."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.drum.keep_alive import NOTHING_TO_SERVE, KeepAlive
from crawler.intake.duplicates.content_seen import ContentSeen
from crawler.intake.duplicates.near_duplicates import NearDuplicates
from crawler.intake.duplicates.page_spool import PageSpool
from crawler.intake.duplicates.pending_pages import SPOOL_BYTES, PendingPages
from partition.assignment.assignment import Assignment

if TYPE_CHECKING:
    from crawler.intake.previous_session import Previous

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class PageComparisons:
    """With what pages are compared; what is None is not done.

    ``waiting``: with all documents of the cluster; ``skips_duplicate_links``: the links of a page whose document came
    before are dropped.  ``simhash`` gives the text of a page a similarity hash; ``near_duplicates`` compares that with
    its site's pages, and the links of a page that is like another are not followed.  ``previous``: with what the
    session before this one has of the page.
    """

    waiting: PendingPages | None = None
    skips_duplicate_links: bool = False
    simhash: Callable[[bytes], int | None] | None = None
    near_duplicates: NearDuplicates | None = None
    previous: "Previous | None" = None


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings:
    """With what pages are compared; each field is the option of that name, memory in MiB."""

    duplicates: bool
    content_memory: float
    duplicate_memory: float
    skip_duplicate_links: bool
    simhash: bool
    near_dup: int | None
    previous: Path | None


def comparing(
    settings: ComparisonSettings,
    rank: int,
    assignment: Assignment,
    scratch: Path,
    keep_alive: KeepAlive = NOTHING_TO_SERVE,
    *,
    in_pieces: bool = False,
) -> PageComparisons:
    """With what pages are compared on a rank, as the settings say; ``scratch`` is its folder for the rest.

    ``keep_alive`` serves again and again during a merge of what is on disk, which with ``in_pieces`` goes on between
    turns of the rank's loop.
    Raises SessionError if there is to be a previous session, and it cannot be read.
    """
    waiting = None
    if settings.duplicates:
        memory = round(settings.content_memory * _MIB)
        content_seen = ContentSeen(scratch, memory, keep_alive, in_pieces=in_pieces)
        waiting = PendingPages(content_seen, PageSpool(scratch, round(settings.duplicate_memory * _MIB), SPOOL_BYTES))
    previous = None
    if settings.previous is not None:
        from crawler.intake.previous_session import Previous  # with Arrow's functions, which few crawls need

        previous = Previous.open(settings.previous, lambda hashes, urls: assignment.owners(hashes, urls) == rank)
    return PageComparisons(
        waiting,
        settings.skip_duplicate_links,
        _simhash() if settings.simhash or settings.near_dup is not None else None,
        NearDuplicates(settings.near_dup) if settings.near_dup is not None else None,
        previous,
    )


def _simhash() -> Callable[[bytes], int | None]:
    """Return the simhash function; loading its compiler takes a rank half a second, so only those load it that ask."""
    from crawler.intake.duplicates.simhash import simhash

    return simhash
