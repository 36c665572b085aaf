"""The tables of the paper, ours beside its own: imbalance of storage and requests, volume, and ratios of volumes.

The paper: B. B. Cambazoglu, A. Turk, C. Aykanat, "Data-Parallel Web Crawling Models", ISCIS 2004.  Its page and site
models are run here with the paper's objective (every link counts), as a user of Cutweb would run them and as the paper
did: single k-way calls of METIS, of which the mean is taken.

    python -m scripts.reproduce.cambazoglu2004 crawl --data "a crawl of mine"    print the tables
    python -m scripts.reproduce.cambazoglu2004 a b --data "one" --data "two" --save
                                                 two data sets; and keep the tables as docs/reproduction.json and
                                                 docs/reproduction.md
    python -m scripts.reproduce.cambazoglu2004 --render
                                                 write docs/reproduction.md again from docs/reproduction.json
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
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
from partition.models.partition_pages import LINKS, Settings
from partition.quality.dataset import data_set
from partition.quality.mean_results import summed_up
from partition.quality.request import QualityRequest, trials_of
from partition.quality.trial import Outcome
from partition.quality.trials import run_trials
from partition.report.results import LeftOut, Result, lines_of
from sessions.session import Session, SessionError
from sessions.version import software_version

ROOT = Path(__file__).resolve().parents[2]
CALLS = 8
OURS, SINGLE, PAPER = "Cutweb", "single k-way calls", "paper"
NAMES = {"page": "page GP", "page-hash": "page hash", "site": "site GP", "site-hash": "site hash"}
PARTITIONED = ("page", "site")
FIGURES = ("storage_imbalance", "requests_imbalance", "volume_bytes", "volume_links")

# What the paper's Tables 1 to 3 say at K = 8 and 64: imbalances in percent, volume in the paper's bytes.
_PAPER: dict[str, dict[int, tuple[float, float, float, float]]] = {
    "storage_imbalance": {8: (3.31, 1.04, 4.59, 15.32), 64: (4.76, 3.84, 4.76, 54.19)},
    "requests_imbalance": {8: (3.44, 0.78, 4.57, 3.84), 64: (4.76, 2.34, 4.76, 13.73)},
    "volume": {8: (64489, 5306461, 131129, 1001602), 64: (92467, 5969393, 234272, 1126470)},
}
_PAPER_COLUMNS = tuple(NAMES)
_RATIOS = (("page", "page-hash"), ("site", "site-hash"))

_PREFACE = """\
# The paper, reproduced

Written by `scripts/reproduce/cambazoglu2004.py --save`; no number here was typed, but for the paper's own.
{software}, {made}.

The paper is B. B. Cambazoglu, A. Turk, C. Aykanat, *Data-Parallel Web Crawling Models*, ISCIS 2004: 913,570 pages of
15,820 sites, tolerance 5%, means of 8 runs of METIS.  SNAP's web-Google is its collection, but without URLs, sites and
sizes; other data compare in kind only.  Page GP and site GP are its page-based and site-based graph partitioning.

- *{ours}*: Cutweb's model of that name (`cutweb quality --objective links --effort {effort} --tolerance {tolerance}`),
  seeds averaged: {seeds}; page hash and site hash have no seed.
- *{single}*: the mean of {calls} default k-way calls of METIS with that tolerance, which is what the paper ran.
- *{paper}*: the paper's Tables 1 to 3.  Only K = 8 and 64 are known to this script.

