"""The tables of the paper, ours beside its own: imbalance of storage and requests, volume, and ratios of volumes.

The paper: B. B. Cambazoglu, A. Turk, C. Aykanat, "Data-Parallel Web Crawling Models", ISCIS 2004.  Its page and site
models are run here with the paper's objective (every link counts), as a user of Cutweb would run them and as the paper
did: single k-way calls of METIS, of which the mean is taken.  Beside them stand baselines (`hash_baselines`).

    python -m scripts.reproduce.cambazoglu2004 crawl --data "a crawl of mine"    print the tables
    python -m scripts.reproduce.cambazoglu2004 crawl --data "a crawl of mine" --save
                                                 and keep them in docs/reproduction.json and docs/reproduction.md,
                                                 beside other data sets or in the place of one of that name
    python -m scripts.reproduce.cambazoglu2004 --render
                                                 write docs/reproduction.md again from docs/reproduction.json

Several sessions may be named, with --data for each; a data set is kept as soon as it is measured.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from partition.cut.metis import MetisError
from partition.cut.portfolio import single_kway
from partition.graphs.link_graph import GraphError, LinkGraph, link_graph
from partition.graphs.weighted_graph import page_graph, site_graph
from partition.map.manifest import MapError
from partition.measures.imbalance import imbalance
from partition.measures.traffic import finds_of_pages, traffic
from partition.models.settings import LINKS, Settings
from partition.quality.dataset import data_set
from partition.quality.mean_results import summed_up
from partition.quality.request import QualityRequest, trials_of
from partition.quality.trial import Outcome
from partition.quality.trials import run_trials
from partition.report.results import LeftOut, Result, lines_of
from scripts.reproduce.hash_baselines import NAMES as BASELINES
from scripts.reproduce.hash_baselines import moved_pages, ring_section
from scripts.reproduce.hash_baselines import sections as baseline_sections
from scripts.reproduce.number_format import percent, table, whole
from sessions.session import Session, SessionError
from sessions.version import software_version

ROOT = Path(__file__).resolve().parents[2]
JSON, PAGE = ROOT / "docs" / "reproduction.json", ROOT / "docs" / "reproduction.md"
CALLS = 8
OURS, SINGLE, PAPER = "Cutweb", "single k-way calls", "paper"
NAMES = {"page": "page GP", "page-hash": "page hash", "site": "site GP", "site-hash": "site hash"}
PARTITIONED = ("page", "site")
FIGURES = ("storage_imbalance", "requests_imbalance", "volume_bytes", "volume_links")

# The paper's Tables 1 to 3: for each K page GP, page hash, site GP, site hash; imbalances in percent.
_PAPER: dict[str, dict[int, tuple[float, float, float, float]]] = {
    "storage_imbalance": {
        8: (3.31, 1.04, 4.59, 15.32),
        16: (4.02, 1.73, 4.72, 22.94),
        24: (4.44, 1.88, 4.74, 30.15),
        32: (4.66, 2.53, 4.75, 36.61),
        40: (4.68, 2.64, 4.76, 41.22),
        48: (4.69, 2.93, 4.76, 44.59),
        56: (4.76, 3.70, 4.76, 52.73),
        64: (4.76, 3.84, 4.76, 54.19),
    },
    "requests_imbalance": {
        8: (3.44, 0.78, 4.57, 3.84),
        16: (4.01, 1.15, 4.75, 6.17),
        24: (4.50, 1.40, 4.75, 7.03),
        32: (4.68, 1.56, 4.75, 8.89),
        40: (4.74, 1.66, 4.76, 10.78),
        48: (4.74, 1.95, 4.76, 12.16),
        56: (4.76, 2.09, 4.76, 13.49),
        64: (4.76, 2.34, 4.76, 13.73),
    },
    "volume": {
        8: (64489, 5306461, 131129, 1001602),
        16: (69643, 5685823, 151264, 1070871),
        24: (71385, 5811600, 163454, 1095860),
        32: (75285, 5875123, 180751, 1108891),
        40: (82038, 5912733, 187987, 1114957),
        48: (80038, 5938494, 193011, 1117739),
        56: (92947, 5956059, 213642, 1122955),
        64: (92467, 5969393, 234272, 1126470),
    },
}
_PAPER_COLUMNS = tuple(NAMES)
PARTS = tuple(_PAPER["volume"])
_PAGES_OF_PAPER = 913_570
_RATIOS = (("page", "page-hash"), ("site", "site-hash"))

_PREFACE = """\
# The paper, reproduced

