"""What earlier runs have fetched under the limits of rules that hold still, from when these began to hold."""

from collections.abc import Iterable
from datetime import datetime

import pyarrow as pa

from crawler.fetching.rule_quotas import REASONS, Limit
from crawler.site_rules.rule_book import RuleBook, Ruling
from crawler.site_rules.rule_keys import MAX_PAGES
from sessions.rule_records import Since

COLUMNS = ("url", "site", "ip", "fetched", "bytes")
"""Those of the pages table that have to be read."""


def used_of_limits(batches: Iterable[pa.RecordBatch], book: RuleBook, since: Since) -> dict[Limit, int]:
    """Pages and bytes by limit, of rows of the pages table; a limit that is new now begins with nothing."""
    began = {limit: time for limit in _limits(book) if (time := _began(limit, since)) is not None}
    used = dict.fromkeys(began, 0)
    if not began:
        return used
    rulings: dict[tuple[str, str], Ruling] = {}
    for batch in batches:
        columns = (batch.column(name).to_pylist() for name in COLUMNS)
        for url, site, ip, fetched, received in zip(*columns, strict=True):
            ruling = rulings.get((site, ip))
            if ruling is None:
                ruling = rulings[site, ip] = book.of(site, ip or "")
            for key, rule in ruling.at(url).rules.items():
                limit = Limit(rule.target, key)
                if limit in began and fetched >= began[limit]:
                    used[limit] += 1 if key == MAX_PAGES else received
    return used


def _limits(book: RuleBook) -> Iterable[Limit]:
    return (Limit(rule.target, key) for rule in book.rules for key in rule.values if key in REASONS)


def _began(limit: Limit, since: Since) -> datetime | None:
    time = since.get((*limit.target, limit.key, None))
    return datetime.fromisoformat(time) if time is not None else None
