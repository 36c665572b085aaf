"""From sessions to a worklist: `cutweb worklist`, by one process or all ranks of an MPI run.

Everything is map and reduce.  Each rank reads its share of the tables; records go to the rank that their hash names,
modulo K, and are sorted there on disk.  Fetches come first, since they tell which visits are a URL's last two; then
links, of which those visits' are counted; then the URLs.  One pass over the URLs, with what is known of each beside it,
gives their priorities, and the rows of all ranks are brought into one order.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from crawler.worklist.defaults import CRAWL_SECONDS, GONE, MEMORY_MIB
from crawler.worklist.fetches import FETCH_FACTS, FETCH_KEYS, FETCHES, facts_of, read_fetches
from crawler.worklist.formulas import FORMULAS, WEIGHTED_VALUE, Formula
from crawler.worklist.global_order import ORDER_KEYS, KeySamples, first_rows
from crawler.worklist.link_sums import (
    IN_DEGREES,
    LINK_KEYS,
    LINK_SUMS,
    LINKS,
    Counted,
    count_links,
    in_degrees,
    read_links,
)
from crawler.worklist.manifest import (
    RankedSession,
    WorklistError,
    WorklistManifest,
    WorklistOrigin,
    write_manifest,
)
from crawler.worklist.page_rank import EDGE_KEYS, EDGES, NODES, PAGE_RANKS, PageRank, edges_of
from crawler.worklist.rate_estimates import EVIDENCE, EVIDENCE_KEYS, RATES, estimated, evidence_of
from crawler.worklist.record_sorter import RecordSorter
from crawler.worklist.rows import KINDS, WrittenRows, write_rows
from crawler.worklist.sorted_streams import SortedLookup, sums_of_groups, whole_groups
from crawler.worklist.table_share import TableShare
from crawler.worklist.url_rows import (
    FILTERED_URLS,
    ORDERED_ROWS,
    URLS,
    Beside,
    Figures,
    UrlsByHash,
    as_rows,
    read_filtered,
    read_urls,
    url_rows,
)
from crawler.worklist.workspace import Workspace
from partition.assignment.assignment import Assignment
from partition.communication.ranks import Ranks
from partition.map.spilled_batches import SpilledBatches
from sessions.progress import Say, say_nothing
from sessions.session import Session, SessionError
from sessions.writing.atomic_folder import whole_folder

_BYTES_PER_ROW_READ = 2048
_MOST_ROWS_READ = 1 << 17
_FEWEST_ROWS_READ = 1 << 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class WorklistSettings:
    """How to rank.

    ``by`` is one of `FORMULAS`, ``weight`` one of `crawler.worklist.formulas.WEIGHTS`; ``now`` and ``crawl_seconds``
    say how old a page is, in units of which; ``gone`` fetches in a row that were answered 404 or 410 leave a URL out;
    ``limit`` is the most rows of each kind.  A rank holds ``memory`` bytes beside what an empty process takes.
    """

    now: datetime
    by: str = "anansi"
    weight: str = "none"
    crawl_seconds: float = float(CRAWL_SECONDS)
    gone: int = GONE
    limit: int | None = None
    partition: Path | None = None
    memory: int = MEMORY_MIB << 20

    @property
    def formula(self) -> Formula:
        """What gives each URL its priority."""
        is_weighted = self.by == "value" and self.weight == "backlinks"
        chosen: Formula = WEIGHTED_VALUE if is_weighted else FORMULAS.load(self.by)
        return chosen


@dataclass(frozen=True)
class MadeWorklist:
    """A worklist that was written, and what there is to say of it: how many links were ranked, and warnings."""

    manifest: WorklistManifest
    links: int
    warnings: tuple[str, ...]


def make_worklist(
    ranks: Ranks,
    paths: Sequence[Path],
    out: Path,
    settings: WorklistSettings,
    progress: Say = say_nothing,
) -> MadeWorklist:
    """Write the worklist ``out`` of the sessions in ``paths``, whole or not at all; collective.

    Raises on all ranks SessionError or WorklistError if a session cannot be read, stands there twice, or was crawled
    after ``now``, MapError if the partition map cannot be read, and OSError if the folder cannot be written.
    """
    sessions = ranks.each(lambda: opened(paths))
    assignment = ranks.each(lambda: _assignment(settings.partition, ranks))
    with _giving_memory_back(), _whole(out, ranks) as partial, ExitStack() as stack:
        spilled = partial / "spilled"
        ranks.first(lambda: spilled.mkdir())
        making = _Making(ranks, sessions, settings, spilled, stack, progress, assignment)
        files = making.written(partial)
        figures = making.figures
        stack.close()
        origin = WorklistOrigin(
            settings.by,
            _told_settings(settings, assignment),
            settings.now.isoformat(),
            settings.crawl_seconds,
            [
                RankedSession(str(session.path.resolve()), session.header["run"], _began(session))
                for session in sessions
            ],
            ranks.total(figures.visited_again),
            ranks.total(figures.kept_links),
            ranks.total(figures.without_links),
            has_urls=bool(ranks.total(figures.real_urls)) or not ranks.total(figures.urls),
        )
        manifest = ranks.first(lambda: _finish(partial, spilled, origin, files, sessions[-1].seeds))
    return MadeWorklist(manifest, ranks.total(making.links), tuple(warnings_of(sessions)))


def opened(paths: Sequence[Path]) -> list[Session]:
    """The sessions in the order in which they began.  Raises SessionError if one is none, or stands there twice."""
    sessions = [Session.open(path) for path in paths]
    by_run: dict[str, Session] = {}
    for session in sessions:
        known = by_run.setdefault(session.runs[0].run, session)
        if known is not session:
            which = "is named twice" if known.path == session.path else f"is the same session as {known.path}"
            raise SessionError(f"{session.path}: {which}; name each session once")
    return sorted(sessions, key=lambda session: (datetime.fromisoformat(_began(session)), session.runs[0].run))


def warnings_of(sessions: Sequence[Session]) -> Iterator[str]:
    """Yield what a user should know of sessions that are ranked together."""
    first, *others = sessions
    for other in others:
        if _scope(other) != _scope(first):
            yield (
                f"{first.path} and {other.path} have different scopes ({_scope(first)[0]}, {_scope(other)[0]}): links "
                "that one of them left out seem to be new, or gone"
            )
            return


def _began(session: Session) -> str:
    return session.header["started"]


def _scope(session: Session) -> tuple[str, Any]:
    """A session's scope, and, where that goes by them, its seeds."""
    asked: dict[str, Any] = dict(session.runs[0].configuration)
    if "import" in asked:
        return "imported", None
    scope = str(asked.get("scope") or "all")
    return scope, None if scope == "all" else session.seeds


