"""What 10,000 rules cost: CPU per page of crawls with and without them, in turns, of reading, and of matching alone;
and instructions of a visit, counted by valgrind, which other work on the machine does not change.

A web of the house is served from this machine.  Of the rules a third each is on sites, domains and prefixes, and some
on networks; one in ten is on a site that is crawled, and asks for nothing but what holds anyway, so that both crawls
fetch the same pages.  All are in memory and matched; the crawls differ in nothing else.  What is done once, reading and
recording the file, is told apart: CPU per page is that of the stages in which pages are fetched and dealt with.

    python -m scripts.bench.rule_cost             print the table
    python -m scripts.bench.rule_cost --save      and keep it in docs/rules.md
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from unittest.mock import patch

from crawler.fetching import workbench
from crawler.site_rules.rule_book import RuleBook
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rules_in_force import RulesInForce
from scripts.bench.measured_crawl import measured_crawl
from scripts.shared.doc_tables import ROOT, keep, table
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.server import LocalWeb
from sessions.url import site_of
from tests.guard import loads

RULES, NETWORKS = 10_000, 200
VISITS = (160, 960)
STEADY = {**os.environ, "PYTHONHASHSEED": "0"}
WEB = {"sites": 100, "pages": 3_000, "seed": 1, "links": 30.0, "page_kb": 12.0, "gzip": True}


def main() -> None:
    options = _options()
    if options.visit:
        _visit(*options.visit)
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = make_web(folder / "web.warc.gz", **WEB)  # type: ignore[arg-type]
        text = rules_for(sorted(map(site_of, made.seeds)))
        (folder / "rules.toml").write_text(text)
        rows = _crawls(made, folder / "rules.toml", options.runs) if options.runs else []
        rows += [_visits(), _reading(text), _matching(text, made)]
    shown = table(["what", "without rules", f"with {RULES:,}", "difference"], rows)
    print(shown)
    if options.save:
        keep("rules.md", "rule_cost", shown)


def rules_for(sites: Sequence[str], count: int = RULES) -> str:
    """A file of so many rules, one in ten of those on names about one of these sites."""
    tables = []
    for number in range(count - NETWORKS):
        site = sites[number // 10 % len(sites)] if number % 10 == 0 else f"www.site{number}.example"
        path = f"folder{number}/"
        target = (f'site = "{site}"', f'domain = "d{number}.{site}"', f'prefix = "http://{site}/{path}"')[number % 3]
        tables.append(f"[[rule]]\n{target}\ndelay = 0\n")
    tables += [f'[[rule]]\naddress = "10.{number}.0.0/{16 + number % 8}"\ndelay = 0\n' for number in range(NETWORKS)]
    return "\n".join(dict.fromkeys(tables))


def _crawls(made: MadeWeb, rules: Path, runs: int) -> list[list[str]]:
    rows = []
    with LocalWeb([made.path], keep_log=False) as server:
        where = ["--seeds", str(made.seeds_path), "--connect-to", server.connect_to, "--ca-cert", str(server.ca_cert)]
        pace = ["--delay", "0", "--server-delay", "0"]
        for ranks in (1, 4):
            asked = [*where, *pace, "--ranks", str(ranks), "--assign", "page-hash"]
            pairs = [(measured_crawl(asked), measured_crawl([*asked, "--rules", str(rules)])) for _ in range(runs)]
            assert len({crawl["pages"] for pair in pairs for crawl in pair}) == 1
            times = [tuple(map(_of_pages, pair)) for pair in pairs]
            plain, ruled = (median(pair[place] for pair in times) for place in (0, 1))
            ratio = median(pair[1] / pair[0] for pair in times) - 1
            words = f"CPU a page, K = {ranks}, {len(pairs)} pairs of crawls"
            rows.append([words, f"{plain:.3f} ms", f"{ruled:.3f} ms", f"{100 * ratio:+.1f}%"])
    return rows


def _visits() -> list[str]:
    """Instructions of a visit, from the workbench to the answer, in the simulated cluster of `tests.guard.loads`.

    They are those of more visits less those of few, so that what is done once does not count.
    """
    few, many = VISITS
    plain, ruled = (
        (_instructions(many, with_rules) - _instructions(few, with_rules)) / (many - few) for with_rules in (0, 1)
    )
    once = (_instructions(few, 1) - _instructions(few, 0)) - few * (ruled - plain)
    share = f"{100 * (ruled / plain - 1):+.1f}%; once {once / 1e6:.0f} million"
    return ["instructions a visit, simulated", f"{plain:,.0f}", f"{ruled:,.0f}", share]


@cache
def _instructions(visits: int, with_rules: int) -> int:
    """Instructions of a process that makes so many visits, by valgrind."""
    command = [sys.executable, "-m", "scripts.bench.rule_cost", "--visit", str(visits), str(with_rules)]
    counted = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}", *command]
    done = subprocess.run(counted, check=True, capture_output=True, text=True, cwd=ROOT, env=STEADY)
    return int(done.stderr.rsplit("refs:", 1)[1].split()[0].replace(",", ""))


def _visit(visits: int, with_rules: bool) -> None:
    """Make so many visits; the rules are read in any case."""
    book = RuleBook(rules_in(rules_for([f"s{number}.example" for number in range(8)]), "rules.toml"))
    load = loads.visits(ranks=1, count=visits)

    def ruled() -> RulesInForce:
        rules = RulesInForce()
        rules.book = book
        return rules

    with patch.object(workbench, "RulesInForce", ruled if with_rules else RulesInForce):
        load.run()


def _of_pages(crawl: dict[str, Any]) -> float:
    """CPU milliseconds a page of the stages that deal with pages."""
    return sum(float(crawl[f"stage_{stage}"]) for stage in ("fetch", "parse", "links", "seen", "record"))


def _reading(text: str) -> list[str]:
    """What it takes to read the file, once on each rank."""
    turns = []
    for _ in range(5):
        began = process_time()
        RuleBook(rules_in(text, "rules.toml"))
        turns.append(process_time() - began)
    return ["CPU to read the file, once on each rank", "", f"{median(turns):.2f} s", ""]


def _matching(text: str, made: MadeWeb) -> list[str]:
    """What it takes to work out what rules say of a site."""
    book, empty = RuleBook(rules_in(text, "rules.toml")), RuleBook()
    sites = [*map(site_of, made.seeds), *(f"www.other{number}.example" for number in range(1000))]
    times = [_microseconds(one, sites) for one in (empty, book)]
    return ["CPU a site, matching alone", *(f"{time:.2f} µs" for time in times), f"{times[1] - times[0]:+.2f} µs"]


def _microseconds(book: RuleBook, sites: Sequence[str]) -> float:
    turns = []
    for _ in range(9):
        began = process_time()
        for site in sites:
            book.of(site, "10.20.30.40")
        turns.append(process_time() - began)
    return 1e6 * median(turns) / len(sites)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="pairs of crawls of each kind (default 7), 0 for none")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/rules.md")
    parser.add_argument("--visit", type=int, nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