Written by `scripts/reproduce/cambazoglu2004.py --save`; no number here was typed, but for the paper's own.

The paper is B. B. Cambazoglu, A. Turk, C. Aykanat, *Data-Parallel Web Crawling Models*, ISCIS 2004: 913,570 pages of
15,820 sites, tolerance 5%, means of 8 runs of METIS.  SNAP's web-Google is its collection, but without URLs, sites and
sizes; other data compare in kind only.  Page GP and site GP are its page-based and site-based graph partitioning.

- *{ours}*: Cutweb's model of that name (`cutweb quality --objective links`), the mean over the seeds named with the
  data; page hash, site hash and all baselines have no seed.
- *{single}*: the mean of {calls} default k-way calls of METIS with the same tolerance, which is what the paper ran.
- *{paper}*: the paper's Tables 1 to 3.

The paper's volume of page hash divided by 1 - 1/K, the share of links that a hash cuts, is from {least:,.0f} to
{most:,.0f} at all its K: the same number, about {per_page:.1f} for each page.  That is a number of links, not of bytes
of URLs, so volumes are compared as *ratios*, and counted in links.

The *baselines* look at no link.  Domain hash is the hash of the pay-level domain modulo K.  The rings are consistent
hashing (Karger et al., STOC 1997) of pages, and of sites as in UbiCrawler.  *Sites packed* are whole sites, the
heaviest first, each on the rank that it fills least.
"""


def main() -> None:
    options = _options()
    if options.render:
        PAGE.write_text(as_markdown(json.loads(JSON.read_text())))
        return
    for session, name in zip(options.sessions, options.data, strict=True):
        try:
            data = measured(session, name, options)
        except (SessionError, GraphError, MapError) as error:
            print(f"error: {error}", file=sys.stderr)
            sys.exit(2)
        print("\n".join(_sections(data)))
        if options.save:
            keep(data)


def keep(data: dict[str, Any]) -> None:
    """Keep a data set in docs/reproduction.json, in the place of one of its name, and write the page."""
    found = json.loads(JSON.read_text())["data"] if JSON.exists() else []
    by_name = {kept["name"]: kept for kept in found} | {data["name"]: data}
    figures = {"data": list(by_name.values())}
    JSON.write_text(json.dumps(figures, indent=1) + "\n")
    PAGE.write_text(as_markdown(figures))


def measured(session: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All that the tables say of one session; ``name`` says what it is."""
    opened = Session.open(session)
    graph = link_graph(opened)
    settings = Settings(objective=LINKS, tolerance=options.tolerance, effort=options.effort)
    request = QualityRequest(
        (*NAMES, *BASELINES), options.parts, tuple(range(1, options.seeds + 1)), settings, jobs=options.jobs
    )
    trials, left_out = trials_of(request, graph)
    with TemporaryDirectory() as scratch:
        outcomes = run_trials(graph, trials, request, Path(scratch), _tell)
    results, further = summed_up(outcomes)
    rows = [_row_of(result) for result in results]
    for model in PARTITIONED:
        if any(row["model"] == model for row in rows):
            for k in options.parts:
                calls = _single_calls(graph, model, k, options.tolerance)
                if isinstance(calls, LeftOut):
                    further.append(calls)
                else:
                    rows.append(calls)
    facts = data_set(opened, graph)
    return {
        "name": name,
        "software": f"cutweb {software_version()}",
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "calls": CALLS,
        "seeds": options.seeds,
        "effort": options.effort,
        "tolerance": options.tolerance,
        "pages": facts.pages,
        "links": facts.links,
        "bytes": facts.bytes,
        "sites": facts.sites,
        "largest_site": facts.largest_site,
        **_links_in(graph),
        "parts": list(options.parts),
        "rows": rows,
        "moved": moved_pages(graph, options.parts),
        "left_out": lines_of([*left_out, *further]),
    }


