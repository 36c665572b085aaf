"""What part of a crawl spam has: by the number of ranks, by kind of spam, by its domains (docs/budgets.md).

    python -m scripts.irlbot.spam_shares ranks --save     one farm, K = 1 to 16, five webs each: real crawls
    python -m scripts.irlbot.spam_shares kinds --save     a farm, many farms and expired domains, by every order: real
                                                          crawls
    python -m scripts.irlbot.spam_shares growth --save    by the farm's domains, pages and ranks: `spam_model.py`
    python -m scripts.irlbot.spam_shares tried --save     variants of --budget trust: `spam_model.py`
    python -m scripts.irlbot.spam_shares costs --save     what budgets cost: `spam_model.py`

With --save the table is kept in docs/budgets.md.  Real crawls are of 6,000 pages without delays.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import fmean
from time import thread_time
from types import ModuleType
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from crawler.frontier.budgets import budget_functions, star, trust
from crawler.frontier.budgets.budget_functions import BUDGETS
from crawler.frontier.budgets.star import Star
from scripts.irlbot import spam_model
from scripts.irlbot.spam_farm import Kind, Outcome, crawled
from scripts.irlbot.spam_model import Course, Load, crawl_in_model
from scripts.irlbot.spam_web import Shape, SpamWeb, domain_numbered
from scripts.shared.doc_tables import keep, table
from scripts.shared.page_server import PageServer

PAGES = 6000
ONE = Shape(hosts=10_000, links=120)
MANY = Shape(domains=1500, farms=500, hosts=4, links=50)
EXPIRED = Shape(domains=1500, farms=20, sponsors=5, hosts=20, links=50)
KINDS = {
    "one domain with 10,000 hosts": ONE,
    "500 domains that link to each other": MANY,
    "20 expired domains, 5 honest links each": EXPIRED,
}
ORDERS = ["bfs", *(f"budget {name}" for name in BUDGETS)]
Changes = dict[tuple[ModuleType, str], Any]
_supports = budget_functions.supports
_FARMS = (1, 100, 500, 2000, 5000)


def main() -> None:
    """Crawl, and print the table, and keep it if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ranks", "kinds", "growth", "tried", "costs"])
    parser.add_argument("--runs", type=int, default=5, help="webs, each by another seed")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--save", action="store_true", help="keep the table in docs/budgets.md")
    asked = parser.parse_args()
    seeds = range(1, asked.runs + 1)
    if asked.what == "ranks":
        text = by_ranks(asked.ranks, seeds)
    elif asked.what == "kinds":
        text = by_kind(seeds)
    else:
        text = {"growth": by_growth, "tried": tried, "costs": costs}[asked.what]()
    print(text)
    if asked.save:
        keep("budgets.md", f"spam {asked.what}", text)


def by_ranks(ranks: list[int], seeds: range) -> str:
    """The farm's share under ``budget degree``, for each K over all webs."""
    rows = []
    for count in ranks:
        shares = [outcome.in_farm for outcome in _real(Kind("budget degree", count, 0.0), ONE, seeds)]
        rows.append([str(count), f"{fmean(shares):.1%}", f"{min(shares):.1%} to {max(shares):.1%}", str(len(shares))])
    return table(["K", "pages in the farm, mean", "of single crawls", "crawls"], rows)


def by_kind(seeds: range) -> str:
    """The spam's share, and what honest domains have, for each kind of spam and each order, K = 1."""
    rows = []
    for name, shape in KINDS.items():
        for order in ORDERS:
            kind = Kind(order, 1, 0.0)
            outcomes = [outcome.row(kind) for outcome in _real(kind, shape, seeds)]
            means = {key: fmean(row[key] for row in outcomes) for key in ("in_farm", *_MEASURES)}
            cells = [f"{means['in_farm']:.1%}", f"{means['correlation']:.3f}", f"{means['correlation_with_pages']:.3f}"]
            rows.append([name, order, *cells, f"{means['domains_with_pages']:,.0f}", str(len(outcomes))])
    head = ["spam", "order", "pages in it", "correlation", "with pages", "honest domains with pages", "crawls"]
    return table(head, rows)


_MEASURES = ("correlation", "correlation_with_pages", "domains_with_pages")


