"""What a quality report is asked for, and which trials that takes."""

from dataclasses import dataclass, field

from partition.assignment.assignment import assignments_for
from partition.choices import ASSIGNMENTS, DEFAULT_RULE, MODELS, all_models, usual_models
from partition.graphs.link_graph import LinkGraph
from partition.models.partition_pages import models_for, too_many_parts
from partition.models.settings import Settings
from partition.quality.figures import imbalance_of
from partition.report.results import LeftOut

ALL_MODELS = all_models()
"""Every model that a report can have, in the order in which it shows them."""
USUAL_MODELS = usual_models()
"""The models that are tried if nobody names any."""
WITHOUT_CHANCE = (*(name for name in MODELS if MODELS.load(name).divide is not None), *ASSIGNMENTS)
"""Models that are the same with every seed, and are therefore tried once."""
WITHOUT_URLS = "the pages have no URLs"


@dataclass(frozen=True)
class QualityRequest:
    """What to report on.

    ``parts`` are the Ks, ``seeds`` the seeds of the trials of one K, ``settings`` those of every partition but for the
    seed, ``unknown`` the rule for URLs that a map does not hold.  ``jobs`` is the number of trials at a time, which
    share the threads that the settings give.  ``previous`` is the folder of an earlier map, whose K is then tried with
    each of ``migration_costs`` besides (`partition.quality.migration`).  ``site_seconds`` is a file with the seconds of
    each site's pages (`partition.graphs.site_seconds`).
    """

    models: tuple[str, ...] = USUAL_MODELS
    parts: tuple[int, ...] = (4, 8, 16)
    seeds: tuple[int, ...] = (1,)
    settings: Settings = field(default_factory=Settings)
    unknown: str = DEFAULT_RULE
    jobs: int = 1
    previous: str | None = None
    migration_costs: tuple[float, ...] = ()
    site_seconds: str | None = None

    @property
    def tolerances(self) -> dict[str, float]:
        """The imbalances up to which results count as balanced, by the names of their figures."""
        return {imbalance_of(name): tolerance for name, tolerance in self.settings.tolerances.items()}


@dataclass(frozen=True)
class Trial:
    """One model at one K with one seed; with a memory of the previous map if there is a migration cost, be it 0."""

    model: str
    k: int
    seed: int
    migration_cost: float | None = None

    def __str__(self) -> str:
        memory = "" if self.migration_cost is None else f", migration cost {self.migration_cost:g}"
        return f"{self.model}, K={self.k}, seed {self.seed}{memory}"


def trials_of(request: QualityRequest, graph: LinkGraph) -> tuple[list[Trial], list[LeftOut]]:
    """The trials that the graph allows, by model, K and seed, and the models that it does not, or not at a K."""
    allowed = models_allowed(graph)
    trials: list[Trial] = []
    left_out: list[LeftOut] = []
    for model in (model for model in ALL_MODELS if model in request.models):
        if model not in allowed:
            left_out.append(LeftOut(model, None, WITHOUT_URLS))
            continue
        problems = {} if model in ASSIGNMENTS else too_many_parts(graph, model, request.parts)
        left_out += [LeftOut(model, k, problem) for k, problem in problems.items()]
        seeds = request.seeds[:1] if model in WITHOUT_CHANCE else request.seeds
        trials += [Trial(model, k, seed) for k in request.parts if k not in problems for seed in seeds]
    return trials, left_out


def migration_trials(request: QualityRequest, graph: LinkGraph, k: int) -> list[Trial]:
    """A trial for each model that can weigh volume against moves, and each migration cost, at the previous map's K."""
    models = [model for model in models_for(graph) if model in request.models and model not in WITHOUT_CHANCE]
    return [Trial(model, k, request.seeds[0], cost) for model in models for cost in request.migration_costs]


def models_allowed(graph: LinkGraph) -> tuple[str, ...]:
    """The models that the graph's URLs allow; without URLs there are no sites to hash either."""
    return (*models_for(graph), *assignments_for(has_urls=graph.has_urls))