def _links_in(graph: LinkGraph) -> dict[str, float | None]:
    """Average degrees of the page graph and of the site graph, and the share of the links that stay within a site."""
    degrees: dict[str, float | None] = {"page_degree": page_graph(graph).edges.nnz / len(graph)}
    if not graph.has_urls:
        return degrees | {"site_degree": None, "within_sites": None}
    within = graph.sites[graph.sources] == graph.sites[graph.links.indices]
    return degrees | {
        "site_degree": site_graph(graph).edges.nnz / len(graph.site_names),
        "within_sites": float(within.mean()) if len(within) else 0.0,
    }


def _row_of(result: Result) -> dict[str, Any]:
    told = {name: result.figures[name].mean for name in FIGURES if name in result.figures}
    return {"model": result.model, "k": result.k, "way": OURS, "runs": len(result.seeds), **told}


def _single_calls(graph: LinkGraph, model: str, k: int, tolerance: float) -> dict[str, Any] | LeftOut:
    """The means of `CALLS` k-way calls on a model's graph, as the paper made them."""
    weighted = page_graph(graph) if model == "page" else site_graph(graph)
    found = []
    for seed in range(1, CALLS + 1):
        print(f"{model}, K={k}: k-way call {seed} of {CALLS}", file=sys.stderr)
        try:
            parts = single_kway(weighted, k, tolerance, seed)
        except (GraphError, MetisError) as error:
            return LeftOut(f"{model} by {SINGLE}", k, str(error))
        parts = parts if model == "page" else parts[graph.sites]
        volume = traffic(finds_of_pages(graph, parts, k))
        found.append(
            {
                "storage_imbalance": imbalance(graph.weights[:, 0], parts, k),
                "requests_imbalance": imbalance(graph.weights[:, 1], parts, k),
                "volume_links": volume.cut_links,
                **({"volume_bytes": volume.cut_bytes} if graph.has_urls else {}),
            }
        )
    means = {name: fmean(row[name] for row in found) for name in found[0]}
    return {"model": model, "k": k, "way": SINGLE, "runs": CALLS, **means}


def as_markdown(figures: dict[str, Any]) -> str:
    """The page, from the figures in docs/reproduction.json."""
    cut = [row[1] / (1 - 1 / k) for k, row in _PAPER["volume"].items()]
    preface = _PREFACE.format(
        ours=OURS,
        single=SINGLE,
        paper=PAPER,
        calls=CALLS,
        least=min(cut),
        most=max(cut),
        per_page=cut[0] / _PAGES_OF_PAPER,
    )
    return "\n".join([preface, *ring_section(PARTS), *(part for data in figures["data"] for part in _sections(data))])


def _sections(data: dict[str, Any]) -> Iterable[str]:
    sites = ", without URLs"
    if data["sites"]:
        sites = f" of {data['sites']:,} sites, the largest with {data['largest_site']:.1%} of them"
    yield f"## {data['name']}\n"
    yield f"{data['pages']:,} pages{sites}; {data['bytes']:,} bytes, {data['links']:,} links between them."
    yield _degrees(data)
    if data["largest_site"] and data["largest_site"] * max(data["parts"]) > 1:
        yield (
            f"That site is more than 1/{max(data['parts'])} of all: whole, it is too large for any of the ranks, "
            "so site GP and site hash cannot keep the tolerance."
        )
    if data["bytes"] == data["pages"]:
        yield "Sizes are not known: each page counts 1 byte, and storage is the same as requests."
    yield "A dash is what this data, or the paper, does not tell.\n"
    yield (
        f"{data['software']}, {data['made']}: effort {data['effort']}, tolerance {data['tolerance']:.0%}, "
        f"seeds averaged: {data['seeds']}, k-way calls averaged: {data['calls']}.\n"
    )
    if data["left_out"]:
        yield "".join(f"- {line}\n" for line in data["left_out"])
    yield "### Volume as a ratio: graph partitioning / hash, %\n"
    yield _ratios(data)
    yield "### Table 1: imbalance of storage, %\n"
    yield _as_in_the_paper(data, "storage_imbalance", "storage_imbalance", percent)
    yield "### Table 2: imbalance of requests, %\n"
    yield _as_in_the_paper(data, "requests_imbalance", "requests_imbalance", percent)
    yield "### Table 3: volume, in links\n"
    yield _as_in_the_paper(data, "volume_links", "volume", whole)
    if any("volume_bytes" in row for row in data["rows"]):
        yield "### Table 3 again: volume, in bytes of URLs\n"
        yield _as_in_the_paper(data, "volume_bytes", "volume", whole)
    yield from baseline_sections(data, {model: NAMES[model] for model in PARTITIONED})


