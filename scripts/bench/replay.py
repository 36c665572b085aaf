"""How fast a session is replayed: under MPI by the crawl's own ranks, and as an estimate.

    .venv/bin/python -m scripts.bench.replay SESSION [GRAPH]
    .venv/bin/python -m scripts.bench.replay --save SESSION [GRAPH]      the same, into docs/replay.md

SESSION is replayed under page hash, site hash and a page partition by ``--ranks`` ranks; of GRAPH (SESSION if there is
none) the replay by ``--parts`` ranks is estimated under page, page-hash and url-range.  Either may be a WARC file.
Times of a replay are those of its loop and of the whole command, the best of ``--runs``; of an estimate those of the
cut, of loading and of the course, with the largest resident set of the process.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from crawler.replay.source import recorded_session
from scripts.shared.doc_tables import keep, table
from sessions.session import Session

DOCUMENT = "replay.md"
CUTWEB = Path(sys.executable).parent / "cutweb"
MODELS = ("page", "page-hash", "url-range")


def main() -> None:
    """Print the tables, or keep them in the docs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("session", type=Path, metavar="SESSION")
    parser.add_argument("graph", type=Path, metavar="GRAPH", nargs="?")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--save", action="store_true", help="write the tables into docs/replay.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        texts = _texts(options, Path(folder))
    for name, text in texts.items():
        print(text)
        if options.save:
            keep(DOCUMENT, name, text)


def _texts(options: argparse.Namespace, folder: Path) -> dict[str, str]:
    with (
        recorded_session(options.session, folder) as session,
        recorded_session(options.graph or options.session, folder) as graph,
    ):
        replays = table(
            [
                "assignment",
                "ranks",
                "pages",
                "pages/s",
                "CPU ms a page",
                "whole command, s",
                "peak memory, MB",
            ],
            _replays(session, options.ranks, options.runs, folder),
        )
        estimates = table(
            ["assignment", "ranks", "pages", "links", "cut, s", "course, s", "whole command, s", "peak memory, MB"],
            _estimates(graph, options.parts, folder),
        )
    return {"replays": replays, "estimates": estimates}


def _replays(session: Path, ranks: int, runs: int, folder: Path) -> Iterator[list[str]]:
    partition = folder / "map"
    _run("partition", session, "--parts", ranks, "--out", partition)
    for name, asked in {
        "page-hash": ["--assign", "page-hash"],
        "site-hash": ["--assign", "site-hash"],
        "page partition": ["--partition", partition],
    }.items():
        best = min((_replay(session, ranks, asked, folder) for _ in range(runs)), key=lambda told: told["seconds"])
        print(f"replayed under {name}", file=sys.stderr)
        yield [
            name,
            str(ranks),
            f"{best['pages']:,}",
            f"{best['pages'] / best['seconds']:,.0f}",
            f"{best['cpu'] * 1000 / best['pages']:.3f}",
            f"{best['command']:.1f}",
            f"{best['peak'] / 1e6:,.0f}",
        ]


def _replay(session: Path, ranks: int, asked: list[object], folder: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        out = Path(scratch) / "out"
        seconds = _run("replay", session, "--ranks", ranks, *asked, "--out", out)
        replayed = Session.open(out)
        reports = replayed.rank_reports()
        assert replayed.ended is not None
        return {
            "pages": sum(report["fetched"] for report in reports),
            "seconds": replayed.ended["seconds"],
            "cpu": sum(sum(report["cpu"].values()) for report in reports),
            "command": seconds,
            "peak": max(report["peak_rss"] for report in reports),
        }


def _estimates(graph: Path, parts: int, folder: Path) -> Iterator[list[str]]:
    for model in MODELS:
        cut, asked = 0.0, ["--models", model, "--parts", str(parts)]
        if model != "page-hash":
            partition = folder / f"{model}-map"
            cut = _run("partition", graph, "--model", model, "--parts", parts, "--out", partition)
            asked = ["--partition", str(partition)]
        out = folder / f"{model}-report"
        seconds = _run("replay", graph, "--estimate", *asked, "--out", out)
        (entry,) = json.loads((out / "report.json").read_text())["replays"]
        figures = entry["figures"]
        session = Session.open(graph).rank_reports()
        print(f"estimated under {model}", file=sys.stderr)
        yield [
            model,
            str(parts),
            f"{figures['pages']:,}",
            f"{sum(report['links'] for report in session):,}",
            f"{cut:.1f}" if cut else "-",
            f"{figures['seconds']:.1f}",
            f"{seconds:.1f}",
            f"{figures['peak_bytes'] / 1e6:,.0f}",
        ]


def _run(*arguments: object) -> float:
    """Run cutweb; how long it took, in seconds."""
    began = perf_counter()
    done = subprocess.run([CUTWEB, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return perf_counter() - began


if __name__ == "__main__":
    main()
