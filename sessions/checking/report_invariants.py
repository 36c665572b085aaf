"""The ranks' reports say what the tables say."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sessions.checking.commit_records import record_name
from sessions.checking.problem import Problem
from sessions.checking.table_invariants import Tables
from sessions.schema import FAILED, FILTERED
from sessions.session import Session

_SHORTEST_URL = len("http://a/")
_SENT = {
    "sent_urls": "urls",
    "sent_numbers": "numbers",
    "sent_bytes": "bytes",
    "wire_bytes": "wire_bytes",
    "messages": None,
}
"""Counters of what was sent, and the column of the exchanges that adds up to each; messages are rows."""


def reports_equal_tables(session: Session, tables: Tables) -> Iterator[Problem]:
    """Each counter of the last commit record is what counting the rank's rows gives."""
    for rank, report in enumerate(session.rank_reports()):
        for counter, counted in _counted(tables, rank).items():
            reported = _reported(report, counter)
            if reported != counted:
                yield _problem(session, rank, f"{counter} is {_shown(reported)}; the tables say {_shown(counted)}")


def reports_equal_exchanges(session: Session, tables: Tables) -> Iterator[Problem]:
    """What a rank counts as sent is what its rows of the exchange say; older sessions have none."""
    rows = tables.rows["exchanges"]
    if not len(rows):
        return
    for rank, report in enumerate(session.rank_reports()):
        of_rank = rows.rank(rank)
        for counter, column in _SENT.items():
            counted = int(rows[column][of_rank].sum()) if column else of_rank.stop - of_rank.start
            if counter in report and report[counter] != counted:
                yield _problem(session, rank, f"{counter} is {report[counter]:,}; the exchanges say {counted:,}")


def nobody_is_sent_more_than_there_is(session: Session, tables: Tables) -> Iterator[Problem]:
    """Nobody sends another more distinct URLs than that one discovered.

    Once URLs have moved, a rank may have got what it is sent from a rank that had it before; and what is forgotten was
    sent all the same.
    """
    if session.has_moved or session.header.get("forgotten"):
        return
    sent = tables.rows["exchanges"]
    reports = session.rank_reports()
    for rank, report in enumerate(reports):
        of_rank = sent.rank(rank)
        receivers, place = np.unique(sent["receiver"][of_rank], return_inverse=True)
        urls = np.zeros(len(receivers), np.int64)
        np.add.at(urls, place, sent["urls"][of_rank])
        for to, count in zip(receivers.tolist(), urls.tolist(), strict=True):
            discovered = reports[to]["discovered"] if to < len(reports) else 0
            if count - report["resent"] > discovered:
                text = f"sent {count:,} URLs to rank {to}, which discovered only {discovered:,}"
                yield _problem(session, rank, text)


def exchanges_are_of_supersteps(session: Session, tables: Tables) -> Iterator[Problem]:
    """A rank sends at the end of a superstep that its report counts."""
    sent = tables.rows["exchanges"]
    for rank, report in enumerate(session.rank_reports()):
        of_rank = sent.rank(rank)
        for row in of_rank.start + np.flatnonzero(sent["superstep"][of_rank] >= report["supersteps"]):
            text = f"superstep is {sent['superstep'][row]:,}; rank {rank} had only {report['supersteps']:,}, from 0"
            yield sent.problem(row, text)


def _counted(tables: Tables, rank: int) -> dict[str, Any]:
    """What a rank's report must say, by counter; ``reasons.failed`` stands for a counter in a counter."""
    pages, links, urls = (tables.rows[table] for table in ("pages", "links", "urls"))
    of_rank = pages.rank(rank)
    statuses, times = np.unique(pages["status"][of_rank], return_counts=True)
    outcomes = tables.rows["outcomes"].counts
    reasons: dict[str, dict[str, int]] = {
        state: {reason: count for (of, its, reason), count in outcomes.items() if of == rank and its == state}
        for state in (FAILED, FILTERED)
    }
    settled = {state: sum(reasons[state].values()) for state in reasons}
    fetched = of_rank.stop - of_rank.start
    discovered = len(urls["hash"][urls.rank(rank)])
    counted = {
        "discovered": discovered,
        "fetched": fetched,
        "failed": settled[FAILED],
        "filtered": settled[FILTERED],
        "queued": discovered - fetched - settled[FAILED] - settled[FILTERED],
        "reasons.failed": reasons[FAILED],
        "reasons.filtered": reasons[FILTERED],
        "statuses": {str(status): int(count) for status, count in zip(statuses, times, strict=True)},
        "links": len(links["source"][links.rank(rank)]),
        "bytes": int(pages["bytes"][of_rank].sum()),
        "decoded_bytes": int(pages["decoded_bytes"][of_rank].sum()),
        "duplicates": int(pages["is_duplicate"][of_rank].sum()),
        "unchanged": int(pages["is_unchanged"][of_rank].sum()),
    }
    if tables.is_ended:
        frontier = tables.rows["frontier"].counts
        counted["reasons.queued"] = {reason: count for (of, reason), count in frontier.items() if of == rank}
    return counted


