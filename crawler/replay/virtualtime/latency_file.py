"""A file that says how long requests take from each rank to each site: lines `RANK SITE SECONDS[+BYTES/s]`.

A star stands for any rank or any site; of the lines that fit a rank and a site the last one holds.  Empty lines, and
what follows a # at the beginning of a word, say nothing.
"""

import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import NamedTuple

from crawler.replay.virtualtime.latency import Latencies, Latency, latency_of

ANY = "*"
_COMMENT = re.compile(r"(?:^|\s)#.*")
_RANK = re.compile(r"[0-9]{1,9}")


class LatencyFileError(Exception):
    """A file of latencies that cannot be read or means nothing here; the message names it, and the line."""


class _Rule(NamedTuple):
    """A line: None for any rank, for any site."""

    rank: int | None
    site: str | None
    latency: Latency


def read_latencies(path: Path, ranks: int, sites: Set[str], *, has_times: bool) -> list[Latencies]:
    """How long requests take from each of ``ranks`` ranks to the ``sites`` that were recorded.

    Where no line fits, a request takes as long as it was recorded, if times were (``has_times``).  Raises
    LatencyFileError if the file cannot be read, a line is malformed, or names a rank or a site that there is not, or if
    a request of some rank would have no latency.
    """
    rules = list(_rules(path, ranks, sites))
    latencies = [_of_rank(rules, rank) for rank in range(ranks)]
    for rank, its in enumerate(latencies):
        lacking = (
            None if has_times or its.elsewhere is not None else next(iter(sorted(sites - its.by_site.keys())), None)
        )
        if lacking is not None:
            raise LatencyFileError(
                f"{path}: no line fits rank {rank} and {lacking}, and the session has no times of requests; begin with "
                f"a line for all others, as in {ANY} {ANY} 0.1"
            )
    return latencies


def _of_rank(rules: list[_Rule], rank: int) -> Latencies:
    elsewhere: Latency | None = None
    by_site: dict[str, Latency] = {}
    for rule in rules:
        if rule.rank not in (None, rank):
            continue
        if rule.site is not None:
            by_site[rule.site] = rule.latency
        else:
            elsewhere = rule.latency
            by_site.clear()
    return Latencies(elsewhere, by_site)


def _rules(path: Path, ranks: int, sites: Set[str]) -> Iterator[_Rule]:
    for number, line in _lines(path):
        words = _COMMENT.sub("", line).split()
        if words:
            try:
                yield _rule(words, ranks, sites)
            except ValueError as error:
                raise LatencyFileError(f"{path}: line {number}: {error}") from error


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise LatencyFileError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise LatencyFileError(f"{path}: not a text in UTF-8") from error
    return enumerate(text.splitlines(), start=1)


def _rule(words: list[str], ranks: int, sites: Set[str]) -> _Rule:
    if len(words) != 3:
        raise ValueError(f"{' '.join(words)!r} is not RANK SITE SECONDS[+BYTES/s], as in 0 {ANY} 0.1+1e6/s")
    rank, site, model = words
    if rank != ANY and (not _RANK.fullmatch(rank) or int(rank) >= ranks):
        raise ValueError(f"{rank!r} is no rank: they are 0 to {ranks - 1}, or {ANY} for any")
    if site != ANY and site not in sites:
        raise ValueError(f"{site!r} is no site that was recorded, nor {ANY} for any")
    return _Rule(None if rank == ANY else int(rank), None if site == ANY else site, latency_of(model))