def by_growth() -> str:
    """The share of farms of more and more domains, in longer crawls and by more ranks, in the model."""
    loads = [(farms, 1, PAGES) for farms in _FARMS]
    loads += [(500, 1, PAGES // 2), (500, 1, 2 * PAGES), (500, 4, PAGES), (500, 8, PAGES)]
    rows = []
    for farms, ranks, pages in loads:
        web = SpamWeb(1, MANY._replace(farms=farms, hosts=max(2, 2000 // farms)))
        shares = [_model_share(web, Load(ranks=ranks, order=order, pages=pages)) for order in ORDERS]
        rows.append([f"{farms:,}", f"{farms / (farms + web.domains):.1%}", str(ranks), f"{pages:,}", *shares])
        print(rows[-1], file=sys.stderr, flush=True)
    return table(["the farm's domains", "of all domains", "K", "pages", *ORDERS], rows)


def tried() -> str:
    """Variants of the budget by trust, in the model."""
    rows = []
    for name, changes in _VARIANTS.items():
        with _changed(changes):
            cells = []
            for shape in (MANY, ONE):
                web = SpamWeb(1, shape)
                course = crawl_in_model(web, Load(order=name if name in ORDERS else "budget trust"))
                cells += [f"{course.in_farm / PAGES:.1%}", f"{_correlation(course, web.domains):.3f}"]
        rows.append([name, *cells])
        print(rows[-1], file=sys.stderr, flush=True)
    head = ["variant", "500 domains: pages in the farm", "correlation", "one domain: pages in the farm", "correlation"]
    return table(head, rows)


def costs() -> str:
    """What STAR sends over the wire, and what its exchanges cost in CPU, in the model with K = 4."""
    rows = []
    for order in ORDERS[1:]:
        web = SpamWeb(1, MANY)
        seconds: list[float] = []

        def settle(star: Star, exchange: Any, seconds: list[float] = seconds) -> None:
            began = thread_time()
            Star.settle(star, exchange)
            seconds.append(thread_time() - began)

        with _changed({(spam_model, "settle_star"): settle}):
            course = crawl_in_model(web, Load(ranks=4, order=order))
        milliseconds = 1000 * sum(seconds) / PAGES
        between = sum(1 for source, target in course.pairs if source != target)
        cells = [f"{course.wire_bytes / PAGES:,.0f}", f"{between / PAGES:.1f}", f"{milliseconds:.3f}"]
        rows.append([order, *cells])
    return table(["order", "bytes a page", "new pairs of domains a page", "CPU ms a page"], rows)


_VARIANTS: dict[str, Changes] = {
    "bfs": {},
    "budget degree": {},
    "budget top": {},
    "budget trust": {},
    "at most 30 URLs for trust": {(budget_functions, "URLS_FOR_TRUST"): 30},
    "at most 300 URLs for trust": {(budget_functions, "URLS_FOR_TRUST"): 300},
    "at most 3,000 URLs for trust": {(budget_functions, "URLS_FOR_TRUST"): 3000},
    "a domain passes on 95%": {(trust, "PASSED_PERCENT"): 95},
    "a domain passes on 50%": {(trust, "PASSED_PERCENT"): 50},
    "at least a sixteenth of a URL in each queue": {
        (star, "supports"): lambda *given: np.maximum(64, _supports(*given))
    },
    "at least one URL in each queue": {(star, "supports"): lambda *given: np.maximum(1024, _supports(*given))},
}


@contextmanager
def _changed(changes: Changes) -> Iterator[None]:
    before = {(module, name): getattr(module, name) for module, name in changes}
    for (module, name), value in changes.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for (module, name), value in before.items():
            setattr(module, name, value)


def _correlation(course: Course, domains: int) -> float:
    """Spearman's, of pages with in-degrees, over honest domains."""
    targets = [domain_numbered(target) for source, target in course.pairs if source != target]
    in_degrees = np.bincount([target for target in targets if target >= 0], minlength=domains)
    return float(spearmanr(in_degrees, course.fetched).statistic)


def _model_share(web: SpamWeb, load: Load) -> str:
    course = crawl_in_model(web, load)
    return f"{course.in_farm / (course.in_farm + sum(course.fetched)):.1%}"


def _real(kind: Kind, shape: Shape, seeds: range) -> Iterator[Outcome]:
    for seed in seeds:
        web = SpamWeb(seed, shape)
        with PageServer(web.page) as server:
            outcome = crawled(kind, web, server.port, PAGES)
        print(f"{kind.order}, K={kind.ranks}, web {seed}: {outcome.in_farm:.2%}", file=sys.stderr, flush=True)
        yield outcome


if __name__ == "__main__":
    main()