def external_links_are_counted(session: Session, tables: Tables) -> Iterator[Problem]:
    """What a rank counts as out of scope is what its rows of external links add up to, where the crawl keeps them."""
    kept = session.runs[0].configuration.get("external", "none")
    sites, urls = tables.rows["external_sites"], tables.rows["external_urls"]
    for rank, report in enumerate(session.rank_reports()):
        dropped = report["links_out_of_scope"]
        found = {"external_sites": int(sites["links"][sites.rank(rank)].sum())} if kept != "none" else {}
        of_rank = urls.rank(rank)
        found |= {"external_urls": of_rank.stop - of_rank.start} if kept == "all" else {}
        for table, links in found.items():
            if links != dropped:
                yield _problem(session, rank, f"links_out_of_scope is {dropped:,}; {table} says {links:,}")


def verified_links_are_counted(session: Session) -> Iterator[Problem]:
    """Every URL that an answered HEAD has filtered took one; so did every page, if all links were verified.

    A conditional request (``--from``) has no HEAD before it.
    """
    configurations = [run.configuration for run in session.runs]
    rules = {configuration.get("verify_links", "none") for configuration in configurations}
    are_all_verified = "none" not in rules and not any(one.get("previous") for one in configurations)
    for rank, report in enumerate(session.rank_reports()):
        refused = sum(count for why, count in report["reasons"][FILTERED].items() if why.startswith("head-"))
        least = refused + (report["fetched"] if are_all_verified else 0)
        if report.get("head_requests", 0) < least:
            text = f"head_requests is {report.get('head_requests', 0):,}; of its URLs {least:,} have had a HEAD"
            yield _problem(session, rank, text)


def books_balance(session: Session) -> Iterator[Problem]:
    """discovered = fetched + failed + filtered + queued, on each rank and in sum; a complete crawl has none queued.

    Once URLs have moved, a rank may have settled what another discovered: then none is queued in sum.  Where two may
    own one URL as well, those that came together on one rank remain.
    """
    reports = session.rank_reports()
    is_complete = session.ended is not None and session.ended["reason"] == "complete"
    for rank, report in enumerate(reports):
        settled = sum(report[state] for state in ("fetched", "failed", "filtered", "queued"))
        if report["discovered"] != settled:
            text = f"discovered is {report['discovered']:,}, but fetched + failed + filtered + queued is {settled:,}"
            yield _problem(session, rank, text)
        if is_complete and report["queued"] and not session.has_moved:
            yield _problem(session, rank, f"{report['queued']:,} queued, though the crawl ended as complete")
    queued = sum(report["queued"] for report in reports)
    if is_complete and session.has_moved and queued and not session.allows_overlap:
        text = f"{queued:,} queued on all ranks together, though the crawl ended as complete"
        yield Problem(record_name(session.last_epoch), None, text)


def exchange_is_plausible(session: Session) -> Iterator[Problem]:
    """URLs take some bytes; of them no more go as numbers, or are sent again, than there are."""
    for rank, report in enumerate(session.rank_reports()):
        sent = report["sent_urls"]
        if report["sent_bytes"] < sent * _SHORTEST_URL:
            text = f"sent {sent:,} URLs in {report['sent_bytes']:,} bytes, which is too little"
            yield _problem(session, rank, text)
        if report.get("sent_numbers", 0) > sent:
            yield _problem(session, rank, f"sent {report['sent_numbers']:,} numbers, but only {sent:,} URLs")
        if report["resent"] > sent:
            yield _problem(session, rank, f"resent {report['resent']:,} of {sent:,} URLs sent")


def _reported(report: Mapping[str, Any], counter: str) -> Any:
    outer, _, inner = counter.partition(".")
    value = report[outer][inner] if inner else report.get(outer, 0)  # older sessions lack some, and have none of it
    # a counter that was never raised may be there as 0
    return {key: count for key, count in value.items() if count} if isinstance(value, dict) else value


def _shown(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return "{" + ", ".join(f"{key}: {count:,}" for key, count in sorted(value.items())) + "}"


def _problem(session: Session, rank: int, text: str) -> Problem:
    return Problem(record_name(session.last_epoch), None, f"rank {rank}: {text}")
