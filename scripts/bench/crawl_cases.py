"""What a page costs in other crawls than the plainest: real pages, TLS, latency, many sites, options, several ranks.

Every case is a crawl of a web of `scripts.bench.case_webs`; CPU is that of the ranks' loops, by stage.  Each figure is
the median of several runs, the cases taking turns, so that a slow spell of the machine hits all alike.

    python -m scripts.bench.crawl_cases                        print the table
    python -m scripts.bench.crawl_cases --cases 'TLS|uci'      of the cases whose names match
    python -m scripts.bench.crawl_cases --cases real --beside COMMIT    with a column of what the crawler as it was at
                                                               that commit took, in turns; it must know the options
    python -m scripts.bench.crawl_cases --save                 and keep it in docs/crawl-cases.md
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from crawler.monitoring.stage_clock import STAGES
from scripts.bench.case_webs import ROOT, WEBS, Served
from scripts.bench.measured_crawl import measured_crawl
from scripts.shared.doc_tables import keep, table
from scripts.shared.other_commit import code_at, named
from scripts.shared.this_machine import this_machine

PORT = 8400
FOLDER = ROOT / "build" / "cases"
SESSION = FOLDER / "session"
"""The generated web crawled before, for cases that begin with a session."""
NO_DELAYS = ("--delay", "0", "--server-delay", "0")
SHORT_DELAYS = ("--delay", "0.005", "--server-delay", "0.00001")
"""Delays that hold up the largest sites alone, which last longer than all others."""


class Case(NamedTuple):
    """A crawl of a web with ``options``, by so many ``ranks``, or by so many crawls ``at_once`` of a share each."""

    name: str
    web: str
    options: tuple[str, ...] = NO_DELAYS
    ranks: int = 1
    at_once: int = 1
    has_rules: bool = False


def _by_ranks() -> list[Case]:
    """Several ranks by every assignment, beside as many crawls that know nothing of each other."""
    cases = []
    for ranks in (2, 4):
        partition = ("--partition", str(_map(ranks)))
        cases += [
            Case(f"{ranks} crawls at once", "generated", at_once=ranks),
            Case(f"{ranks} ranks, page partition", "generated", (*NO_DELAYS, *partition), ranks),
            Case(f"{ranks} ranks, site hash", "generated", (*NO_DELAYS, "--assign", "site-hash"), ranks),
            Case(f"{ranks} ranks, page hash", "generated", (*NO_DELAYS, "--assign", "page-hash"), ranks),
            Case(
                f"{ranks} ranks, page hash, delays of 5 ms",
                "generated",
                (*SHORT_DELAYS, "--assign", "page-hash"),
                ranks,
            ),
        ]
    return cases


def _map(ranks: int) -> Path:
    return FOLDER / f"map-{ranks}"


CASES = [
    Case("generated web", "generated"),
    Case("real pages, uci", "uci"),
    Case("real pages, sites-2022", "sites-2022"),
    Case("TLS, kept connections, HTTP/2", "tls"),
    Case("TLS, kept connections, HTTP/1.1", "tls", (*NO_DELAYS, "--no-http2")),
    Case("TLS, a connection a page, HTTP/2", "tls-closing"),
    Case("TLS, a connection a page, HTTP/1.1", "tls-closing", (*NO_DELAYS, "--no-http2")),
    Case("answers after 100 ms, 64 connections", "late", (*NO_DELAYS, "--connections", "64")),
    Case("answers after 100 ms, 512 connections", "late", (*NO_DELAYS, "--connections", "512")),
    Case("20,000 sites of one page", "single-pages"),
    Case("rules against traps, caps", "generated", has_rules=True),
    Case("rules, caps, delays of 5 ms", "generated", SHORT_DELAYS, has_rules=True),
    Case("--order budget", "generated", (*NO_DELAYS, "--order", "budget")),
    Case("--simhash", "generated", (*NO_DELAYS, "--simhash")),
    Case("--from a session", "generated", (*NO_DELAYS, "--from", str(SESSION))),
    *_by_ranks(),
]


def main() -> None:
    options = _options()
    cases = [case for case in CASES if re.search(options.cases, case.name)]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        wanted = {case.web for case in cases} | {"generated"}
        webs = {
            web.name: stack.enter_context(web.served(FOLDER, PORT + 2 * number))
            for number, web in enumerate(WEBS)
            if web.name in wanted
        }
        _prepare(webs["generated"])
        cases = [case for case in cases if webs[case.web] is not None]
        then = None if options.beside is None else code_at(options.beside, FOLDER)
        rows, before = _measured(cases, webs, options.runs, then)
    measured = _table(rows, before, options.beside)
    text = f"Machine: {this_machine()}.  Commit {named()}.  Medians of {options.runs} runs.\n\n{measured}"
    print(text)
    if options.save:
        keep("crawl-cases.md", "cases", text)


def _prepare(generated: Served | None) -> None:
    """Crawl the generated web once, and cut it, for cases that begin with that."""
    assert generated is not None
    if not SESSION.exists():
        print("crawling the session that cases begin with ...", file=sys.stderr)
        _cutweb("crawl", "--seeds", generated.seeds, "--out", SESSION, *NO_DELAYS, *generated.arguments)
    for ranks in (2, 4):
        if not _map(ranks).exists():
            _cutweb("partition", SESSION, "--parts", ranks, "--out", _map(ranks))


def _cutweb(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "cutweb", *map(str, arguments)], check=True, capture_output=True)


def _measured(
    cases: Sequence[Case], webs: dict[str, Served | None], runs: int, then: Path | None
) -> tuple[list[tuple[Case, dict[str, float]]], dict[str, float]]:
    """The figures of each case, and the CPU milliseconds a page of the crawler in the folder ``then``, if any."""
    figures: dict[str, list[dict[str, Any]]] = {case.name: [] for case in cases}
    before: dict[str, list[float]] = {case.name: [] for case in cases}
    for number in range(runs):
        for case in cases:
            print(f"run {number + 1} of {runs}: {case.name} ...", file=sys.stderr)
            served = webs[case.web]
            assert served is not None
            figures[case.name] += _crawls(case, served)
            if then is not None:
                before[case.name] += [crawl["cpu_ms"] for crawl in _crawls(case, served, then)]
    rows = [(case, {key: median(run[key] for run in figures[case.name]) for key in _KEPT}) for case in cases]
    return rows, {name: median(each) for name, each in before.items() if each}


def _crawls(case: Case, served: Served, code: Path = ROOT) -> list[dict[str, Any]]:
    asked = ["--ranks", str(case.ranks), "--seeds", str(served.seeds), *served.arguments, *case.options]
    if case.at_once == 1:
        return [measured_crawl(asked, code, has_rules=case.has_rules)]
    share = len(served.seeds.read_text().split()) * _PAGES_A_SEED // case.at_once
    with ThreadPoolExecutor(case.at_once) as pool:
        each = [pool.submit(measured_crawl, [*asked, "--max-pages", str(share)], code) for _ in range(case.at_once)]
        return [crawl.result() for crawl in each]


_PAGES_A_SEED = 100
_KEPT = ("pages", "pages_per_second", "cpu_ms", "peak_rss", *(f"stage_{stage}" for stage in STAGES))


def _table(rows: Sequence[tuple[Case, dict[str, float]]], before: dict[str, float], commit: str | None) -> str:
    first = rows[0][1]["cpu_ms"]
    at_once = {case.at_once: of["cpu_ms"] for case, of in rows if case.at_once > 1}
    against = f"against {rows[0][0].name}"
    head = ["crawl", "pages", "pages/s", "CPU ms/page", against, "against crawls at once", "peak MB", *STAGES]
    head += [f"CPU ms/page at {commit}", f"against {commit}"] if before else []
    return table(
        head,
        [
            [
                case.name,
                f"{of['pages']:,.0f}",
                f"{of['pages_per_second']:,.0f}",
                f"{of['cpu_ms']:.3f}",
                f"{of['cpu_ms'] / first:.2f}",
                f"{of['cpu_ms'] / at_once[case.ranks]:.2f}" if case.ranks in at_once else "-",
                f"{of['peak_rss'] / 1e6:.0f}",
                *(f"{of[f'stage_{stage}']:.3f}" for stage in STAGES),
                *([f"{before[case.name]:.3f}", f"{of['cpu_ms'] / before[case.name]:.2f}"] if before else []),
            ]
            for case, of in rows
        ],
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only cases whose names this matches somewhere")
    parser.add_argument("--beside", metavar="COMMIT", help="measure the crawler of this commit, too")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/crawl-cases.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