def _assignment(folder: Path | None, ranks: Ranks) -> Assignment | None:
    if folder is None:
        return None
    from partition.map.partition_assignment import PartitionAssignment
    from partition.map.partition_map import PartitionMap

    return PartitionAssignment(PartitionMap.open(folder), 0).for_seeds()


def _told_settings(settings: WorklistSettings, assignment: Assignment | None) -> dict[str, Any]:
    from partition.map.manifest import read_manifest

    identity = None if settings.partition is None else read_manifest(settings.partition).identity
    return {
        "gone": settings.gone,
        "limit": settings.limit,
        "weight": settings.weight if settings.by == "value" else None,
        "partition_identity": identity,
    }


def _finish(
    partial: Path, spilled: Path, origin: WorklistOrigin, files: Sequence[WrittenRows], seeds: Sequence[str]
) -> WorklistManifest:
    shutil.rmtree(spilled)
    return write_manifest(partial, origin, files, seeds)


@contextmanager
def _giving_memory_back() -> Iterator[None]:
    """Have Arrow allocate as C does: its own pool keeps several times what is in use, beyond any ``memory``."""
    usual = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(usual)


@contextmanager
def _whole(folder: Path, ranks: Ranks) -> Iterator[Path]:
    """`whole_folder`, of all ranks."""
    with ExitStack() as stack:
        yield ranks.first(lambda: stack.enter_context(whole_folder(folder)))
        ranks.first(stack.close)


