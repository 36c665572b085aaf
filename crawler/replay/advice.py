"""One recommendation for the next crawl, from what the last session says of the cost of each model and rule.

Partitions are made from the session without some of its pages (`partition.graphs.holdout`), five times, each time
without others, and the whole session is replayed under each: the pages that were held out stand for those that will be
new.  Partitions of the whole session would know every page, and promise a balance that no later crawl keeps.  What a
way costs (`crawler.replay.costs`) is a band over these and over webs that have more new pages, or fewer old ones
(`crawler.replay.trials`).  A simpler way is recommended unless the cheapest one's band lies below it.

Of a session without URLs, an imported graph, only that is tried which needs none: the models that it allows, and new
pages by their own hash.  Nothing can be told of new directories then.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from crawler.config.next_crawl import next_crawl
from crawler.process.progress_line import shares
from crawler.replay.costs import NETWORK_MBIT, Band, Cost, Prices, band_of, prices_of
from crawler.replay.estimation.estimate import estimate
from crawler.replay.foresight.figures import Value, figures_of
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.foresight.request import Candidate, candidates_of
from crawler.replay.measuring.importance import importance_of
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Numbers, Recording, recording_of
from crawler.replay.settings import ReplaySettings
from crawler.replay.source import name_of
from crawler.replay.trials import by_chance, costs_of, weights_of
from partition.choices import ASSIGNMENTS, UNKNOWN_RULES
from partition.graphs.holdout import FOLDS, folds_of, without
from partition.graphs.link_graph import GraphError, LinkGraph, link_graph
from partition.models.settings import Settings
from partition.quality.request import USUAL_MODELS, models_allowed
from partition.report.results import LeftOut
from sessions.hash_arrays import places
from sessions.progress import Say, say_nothing
from sessions.session import DISCOVERER, Session
from sessions.storage.temporary_folder import scratch_folder

BASE = "page-hash"
TOLERANCE = 0.1
"""The imbalance up to which a crawl counts as balanced."""
_AS_EVEN = 1.25
"""Imbalances that differ by less are about the same (docs/foresight.md: their bands are far wider)."""
RULES = tuple(rule for rule in UNKNOWN_RULES if rule != DISCOVERER)
"""The rules for unknown URLs that are tried: under "discoverer" two ranks may fetch one page."""
_RULES_WITHOUT_URLS = ("page-hash",)
SIMPLEST_FIRST = (*ASSIGNMENTS, "prefix", "page", "url-range", "site", "site-packed")


@dataclass(frozen=True)
class Option:
    """A candidate with what its trials cost, and bytes of the map that a rank maps into memory (0 for a hash).

    ``costs`` are of all webs that may come next; ``figures``, by the names in `crawler.replay.foresight.figures`, of
    the replay of the session itself under the first of the partitions.
    """

    candidate: Candidate
    figures: dict[str, Value]
    map_bytes: int
    costs: tuple[Cost, ...]

    @cached_property
    def page_ms(self) -> Band:
        """What a page costs as the slowest rank works, in ms."""
        return band_of(cost.page_ms for cost in self.costs)

    @cached_property
    def storage_imbalance(self) -> Band:
        """How much more than the mean the rank with most bytes of pages has."""
        return band_of(cost.storage_imbalance for cost in self.costs)

    @cached_property
    def requests_imbalance(self) -> Band:
        """How much more than the mean the rank with most pages has."""
        return band_of(cost.requests_imbalance for cost in self.costs)

    @cached_property
    def imbalance(self) -> Band:
        """The larger of both imbalances."""
        return band_of(max(cost.storage_imbalance, cost.requests_imbalance) for cost in self.costs)

    @property
    def is_even(self) -> bool:
        """Is its fullest rank expected to have at most `TOLERANCE` more than the mean?"""
        return self.imbalance.middle <= TOLERANCE

    @cached_property
    def wire_bytes(self) -> Band:
        """Bytes on the wire for each page."""
        return band_of(cost.wire_bytes for cost in self.costs)


@dataclass(frozen=True)
class Advice:
    """What is recommended of the ``options``, which are all that were tried.

    Attributes:
        prices: what was reckoned with.
        chosen: the recommended one.
        cheapest: the one with the lowest expected cost; ``chosen`` is another if a simpler one is within its band.
        base: what page hash gives, for comparison.
        left_out: models that the session does not allow, and why.
        pages: of the session; of each of the partitions about ``held_out`` of them were held out.
        has_urls: False if the pages were imported as bare numbers; single pages were then held out, not directories.
        incomplete: how the session ended early, None if it is complete.
    """

    session: Path
    ranks: int
    cutting: Settings
    prices: Prices
    pages: int
    held_out: int
    has_urls: bool
    incomplete: str | None
    options: tuple[Option, ...]
    chosen: Option
    cheapest: Option
    base: Option
    left_out: tuple[LeftOut, ...]

    def seconds(self, page_ms: float) -> float:
        """How long the slowest rank is busy with as many pages as the session has, at so many ms a page."""
        return page_ms / 1000 * self.pages / self.ranks

    @property
    def shown(self) -> list[Option]:
        """Of each model the cheapest option, the simplest model first, and what is recommended."""
        best: dict[str, Option] = {}
        for option in sorted(self.options, key=_by_cost):
            best.setdefault(option.candidate.model, option)
        best[self.chosen.candidate.model] = self.chosen
        return sorted(best.values(), key=_simplicity)

    @property
    def commands(self) -> list[str]:
        """What to run: `cutweb partition`, unless a hash is recommended, and the next crawl.

        A map of pages without URLs is of no use to a crawl, but a replay can be run by it.
        """
        candidate, cutting = self.chosen.candidate, self.cutting
        if candidate.rule is None:
            return [next_crawl(self.session, f"--ranks {self.ranks} --assign {candidate.model}")]
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
            next_crawl(self.session, by_map) if self.has_urls else f"cutweb replay {session} {by_map} --out replayed",
        ]


def advise(
    session: Path,
    ranks: int,
    *,
    network_mbit: float = NETWORK_MBIT,
    models: Sequence[str] = USUAL_MODELS,
    settings: ReplaySettings | None = None,
    cutting: Settings | None = None,
    progress: Say = say_nothing,
) -> Advice:
    """Recommend how the next crawl's K = ``ranks`` ranks should share the URLs of a web like that of ``session``.

    ``network_mbit`` is what the network of a rank carries; ``models`` are tried, and page hash; ``cutting`` is how the
    next crawl's partition is to be made, those of the trials with little effort.  Raises GraphError if the session has
    fewer pages than ranks, SessionError if it is none.
    """
    settings, cutting = settings or ReplaySettings(), cutting or Settings()
    progress(f"reading {session}")
    graph = link_graph(Session.open(session))
    if ranks > len(graph):
        raise GraphError(f"{session}: {ranks:,} ranks for {len(graph):,} pages; some would have none")
    recording = recording_of(session)
    prices = prices_of(recording, network_mbit)
    candidates = candidates_of((*models, BASE), (ranks,), RULES if graph.has_urls else _RULES_WITHOUT_URLS)
    trials = _Trials(recording, graph, prices, replace(cutting, effort="low"), settings, progress)
    options = tuple(trials.of(candidates))
    chosen, cheapest = choice(options)
    return Advice(
        session=session,
        ranks=ranks,
        cutting=cutting,
        prices=prices,
        pages=len(graph),
        held_out=trials.held_out,
        has_urls=graph.has_urls,
        incomplete=None if recording.incomplete is None else str(recording.incomplete),
        options=options,
        chosen=chosen,
        cheapest=cheapest,
        base=next(option for option in options if option.candidate.model == BASE),
        left_out=tuple(trials.left_out.values()),
    )


def choice(options: Sequence[Option]) -> tuple[Option, Option]:
    """The recommended option, and the one with the lowest expected cost.

    Recommended is the simplest one whose expected cost is not above the band of the cheapest: what it would save is
    less than what is not known of it.  Where none of these is expected to keep its balance, being simple buys nothing:
    of those that are expected to be about as even as the most even one, that is recommended which sends least.
    """
    cheapest = min(options, key=_by_cost)
    near = [option for option in options if option.page_ms.middle <= cheapest.page_ms.high]
    if any(option.is_even for option in near):
        return min(near, key=lambda option: (_simplicity(option), _by_cost(option))), cheapest
    most_even = min(option.imbalance.middle for option in near)
    as_even = [option for option in near if option.imbalance.middle <= _AS_EVEN * most_even]
    return min(as_even, key=lambda option: (option.wire_bytes.middle, _by_cost(option))), cheapest


def _by_cost(option: Option) -> tuple[float, float, int]:
    return option.page_ms.middle, option.page_ms.high, _simplicity(option)


def _simplicity(option: Option) -> int:
    model = option.candidate.model
    return SIMPLEST_FIRST.index(model) if model in SIMPLEST_FIRST else len(SIMPLEST_FIRST)


class _Trials:
    """Partitions of a session without each fifth of its pages, and what webs that may come next cost under them."""

    def __init__(
        self,
        recording: Recording,
        graph: LinkGraph,
        prices: Prices,
        cutting: Settings,
        settings: ReplaySettings,
        progress: Say,
    ) -> None:
        self._recording = recording
        self._graph = graph
        self._prices = prices
        self._cutting = cutting
        self._settings = settings
        self._progress = progress
        self._importance = importance_of(recording)
        folds = folds_of(graph)
        of_pages = places(recording.hashes[: recording.page_count], graph.hashes, np.argsort(graph.hashes))
        self._folds: Numbers = folds[of_pages]
        self._sites: Numbers = graph.sites[of_pages]
        self._held = [folds == fold for fold in range(FOLDS)]
        self.held_out = round(len(graph) / FOLDS)
        self.left_out: dict[str, LeftOut] = {}

    def of(self, candidates: Sequence[Candidate]) -> list[Option]:
        """The candidates that can be tried, with what came of it; `left_out` has the models that cannot, and why."""
        figures: dict[Candidate, tuple[dict[str, Value], int]] = {}
        costs: dict[Candidate, list[Cost]] = {}
        for fold in range(FOLDS):
            told = f"hold-out {fold + 1} of {FOLDS}"
            known = without(self._graph, self._held[fold])
            with scratch_folder("cutweb-advise-") as folder:
                cuts = Cuts(known, self._cutting, folder, partial(self._tell, told))
                for candidate in self._allowed(candidates, cuts, known):
                    ownership = cuts.ownership(self._recording, candidate)
                    if candidate not in figures:
                        grown = len(self._graph) / max(1, len(known))
                        map_bytes = int(cuts.map_bytes(candidate) * grown)
                        figures[candidate] = self._figures(ownership, f"replaying under {candidate}"), map_bytes
                    costs.setdefault(candidate, []).extend(
                        self._costs(ownership, candidate, figures[candidate][0], fold)
                    )
        return [
            Option(candidate, *figures[candidate], tuple(found))
            for candidate, found in costs.items()
            if candidate.model not in self.left_out
        ]

    def _allowed(self, candidates: Sequence[Candidate], cuts: Cuts, known: LinkGraph) -> Iterator[Candidate]:
        for candidate in candidates:
            problem = _problem(candidate, cuts, known)
            if problem is not None:
                self.left_out.setdefault(candidate.model, LeftOut(candidate.model, None, problem))
            elif candidate.model not in self.left_out:
                yield candidate

    def _tell(self, told: str, what: str) -> None:
        self._progress(f"{told}: {what}")

    def _figures(self, ownership: Ownership, what: str) -> dict[str, Value]:
        """What a replay of the session itself gives."""
        course = estimate(self._recording, ownership, self._settings, shares(self._progress, what))
        return figures_of(self._recording, ownership, course, self._settings, self._importance)

    def _costs(
        self, ownership: Ownership, candidate: Candidate, figures: dict[str, Value], fold: int
    ) -> Iterator[Cost]:
        recording, owners = self._recording, ownership.owners
        if candidate.model == BASE:
            owners = by_chance(owners, recording.page_count, fold, candidate.k)
        urls = float(figures["urls_per_page"])
        wire_bytes = float(figures["wire_bytes_per_page"]) / urls if urls else 0.0
        webs = weights_of(self._folds, self._sites, fold)
        return costs_of(recording, owners, candidate.k, wire_bytes, self._prices, webs)


def _problem(candidate: Candidate, cuts: Cuts, known: LinkGraph) -> str | None:
    """Why a candidate cannot be tried, None if it can."""
    if candidate.needs_map and candidate.model in models_allowed(known) and candidate.k > len(known):
        return f"{candidate.k:,} parts of the {len(known):,} pages that were not held out: some would be empty"
    return cuts.problem(candidate)
