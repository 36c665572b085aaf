"""Made-up foresights."""

from crawler.replay.foresight.foresight import Foresight, Outlook, Replayed
from crawler.replay.foresight.request import Candidate, ForesightRequest
from partition.report.results import LeftOut

PLAIN = {
    "storage_imbalance": 0.01,
    "requests_imbalance": 0.02,
    "links_imbalance": 0.2,
    "urls_per_page": 0.5,
    "bytes_per_page": 50.0,
    "wire_bytes_per_page": 10.0,
    "overlap": 0.0,
    "coverage": 1.0,
    "empty_parts": 0,
}
OF_MAP = {"unknown_discovered": 0.4, "known_requests_imbalance": 0.03, "new_on_fullest": 0.9}


def outlook(way: str, k: int, session: int, crowded: str | None = None, **figures: float) -> Outlook:
    """What a replay gives under ``model/rule``, or under a hash, with these figures and plain ones else."""
    model, _, rule = way.partition("/")
    known = PLAIN | (OF_MAP if rule else {}) | figures
    return Outlook(Candidate(model, rule or None, k), session, known, crowded)


def replayed(name: str, age: float | None = None, **facts: object) -> Replayed:
    """A session of this name and age in days."""
    plain = {"pages": 1000, "urls": 2000, "links": 9000, "bytes": 10**6, "fetched": None, "new_pages": 0.0}
    return Replayed(name, **(plain | {"age": age, "has_urls": True} | facts))  # type: ignore[arg-type]


def foresight(*outlooks: Outlook, sessions: tuple[Replayed, ...] | None = None, **facts: object) -> Foresight:
    """A foresight of these outlooks, by default from a session before to a session after."""
    sessions = sessions or (replayed("before", 0.0), replayed("after", 30.0, new_pages=0.25))
    models = tuple(dict.fromkeys(one.candidate.model for one in outlooks))
    plain = {"left_out": (), "unbalanced": (), "made": "2026-01-02T03:04:05+00:00", "software": "cutweb 1"}
    return Foresight(ForesightRequest(models), sessions, outlooks, **(plain | facts))  # type: ignore[arg-type]


def both(way: str, k: int, predicted: dict[str, float], actual: dict[str, float]) -> tuple[Outlook, Outlook]:
    """A candidate as predicted and as it is."""
    return outlook(way, k, 0, **predicted), outlook(way, k, 1, "a.example/new/", **actual)


EXAMPLE = foresight(
    *both("page/prefix", 2, {}, {"storage_imbalance": 0.4, "wire_bytes_per_page": 20.0}),
    *both("page/discoverer", 2, {}, {"overlap": 0.05}),
    *both("prefix/prefix", 2, {}, {"storage_imbalance": 0.05, "wire_bytes_per_page": 5.0}),
    *both("prefix/discoverer", 2, {}, {"overlap": 0.02}),
    *both("page-hash", 2, {"wire_bytes_per_page": 200.0}, {"wire_bytes_per_page": 100.0}),
    left_out=(LeftOut("site", 2, "too few"),),
    unbalanced=(LeftOut("url-range", 2, ""),),
)