The paper's volume of page hash divided by 1 - 1/K, the share of links that a hash cuts, is {per_link[0]:,.0f} at K = 8
and {per_link[1]:,.0f} at K = 64: the same number, about {per_page:.1f} for each page.  That is a number of links, not
of bytes of URLs, so volumes are compared as *ratios*, and counted in links.
"""


def main() -> None:
    options = _options()
    if options.render:
        _render(json.loads((ROOT / "docs" / "reproduction.json").read_text()))
        return
    figures: dict[str, Any] = {
        "software": f"cutweb {software_version()}",
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "calls": CALLS,
        "seeds": options.seeds,
        "effort": options.effort,
        "tolerance": options.tolerance,
    }
    try:
        figures["data"] = [
            measured(session, name, options) for session, name in zip(options.sessions, options.data, strict=True)
        ]
    except (SessionError, GraphError, MapError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    print(as_markdown(figures))
    if options.save:
        (ROOT / "docs" / "reproduction.json").write_text(json.dumps(figures, indent=1) + "\n")
        _render(figures)


def measured(session: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """All that the tables say of one session; ``name`` says what it is."""
    opened = Session.open(session)
    graph = link_graph(opened)
    settings = Settings(objective=LINKS, tolerance=options.tolerance, effort=options.effort)
    request = QualityRequest(
        tuple(NAMES), options.parts, tuple(range(1, options.seeds + 1)), settings, jobs=options.jobs
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
        "pages": facts.pages,
        "links": facts.links,
        "bytes": facts.bytes,
        "sites": facts.sites,
        "largest_site": facts.largest_site,
        "parts": list(options.parts),
        "rows": rows,
        "left_out": lines_of([*left_out, *further]),
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
    hashes = _PAPER["volume"]
    per_link = [hashes[k][1] / (1 - 1 / k) for k in (8, 64)]
    preface = _PREFACE.format(
        **figures, ours=OURS, single=SINGLE, paper=PAPER, per_link=per_link, per_page=per_link[0] / 913_570
    )
    return "\n".join([preface, *(section for data in figures["data"] for section in _sections(data))])


def _sections(data: dict[str, Any]) -> Iterable[str]:
    sites = ", without URLs"
    if data["sites"]:
        sites = f" of {data['sites']:,} sites, the largest with {data['largest_site']:.1%} of them"
    yield f"## {data['name']}\n"
    yield f"{data['pages']:,} pages{sites}; {data['bytes']:,} bytes, {data['links']:,} links between them."
    if data["largest_site"] and data["largest_site"] * max(data["parts"]) > 1:
        yield (
            f"That site is more than 1/{max(data['parts'])} of all: whole, it is too large for any of the ranks, "
            "so site GP and site hash cannot keep the tolerance."
        )
    if data["bytes"] == data["pages"]:
        yield "Sizes are not known: each page counts 1 byte, and storage is the same as requests."
    yield "A dash is what this data, or the paper, does not tell.\n"
    if data["left_out"]:
        yield "".join(f"- {line}\n" for line in data["left_out"])
    yield "### Volume as a ratio: graph partitioning / hash, %\n"
    yield _ratios(data)
    yield "### Table 1: imbalance of storage, %\n"
    yield _as_in_the_paper(data, "storage_imbalance", "storage_imbalance", _percent)
    yield "### Table 2: imbalance of requests, %\n"
    yield _as_in_the_paper(data, "requests_imbalance", "requests_imbalance", _percent)
    yield "### Table 3: volume, in links\n"
    yield _as_in_the_paper(data, "volume_links", "volume", _whole)
    if any("volume_bytes" in row for row in data["rows"]):
        yield "### Table 3 again: volume, in bytes of URLs\n"
        yield _as_in_the_paper(data, "volume_bytes", "volume", _whole)


def _as_in_the_paper(data: dict[str, Any], figure: str, table: str, text: Callable[[float | None], str]) -> str:
    """One of the paper's tables: a row for each K and model, ours beside its own."""
    rows = []
    for k in data["parts"]:
        for model, name in NAMES.items():
            stated = _of_paper(table, model, k)
            shown = "-" if stated is None else f"{stated:,.0f}" if table == "volume" else f"{stated:.2f}"
            ours = [text(_mean(data, model, way, k, figure)) for way in (OURS, SINGLE)]
            rows.append([str(k), name, *ours, shown])
    return _table(["K", "model", OURS, SINGLE, PAPER], rows)


def _ratios(data: dict[str, Any]) -> str:
    """Volumes of models in percent of those of the hashes, which do not depend on what the unit is."""
    rows = []
    for k in data["parts"]:
        for model, base in _RATIOS:
            row = [str(k), f"{NAMES[model]} / {NAMES[base]}"]
            for way in (OURS, SINGLE):
                for figure in ("volume_links", "volume_bytes"):
                    part, whole = _mean(data, model, way, k, figure), _mean(data, base, OURS, k, figure)
                    row.append(_percent(part / whole if part is not None and whole else None))
            part, whole = _of_paper("volume", model, k), _of_paper("volume", base, k)
            row.append(_percent(part / whole if part is not None and whole else None))
            rows.append(row)
    ways = [f"{way}, {unit}" for way in (OURS, SINGLE) for unit in ("links", "bytes")]
    return _table(["K", "volume of", *ways, PAPER], rows)


def _mean(data: dict[str, Any], model: str, way: str, k: int, figure: str) -> float | None:
    found = (row for row in data["rows"] if (row["model"], row["way"], row["k"]) == (model, way, k))
    row: dict[str, Any] | None = next(found, None)
    return None if row is None else row.get(figure)


def _of_paper(table: str, model: str, k: int) -> float | None:
    stated = _PAPER[table].get(k)
    return None if stated is None else stated[_PAPER_COLUMNS.index(model)]


def _percent(ratio: float | None) -> str:
    return "-" if ratio is None else f"{100 * ratio:,.2f}"


def _whole(count: float | None) -> str:
    return "-" if count is None else f"{count:,.0f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---" if column in ("model", "volume of") else "---:" for column in head], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _render(figures: dict[str, Any]) -> None:
    (ROOT / "docs" / "reproduction.md").write_text(as_markdown(figures))


def _tell(outcome: Outcome, done: int, total: int) -> None:
    print(f"[{done}/{total}] {outcome.trial}: {outcome.reason or 'done'}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sessions", metavar="SESSION", nargs="*", type=Path, help="session to partition")
    parser.add_argument("--data", metavar="NAME", action="append", default=[], help="what a session is; once for each")
    parser.add_argument("--parts", metavar="K,...", type=_numbers, default=(8, 64), help="numbers of ranks (8,64)")
    parser.add_argument("--seeds", type=int, default=3, help="trials of each model at each K (3)")
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