def _degrees(data: dict[str, Any]) -> str:
    """Average degrees: an edge joins two pages, or two sites, of which either links to the other."""
    told = f"A page has {data['page_degree']:.1f} neighbours in the page graph in the mean"
    if data["site_degree"] is None:
        return f"{told}."
    return (
        f"{told}, a site {data['site_degree']:.1f} in the site graph; {data['within_sites']:.1%} of the links stay "
        "within a site."
    )


def _as_in_the_paper(data: dict[str, Any], figure: str, quantity: str, text: Callable[[float | None], str]) -> str:
    """One of the paper's tables: a row for each K and model, ours beside its own."""
    rows = []
    for k in data["parts"]:
        for model, name in NAMES.items():
            stated = _of_paper(quantity, model, k)
            shown = "-" if stated is None else f"{stated:,.0f}" if quantity == "volume" else f"{stated:.2f}"
            ours = [text(_mean(data, model, way, k, figure)) for way in (OURS, SINGLE)]
            rows.append([str(k), name, *ours, shown])
    return table(["K", "model", OURS, SINGLE, PAPER], rows)


def _ratios(data: dict[str, Any]) -> str:
    """Volumes of models in percent of those of the hashes, which do not depend on what the unit is."""
    rows = []
    for k in data["parts"]:
        for model, base in _RATIOS:
            row = [str(k), f"{NAMES[model]} / {NAMES[base]}"]
            for way in (OURS, SINGLE):
                for figure in ("volume_links", "volume_bytes"):
                    part, whole = _mean(data, model, way, k, figure), _mean(data, base, OURS, k, figure)
                    row.append(percent(part / whole if part is not None and whole else None))
            part, whole = _of_paper("volume", model, k), _of_paper("volume", base, k)
            row.append(percent(part / whole if part is not None and whole else None))
            rows.append(row)
    ways = [f"{way}, {unit}" for way in (OURS, SINGLE) for unit in ("links", "bytes")]
    return table(["K", "volume of", *ways, PAPER], rows)


def _mean(data: dict[str, Any], model: str, way: str, k: int, figure: str) -> float | None:
    found = (row for row in data["rows"] if (row["model"], row["way"], row["k"]) == (model, way, k))
    row: dict[str, Any] | None = next(found, None)
    return None if row is None else row.get(figure)


def _of_paper(quantity: str, model: str, k: int) -> float | None:
    stated = _PAPER[quantity].get(k)
    return None if stated is None else stated[_PAPER_COLUMNS.index(model)]


def _tell(outcome: Outcome, done: int, total: int) -> None:
    print(f"[{done}/{total}] {outcome.trial}: {outcome.reason or 'done'}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sessions", metavar="SESSION", nargs="*", type=Path, help="session to partition")
    parser.add_argument("--data", metavar="NAME", action="append", default=[], help="what a session is; once for each")
    parser.add_argument("--parts", metavar="K,...", type=_numbers, default=PARTS, help="numbers of ranks (the paper's)")
    parser.add_argument("--seeds", type=int, default=8, help="trials of each model at each K (8)")
    parser.add_argument("--effort", choices=["low", "normal", "high"], default="normal")
    parser.add_argument("--tolerance", type=float, default=0.05, help="imbalance that a partition may have (0.05)")
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time (1)")
    parser.add_argument("--save", action="store_true", help="write docs/reproduction.json and docs/reproduction.md")
    parser.add_argument("--render", action="store_true", help="only write docs/reproduction.md, from the JSON")
    options = parser.parse_args()
    if not options.render and not options.sessions:
        parser.error("name a SESSION, or --render")
    if len(options.data) != len(options.sessions):
        parser.error(f"--data names {len(options.data)} of {len(options.sessions)} sessions")
    return options


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(number) for number in text.split(",")}))


if __name__ == "__main__":
    main()
