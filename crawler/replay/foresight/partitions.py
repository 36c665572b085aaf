"""The partitions of one session, as the maps by which others are replayed."""

from collections.abc import Iterable
from pathlib import Path

from crawler.replay.foresight.request import Candidate
from crawler.replay.ownership import Ownership, ownership_by_hash, ownership_by_map
from crawler.replay.recording import Recording
from partition.cut.metis import MetisError
from partition.graphs.link_graph import GraphError, LinkGraph
from partition.map.manifest import Origin
from partition.map.partition_map import PartitionMap
from partition.map.write_map import write_map
from partition.measures.imbalance import empty_parts
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from partition.quality.request import WITHOUT_URLS, models_allowed
from partition.report.results import LeftOut
from sessions.progress import Say


class Cuts:
    """Makes the partition of a model at a K when it is first asked for, and keeps its map in ``folder``."""

    def __init__(self, graph: LinkGraph, settings: Settings, folder: Path, progress: Say) -> None:
        self._graph = graph
        self._settings = settings
        self._folder = folder
        self._progress = progress
        self._maps: dict[tuple[str, int], PartitionMap] = {}
        self._problems: dict[tuple[str, int], str] = {}
        self._unbalanced: list[tuple[str, int]] = []

    @property
    def unbalanced(self) -> list[tuple[str, int]]:
        """The models and Ks of which no partition within the tolerance of the settings was found."""
        return list(self._unbalanced)

    def problem(self, candidate: Candidate) -> str | None:
        """Why the session does not allow a candidate's model at its K, None if it does."""
        if candidate.model not in models_allowed(self._graph):
            return WITHOUT_URLS
        if not candidate.needs_map:
            return None
        try:
            self._map_of(candidate.model, candidate.k)
        except GraphError as error:
            return str(error)
        return None

    def allowed(self, candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[LeftOut]]:
        """The candidates whose partitions there are, and which models are left out, once for each K."""
        allowed, left_out = [], {}
        for candidate in candidates:
            problem = self.problem(candidate)
            if problem is None:
                allowed.append(candidate)
            else:
                left_out[candidate.model, candidate.k] = LeftOut(candidate.model, candidate.k, problem)
        return allowed, list(left_out.values())

    def ownership(self, recording: Recording, candidate: Candidate) -> Ownership:
        """Who owns the URLs of any recording.  Raises GraphError if there is no such partition."""
        if candidate.rule is None:
            return ownership_by_hash(recording, candidate.model, candidate.k)
        return ownership_by_map(recording, self._map_of(candidate.model, candidate.k), candidate.rule)

    def folder(self, candidate: Candidate) -> Path | None:
        """Where the map of an allowed candidate is, None for a hash."""
        return self._map_of(candidate.model, candidate.k).folder if candidate.needs_map else None

    def map_bytes(self, candidate: Candidate) -> int:
        """Bytes of the files that a rank maps into its memory, 0 for a hash."""
        if not candidate.needs_map:
            return 0
        return self._map_of(candidate.model, candidate.k).manifest.mapped_bytes

    def _map_of(self, model: str, k: int) -> PartitionMap:
        key = (model, k)
        if key in self._problems:
            raise GraphError(self._problems[key])
        if key not in self._maps:
            try:
                self._maps[key] = self._made(model, k)
            except (GraphError, MetisError) as error:
                self._problems[key] = str(error)
                raise GraphError(str(error)) from error
        return self._maps[key]

    def _made(self, model: str, k: int) -> PartitionMap:
        self._progress(f"cutting by {model} for {k} ranks")
        partition = partition_pages(self._graph, model, k, self._settings)
        if empty := empty_parts(partition.parts, k):
            raise GraphError(f"{empty:,} of its parts would be empty")
        if not partition.is_balanced:
            self._unbalanced.append((model, k))
        folder = self._folder / f"{model}-{k}"
        write_map(
            folder,
            Origin(model),
            k=k,
            urls=self._graph.urls.to_pylist(),
            hashes=self._graph.hashes,
            parts=partition.parts,
            prefixes=partition.prefixes,
            prefix_parts=partition.prefix_parts,
        )
        return PartitionMap.open(folder, verify=False)