class _Making:
    """The steps in which ranks make a worklist; all are collective.

    ``links`` counts the distinct links of the latest visits that this rank has seen.
    """

    def __init__(
        self,
        ranks: Ranks,
        sessions: Sequence[Session],
        settings: WorklistSettings,
        folder: Path,
        stack: ExitStack,
        progress: Say,
        assignment: Assignment | None,
    ) -> None:
        self._ranks, self._settings = ranks, settings
        self._progress, self._assignment = progress, assignment
        self._work = Workspace(ranks, folder, stack, settings.memory)
        rows = min(max(settings.memory // _BYTES_PER_ROW_READ, _FEWEST_ROWS_READ), _MOST_ROWS_READ)
        self._share = TableShare(sessions, ranks.rank, ranks.size, rows)
        self._formula = settings.formula
        self._now = (settings.now - _EPOCH) // timedelta(microseconds=1)
        self.links = 0
        self.figures = Figures()

    def written(self, folder: Path) -> list[WrittenRows]:
        """Write all files of rows into a folder; those of all ranks, in order."""
        self._progress("comparing checksums")
        self._ranks.each(self._share.check)
        self._reduce_fetches()
        self._reduce_links()
        self._reduce_urls()
        self._compute_page_rank()
        files: list[WrittenRows] = []
        rows, has_parts = self._ordered_rows(), self._assignment is not None
        for kind, sorter in zip(KINDS, rows, strict=True):
            self._progress(f"writing {kind} URLs")
            offsets = self._ranks.offsets(sorter.rows)
            room = sorter.rows
            if self._settings.limit is not None:
                room = min(room, self._settings.limit - int(offsets[self._ranks.rank]))
            number = sum(self._ranks.together(room > 0)[: self._ranks.rank])
            written = write_rows(
                folder, kind, number, as_rows(first_rows(sorter.sorted(), room), kind, has_parts=has_parts)
            )
            files += [file for file in self._ranks.together(written) if file is not None]
        return files

    def _reduce_fetches(self) -> None:
        """What is known of the fetches of each URL."""
        self._progress("reading pages")
        with_rates = self._formula.needs_rates
        fetches = self._work.gathered("fetches", read_fetches(self._share, with_sites=with_rates), FETCHES, FETCH_KEYS)
        self._facts = self._work.kept("facts", FETCH_FACTS)
        evidence = self._work.kept("evidence", EVIDENCE)
        latest, self._visited = 0, 0
        for batch in whole_groups(fetches.sorted(), "hash"):
            facts = facts_of(batch, self._settings.gone)
            latest = max(latest, int(facts["last"].to_numpy().max()))
            self._visited += int((facts["visits"].to_numpy() > 0).sum())
            self._facts.put(facts.columns, 0)
            if with_rates:
                evidence.put(evidence_of(batch, facts).columns, 0)
        self._check_now(max(self._ranks.together(latest)))
        self._estimate_rates(evidence)

    def _check_now(self, latest: int) -> None:
        if latest > self._now:
            last = _EPOCH + timedelta(microseconds=latest)
            raise WorklistError(
                f"--now {self._settings.now.isoformat()} is before the last fetch of the sessions, {last.isoformat()}; "
                "name a later time"
            )

    def _estimate_rates(self, evidence: SpilledBatches) -> None:
        if not self._formula.needs_rates:
            self._rates = self._work.kept("rates", RATES)
            return
        self._progress("estimating rates of change")
        by_site = self._work.gathered("evidence-sorted", evidence.batches(0), EVIDENCE, EVIDENCE_KEYS)
        self._rates = estimated(self._work, by_site.sorted(), self._now)

    def _reduce_links(self) -> None:
        """How many links each page has, and how many lead to each URL."""
        self._progress("reading links")
        links = self._work.gathered("links", read_links(self._share), LINKS, LINK_KEYS)
        self._progress("counting links")
        sums = self._work.kept("partial-sums", LINK_SUMS)
        self._in_degrees = self._work.sorter("in-degrees", IN_DEGREES, ["hash"])
        self._edges = self._work.sorter("edges", EDGES, EDGE_KEYS) if self._formula.needs_page_rank else None

        def latest_links() -> Iterator[Counted]:
            for counted in count_links(links.sorted(), SortedLookup(self._facts.batches(0), FETCH_FACTS)):
                self.links += len(counted.targets)
                sums.put(counted.sums.columns, 0)
                yield counted

        if self._edges is None:
            degrees = (in_degrees(counted.targets) for counted in latest_links())
            for batch in self._work.delivered(degrees, IN_DEGREES, self._work.by_hash()):
                self._in_degrees.add(batch)
        else:
            edges = (edges_of(counted.sources, counted.targets) for counted in latest_links())
            for batch in self._work.delivered(edges, EDGES, self._work.by_hash()):
                self._edges.add(batch)
                self._in_degrees.add(in_degrees(batch["hash"].to_numpy()))
        self._sums = self._work.kept("sums", LINK_SUMS, sums_of_groups(sums.batches(0)))

    def _reduce_urls(self) -> None:
        """The texts of all URLs, and which were filtered."""
        self._progress("reading URLs")
        self._urls = self._work.gathered("urls", read_urls(self._share), URLS, ["hash"])
        self._filtered = self._work.gathered("filtered", read_filtered(self._share), FILTERED_URLS, ["hash"])

    def _known(self) -> UrlsByHash:
        return UrlsByHash(
            self._urls.sorted(),
            SortedLookup(self._facts.batches(0), FETCH_FACTS),
            SortedLookup(sums_of_groups(self._filtered.sorted()), FILTERED_URLS),
            self._visited,
        )

    def _compute_page_rank(self) -> None:
        if self._edges is None:
            self._page_ranks = self._work.kept("page-ranks", PAGE_RANKS)
            return
        self._progress("computing PageRank")
        nodes = self._work.kept("nodes", NODES)
        for batch in self._known():
            nodes.put([batch.hashes[batch.is_old | batch.is_new]], 0)
        ranked = PageRank(self._work, nodes, self._edges).computed()
        self._page_ranks = self._work.kept("page-ranks", PAGE_RANKS, ranked)

    def _ordered_rows(self) -> list[RecordSorter]:
        """The new and the old URLs with their priorities, in the stretches of all ranks."""
        self._progress("ranking URLs")
        unordered = {kind: self._work.kept(f"{kind}-unordered", ORDERED_ROWS) for kind in KINDS}
        samples = {kind: KeySamples() for kind in KINDS}
        beside = Beside(
            SortedLookup(self._sums.batches(0), LINK_SUMS),
            SortedLookup(sums_of_groups(self._in_degrees.sorted()), IN_DEGREES),
            SortedLookup(self._page_ranks.batches(0), PAGE_RANKS),
            SortedLookup(self._rates.batches(0), RATES),
        )
        for kind, batch in url_rows(self._known(), beside, self._settings, self._assignment, self.figures):
            samples[kind].add(batch)
            unordered[kind].put(batch.columns, 0)
        found = []
        for kind in KINDS:
            owners = samples[kind].owners(self._ranks)
            sorter = self._work.sorter(f"{kind}-ordered", ORDERED_ROWS, ORDER_KEYS)
            for batch in self._work.delivered(unordered[kind].batches(0), ORDERED_ROWS, owners):
                sorter.add(batch)
            found.append(sorter)
        return found
