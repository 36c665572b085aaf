"""One recommendation for the next crawl, from what the last session says of models, rules and volumes.

Partitions are made from the session without some of its pages (`crawler.replay.holdout`), and the whole session is
replayed under each: the pages that were held out stand for those that will be new.  Partitions of the whole session
would know every page, and promise a balance that no later crawl keeps.

Of a session without URLs, an imported graph, only that is tried which needs none: the models that it allows, and new
pages by their own hash.  Nothing can be told of new directories then.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crawler.commands.progressline import shares
from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.cuts import Cuts
from crawler.replay.foresight.figures import Value, figures_of
from crawler.replay.foresight.request import BEARABLE, Candidate, candidates_of
from crawler.replay.holdout import held_out, without
from crawler.replay.measuring.importance import importance_of
from crawler.replay.recording import Recording, recording_of
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import name_of
from partition.graphs.link_graph import GraphError, LinkGraph, link_graph
from partition.map.manifest import UNKNOWN_RULES
from partition.models.partitioning import Settings
from partition.quality.request import ALL_MODELS, LeftOut, models_allowed
from sessions.scratch import scratch_folder
from sessions.session import DISCOVERER, Session

NEARLY = 0.05
"""A simpler way is taken if it sends no more than this share more than the best."""
BASE = "page-hash"
_MOST_IMBALANCE = 0.5
_RULES_WITHOUT_URLS = ("page-hash",)
_SIMPLEST_FIRST = ("site-hash", BASE, "site", "prefix", "url-range", "page")


@dataclass(frozen=True)
class Option:
    """A candidate with what its replay gives, and bytes of the map that a rank maps into memory (0 for a hash).

    ``figures`` are by the names in `crawler.replay.foresight.figures`.
    """

    candidate: Candidate
    figures: dict[str, Value]
    map_bytes: int

    @property
    def imbalance(self) -> float:
        """The larger of the imbalances of storage and of requests."""
        return float(max(self.figures["storage_imbalance"], self.figures["requests_imbalance"]))

    @property
    def wire_bytes(self) -> float:
        """Bytes on the wire for each page."""
        return float(self.figures["wire_bytes_per_page"])

    @property
    def overlap(self) -> float:
        """Fetches too many, for each page."""
        return float(self.figures["overlap"])

    @property
    def is_apart(self) -> bool:
        """Does no other rank fetch what one fetches?  Under "discoverer" that is chance, even if none did this time."""
        return not self.overlap and self.candidate.rule != DISCOVERER


@dataclass(frozen=True)
class Advice:
    """What is recommended of the ``options``, which are all that were tried.

    Attributes:
        chosen: the recommended one.
        least: the one without overlap and within the tolerance that sends least; ``chosen`` is another if a simpler
            one sends nearly as little.  None if nothing is within the tolerance.
        base: what page hash gives, for comparison.
        left_out: models that the session does not allow, and why.
        pages: of the session; ``held_out`` of them no partition knew.
        has_urls: False if the pages were imported as bare numbers; single pages were then held out, not directories.
    """

    session: Path
    ranks: int
    tolerance: float
    cutting: Settings
    pages: int
    held_out: int
    has_urls: bool
    options: tuple[Option, ...]
    chosen: Option
    least: Option | None
    base: Option
    left_out: tuple[LeftOut, ...]

    @property
    def beyond(self) -> Option | None:
        """What a larger tolerance would allow: the most even option that sends less than half, without overlap.

        None if there is none with an imbalance that anybody would want.
        """
        lighter = [
            option
            for option in self.options
            if option.is_apart
            and max(self.tolerance, self.chosen.imbalance) < option.imbalance <= _MOST_IMBALANCE
            and 2 * option.wire_bytes < self.chosen.wire_bytes
        ]
        return min(lighter, key=lambda option: (option.imbalance, option.wire_bytes), default=None)

    @property
    def commands(self) -> list[str]:
        """What to run: `cutweb partition`, unless a hash is recommended, and the next crawl.

        A map of pages without URLs is of no use to a crawl, but a replay can be run by it.
        """
        candidate, cutting = self.chosen.candidate, self.cutting
        if candidate.rule is None:
            return [f"cutweb crawl --ranks {self.ranks} --assign {candidate.model} ..."]
        out = shlex.quote(f"{name_of(self.session)}-in-{self.ranks}")
        defaults = Settings()
        asked = "".join(
            f" --{name} {getattr(cutting, name)}"
            for name in ("objective", "tolerance", "effort", "seed")
            if getattr(cutting, name) != getattr(defaults, name)
        )
        session = shlex.quote(str(self.session))
        by_map = f"--ranks {self.ranks} --partition {out} --unknown {candidate.rule}"
        return [
            f"cutweb partition {session} --model {candidate.model} --parts {self.ranks}{asked} --out {out}",
            f"cutweb crawl {by_map} ..." if self.has_urls else f"cutweb replay {session} {by_map} --out replayed",
        ]


def advise(
    session: Path,
    ranks: int,
    *,
    tolerance: float = BEARABLE,
    settings: ReplaySettings | None = None,
    cutting: Settings | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Advice:
    """Recommend how the next crawl's K = ``ranks`` ranks should share the URLs of a web like that of ``session``.

    ``tolerance`` is the imbalance that may be expected, ``cutting`` how partitions are made.  Raises GraphError if the
    session has fewer pages than ranks, SessionError if it is none.
    """
    settings, cutting = settings or ReplaySettings(), cutting or Settings()
    progress(f"reading {session}")
    graph = link_graph(Session.open(session))
    if ranks > len(graph):
        raise GraphError(f"{session}: {ranks:,} ranks for {len(graph):,} pages; some would have none")
    recording = recording_of(session)
    known = without(graph, held_out(graph))
    candidates = candidates_of(ALL_MODELS, (ranks,), UNKNOWN_RULES if graph.has_urls else _RULES_WITHOUT_URLS)
    with scratch_folder("cutweb-advise-") as folder:
        cuts = Cuts(known, cutting, folder, progress)
        allowed, left_out = _allowed(candidates, cuts, known)
        growth = len(graph) / max(1, len(known))
        options = tuple(_options(recording, allowed, cuts, settings, growth, progress))
    chosen, least = choice(options, tolerance)
    return Advice(
        session=session,
        ranks=ranks,
        tolerance=tolerance,
        cutting=cutting,
        pages=len(graph),
        held_out=len(graph) - len(known),
        has_urls=graph.has_urls,
        options=options,
        chosen=chosen,
        least=least,
        base=next(option for option in options if option.candidate.model == BASE),
        left_out=left_out,
    )


def _allowed(
    candidates: Sequence[Candidate], cuts: Cuts, known: LinkGraph
) -> tuple[list[Candidate], tuple[LeftOut, ...]]:
    """The candidates that can be tried, and the models that cannot."""
    allowed, left_out = [], {}
    for candidate in candidates:
        problem = _problem(candidate, cuts, known)
        if problem is None:
            allowed.append(candidate)
        else:
            left_out[candidate.model] = LeftOut(candidate.model, None, problem)
    return allowed, tuple(left_out.values())


def _options(
    recording: Recording,
    candidates: Sequence[Candidate],
    cuts: Cuts,
    settings: ReplaySettings,
    growth: float,
    progress: Callable[[str], None],
) -> Iterator[Option]:
    """What replays of the whole session give; its maps would be larger than those without some pages by ``growth``."""
    importance = importance_of(recording)
    for candidate in candidates:
        ownership = cuts.ownership(recording, candidate)
        course = estimate(recording, ownership, settings, shares(progress, f"replaying under {candidate}"))
        figures = figures_of(recording, ownership, course, settings, importance)
        yield Option(candidate, figures, int(cuts.map_bytes(candidate) * growth))


def _problem(candidate: Candidate, cuts: Cuts, known: LinkGraph) -> str | None:
    """Why a candidate cannot be tried, None if it can."""
    if candidate.needs_map and candidate.model in models_allowed(known) and candidate.k > len(known):
        return f"{candidate.k:,} parts of the {len(known):,} pages that were not held out: some would be empty"
    return cuts.problem(candidate)


def choice(options: Sequence[Option], tolerance: float) -> tuple[Option, Option | None]:
    """The recommended option, and the one that sends least of those within the tolerance (None if none is).

    Only options without overlap count.  Of those within the tolerance the one is taken that sends least, or a simpler
    one that sends at most `NEARLY` more; if there is none, the one with the least imbalance.
    """
    apart = [option for option in options if option.is_apart]
    fair = [option for option in apart if option.imbalance <= tolerance]
    if not fair:
        return min(apart, key=lambda option: (option.imbalance, option.wire_bytes, _simplicity(option))), None
    least = min(fair, key=lambda option: (option.wire_bytes, _simplicity(option)))
    near = [option for option in fair if option.wire_bytes <= (1 + NEARLY) * least.wire_bytes]
    return min(near, key=lambda option: (_simplicity(option), option.wire_bytes)), least


def _simplicity(option: Option) -> int:
    return _SIMPLEST_FIRST.index(option.candidate.model)
