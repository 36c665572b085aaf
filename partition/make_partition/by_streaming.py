"""Making a partition with no list of links in memory: pages and links lie in batches on disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import numpy as np

from partition.assignment.assignment import Owners
from partition.choices import DEFAULT_RULE
from partition.make_partition.made_partition import MadePartition, naming_session
from partition.make_partition.map_origin import cut_settings, map_origin
from partition.map.manifest import MapError
from partition.map.spilled_rows import Rows
from partition.map.write_map import build_map
from partition.models.partition_pages import Partition
from partition.models.settings import Settings
from partition.streaming.batches import BATCH_PAGES, Batches, in_batches
from partition.streaming.streamed_cut import Streaming, streamed_cut
from sessions.analysis.completeness import incomplete
from sessions.progress import Say
from sessions.session import Session, check_claimable
from sessions.storage.temporary_folder import scratch_folder


def make_partition_by_streaming(
    session: Path,
    k: int,
    out: Path,
    settings: Settings,
    *,
    unknown: str = DEFAULT_RULE,
    batch_pages: int = BATCH_PAGES,
    progress: Say,
) -> MadePartition:
    """Do what `make_partition` does by the model `page`, with no list of links in memory (`partition.streaming`).

    What is sent is kept small, and bytes and requests can be balanced.  ``batch_pages`` are refined at once.  Pages and
    links lie in a folder beside ``out`` meanwhile.  Raises what `make_partition` raises.
    """
    began = perf_counter()
    check_claimable(out)
    opened = Session.open(session)
    with _scratch_beside(out) as folder:
        progress("sorting pages and links into batches")
        with in_batches(opened, folder, batch_pages) as batches:
            with naming_session(session):
                best = streamed_cut(batches, k, _streaming(settings), progress)
            progress("writing the map")
            found, pages, has_urls = best.measures, len(batches.pages), batches.pages.has_urls
            told = cut_settings(settings, pages, best.setting) | {"streaming": True, "batches": len(batches)}
            partition = Partition("page", k, best.parts, [], best.parts[:0], told, found.excess == 0, found.excesses)
            seconds = perf_counter() - began
            manifest = build_map(
                out,
                map_origin(opened, partition, found, settings, has_urls=has_urls, seconds=seconds),
                k=k,
                rows=_rows_of(batches, best.parts),
                prefixes=None,
                unknown=unknown,
            )
    return MadePartition(
        manifest=manifest,
        partition=partition,
        settings=settings,
        measures=found,
        pages=pages,
        has_urls=has_urls,
        seconds=perf_counter() - began,
        incomplete=incomplete(opened),
    )


def _streaming(settings: Settings) -> Streaming:
    """The settings in a streamed cut's own terms."""
    balanced = settings.tolerances
    return Streaming(
        balanced=tuple(balanced),
        tolerances=tuple(balanced.values()),
        shares=settings.shares,
        effort=settings.effort,
        seed=settings.seed,
        threads=settings.threads,
        kahypar=settings.kahypar,
    )


@contextmanager
def _scratch_beside(out: Path) -> Iterator[Path]:
    """A folder beside one to be made; MapError if there is no room for what is put there."""
    try:
        with scratch_folder(".streaming-", out.absolute().parent) as folder:
            yield folder
    except OSError as error:
        raise MapError(f"{out}: {error.strerror or error}") from error


def _rows_of(batches: Batches, parts: Owners) -> Iterator[Rows]:
    """The pages of all batches as rows of a map."""
    for batch in range(len(batches)):
        first, size = batches.span(batch)
        pages = batches.rows(batch)
        yield Rows(pages["url"], pages["hash"].to_numpy(), parts[first : first + size].astype(np.uint16))
