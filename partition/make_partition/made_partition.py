"""What has been made: a map, the partition in it, and how good it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from partition.cut.metis import MetisError
from partition.graphs.link_graph import GraphError
from partition.map.manifest import Manifest
from partition.measures.cut_portrait import CutPortrait
from partition.measures.measures import Measures, SiteSpread
from partition.measures.moves import Moves
from partition.measures.next_crawl import NextCrawl
from partition.measures.summed_measures import SummedMeasures
from partition.measures.traffic import Traffic
from partition.models.partition_pages import Partition
from partition.models.settings import Settings
from sessions.analysis.completeness import Incomplete


@dataclass(frozen=True)
class Look:
    """A cut as one looks at it, what the same pages would send each other by page hash, and how sites are spread."""

    portrait: CutPortrait
    by_page_hash: Traffic
    sites: SiteSpread


@dataclass(frozen=True, kw_only=True)
class MadePartition:
    """A map that was written, the partition in it, the settings that it was asked for with, and how good it is.

    Without URLs volumes are counted in links only.  ``moves`` are from the previous map, if there was one.  ``seconds``
    are what reading, cutting, measuring and writing took together.  ``incomplete`` says how the session ended early.
    ``next_crawl`` is what is expected where a fifth of the pages is new, None if nothing can be said.  ``look`` is what
    a page shows besides, if it was asked for.
    """

    manifest: Manifest
    partition: Partition
    settings: Settings
    measures: Measures | SummedMeasures
    pages: int
    has_urls: bool
    seconds: float
    incomplete: Incomplete | None
    moves: Moves | None = None
    next_crawl: NextCrawl | None = None
    look: Look | None = None


@contextmanager
def naming_session(session: Path) -> Iterator[None]:
    """Name the session in the GraphError that says why it cannot be cut; METIS's own errors become one, too."""
    try:
        yield
    except (GraphError, MetisError) as error:
        raise GraphError(f"{session}: {error}") from error
