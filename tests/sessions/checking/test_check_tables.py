"""Each invariant of rows and tables, broken: the check must say so and name the file."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sessions.checking.check import check_session
from sessions.url import url_hash
from tests.sessions.support.breaking import (
    LAST_RECORD,
    Breakage,
    Json,
    Rows,
    edit_epoch,
    edit_header,
    edit_report,
    edit_rows,
    flip,
    replace_file,
    replace_table,
    table_entry,
)
from tests.sessions.support.builder import HOME, LOST, OTHERS, PAGES


def on_disk(change: Callable[[Path], object], table: str = "links") -> Breakage:
    """Do something to a table file behind the commit record's back."""

    def breakage(session: Path) -> str:
        name: str = table_entry(session, table, 0, 2)["file"]
        change(session / name)
        return name

    return breakage


def rewritten(change: Callable[[pa.Table], pa.Table], table: str = "pages") -> Breakage:
    """Write a table file with other columns."""

    def breakage(session: Path) -> str:
        old = pq.read_table(session / table_entry(session, table, 0, 2)["file"])
        return replace_table(session, table, change(old), 0, 2)

    return breakage


def rows(table: str, change: Callable[[Rows], object], rank: int = 0, epoch: int = 2) -> Breakage:
    """Change the rows of a table file, and commit that."""
    return lambda session: edit_rows(session, table, change, rank, epoch)


def elsewhere(breakage: Breakage, file: str) -> Breakage:
    """Something that is found in another file than the one that was changed."""
    return lambda session: breakage(session) and file


def reported(change: Callable[[Json], object]) -> Breakage:
    """Change the last report of rank 0."""

    def breakage(session: Path) -> str:
        edit_report(session, change)
        return LAST_RECORD

    return breakage


def miscounted(counter: str) -> Breakage:
    return reported(lambda report: report.update({counter: 7}))


def says_links_were_verified(session: Path) -> str:
    """Have the session say that a HEAD came before each page."""
    edit_header(session, lambda header: header["configuration"].update(verify_links="html"))
    return LAST_RECORD


def url_row(url: str) -> dict[str, object]:
    return {"hash": url_hash(url), "url": url, "depth": 1, "hops": 0}


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def not_parquet(session: Path) -> str:
    return replace_file(session, "pages", b"PAR1 but not really PAR1", rows=8, rank=0, epoch=2)


def wrong_number_of_rows(session: Path) -> str:
    entry = table_entry(session, "pages", 0, 2)
    return replace_file(session, "pages", (session / entry["file"]).read_bytes(), rows=9, rank=0, epoch=2)


def complete_with_a_queue(session: Path) -> str:
    edit_epoch(session, lambda record: record["ended"].update(reason="complete"))
    return LAST_RECORD


def with_bad_utf8(table: pa.Table) -> pa.Table:
    broken = pa.array([b"\xff\xfe"] * len(table), pa.binary()).view(pa.string())
    return table.set_column(table.schema.get_field_index("etag"), "etag", broken)


OTHER = "http://a.example/never-heard-of"
UNKNOWN = {"hash": 7, "state": "failed", "reason": "dns", "epoch": 2}

BREAKAGES: dict[str, tuple[str, Breakage]] = {
    # files
    "a bit flipped": ("table_file", on_disk(lambda path: flip(path, 100))),
    "a file gone": ("table_file", on_disk(Path.unlink)),
    "a file cut": ("table_file", on_disk(cut_in_half)),
    "a file grown": ("table_file", on_disk(lambda path: path.write_bytes(path.read_bytes() + b"x"))),
    "a file that is no Parquet": ("table_file", not_parquet),
    "a row more than committed": ("table_file", wrong_number_of_rows),
    "a column missing": ("table_file", rewritten(lambda table: table.drop_columns("etag"))),
    "a column too many": ("table_file", rewritten(lambda table: table.append_column("extra", table["hash"]))),
    "a column of another type": (
        "table_file",
        rewritten(lambda table: table.set_column(3, "status", table["status"].cast(pa.int32()))),
    ),
    # single rows
    "a null where none may be": ("no_unwanted_nulls", rows("pages", lambda pages: pages[3].update(site=None))),
    "a string that is no UTF-8": ("strings_are_unicode", rewritten(with_bad_utf8)),
    "a URL with another's hash": ("hash_of_url", rows("urls", lambda urls: urls[1].update(hash=1))),
    "a URL that is not canonical": (
        "url_is_canonical",
        rows("urls", lambda urls: urls.append(url_row("HTTP://a.example/%7e#x"))),
    ),
    "a URL that is none": ("url_is_canonical", rows("urls", lambda urls: urls.append(url_row("mailto:x@a.example")))),
    "a page with another's hash": ("hash_of_url", rows("pages", lambda pages: pages[1].update(hash=1))),
    "a page on another site": ("site_of_url", rows("pages", lambda pages: pages[1].update(site="b.example"))),
    "a status of two digits": ("status_in_range", rows("pages", lambda pages: pages[1].update(status=20))),
    "negative bytes": ("sizes_are_not_negative", rows("pages", lambda pages: pages[1].update(bytes=-1))),
    "milliseconds not a number": (
        "sizes_are_not_negative",
        rows("pages", lambda pages: pages[1].update(milliseconds=float("nan"))),
    ),
    "a page of another rank": ("rank_is_the_files", rows("pages", lambda pages: pages[1].update(rank=1))),
    "a page of another run": ("run_is_the_epochs", rows("pages", lambda pages: pages[1].update(run="x"))),
    "an unknown WARC file": (
        "warc_file_is_committed",
        rows("pages", lambda pages: pages[1].update(warc_file="x.warc.gz")),
    ),
    "a page without a body": (
        "warc_file_is_committed",
        rows("pages", lambda pages: pages[1].update(warc_file=None, warc_offset=None)),
    ),
    "a link to itself": (
        "no_self_link",
        rows("links", lambda links: links[1].update(target=links[1]["source"])),
    ),
    "an unknown flag": ("flags_are_known", rows("links", lambda links: links[1].update(flags=17))),
    "an unknown state": ("state_is_known", rows("outcomes", lambda found: found[1].update(state="lost"))),
    "no reason": ("reason_is_given", rows("outcomes", lambda found: found[1].update(reason=""))),
    "no reason to be queued": (
        "reason_is_given",
        rows("frontier", lambda queue: queue[1].update(reason=""), epoch=3),
    ),
    "a robots.txt of another rank": ("rank_is_the_files", rows("robots", lambda found: found[1].update(rank=1))),
    "a robots.txt that came to nothing": (
        "came_to_something",
        rows("robots", lambda found: found[1].update(error=None)),
    ),
    "a robots.txt of nowhere": ("no_unwanted_nulls", rows("robots", lambda found: found[1].update(origin=None))),
    "a message of another rank": ("rank_is_the_files", rows("exchanges", lambda sent: sent[0].update(rank=1))),
    **{
        f"a message with {name} {number}": (
            "something_was_sent",
            rows("exchanges", lambda sent, name=name, number=number: sent[0].update({name: number})),  # type: ignore[misc]
        )
        for name, number in (
            *(("urls", 0), ("numbers", -1), ("numbers", 9), ("bytes", 0), ("wire_bytes", 0), ("receiver", 0)),
        )
    },
    "an outcome of another epoch": ("epoch_is_the_files", rows("outcomes", lambda found: found[0].update(epoch=1))),
    # between rows and tables
    "a URL twice": ("urls_are_unique", rows("urls", lambda urls: urls.append(urls[0]))),
    "a URL of two ranks": ("urls_are_unique", rows("urls", lambda urls: urls.append(url_row(PAGES[1])), rank=1)),
    "a page twice": ("pages_are_unique", rows("pages", lambda pages: pages.append(pages[2]))),
    "an outcome twice": ("outcomes_are_unique", rows("outcomes", lambda found: found.append(found[0]))),
    "a URL queued twice": ("frontier_is_unique", rows("frontier", lambda queue: queue.append(queue[0]), epoch=3)),
    "a link twice": ("links_are_distinct", rows("links", lambda links: links.append(links[0] | {"flags": 1}))),
    "a page that another rank discovered": (
        "pages_are_discovered",
        elsewhere(
            rows("urls", lambda urls: urls.remove(url_row(PAGES[3]))),
            "rank-0000/pages-000002-20260102T030405-abcdef.parquet",
        ),
    ),
    "an outcome that nobody discovered": (
        "outcomes_are_discovered",
        rows("outcomes", lambda found: found.append(UNKNOWN)),
    ),
    "a URL found nearer that nobody discovered": (
        "nearer_urls_are_discovered",
        rows("nearer", lambda nearer: nearer[0].update(hash=7)),
    ),
    "another rank's URL found nearer": (
        "nearer_urls_are_discovered",
        rows("nearer", lambda nearer: nearer[0].update(hash=url_hash(OTHERS[0]))),
    ),
    "a URL found farther": ("ways_get_shorter", rows("nearer", lambda nearer: nearer[1].update(depth=2))),
    "a URL found nearer by links, farther by redirects": (
        "ways_get_shorter",
        rows("nearer", lambda nearer: nearer[1].update(hops=1)),
    ),
    "a URL found as far": ("ways_get_shorter", rows("nearer", lambda nearer: nearer[1].update(depth=1))),
    "a domain that refers to itself": ("not_to_itself", rows("referrals", lambda found: found[0].update(source=2))),
    "a rest without end": ("rest_is_bounded", rows("rests", lambda found: found[0].update(seconds=float("inf")))),
    "a rest of less than nothing": ("rest_is_bounded", rows("rests", lambda found: found[0].update(seconds=-1.0))),
    "an outcome with a page": (
        "outcomes_have_no_page",
        rows("outcomes", lambda found: found[0].update(hash=url_hash(PAGES[0]))),
    ),
    "a link from no page": ("links_leave_pages", rows("links", lambda links: links[0].update(source=7))),
    "a link from another rank's page": (
        "links_leave_pages",
        rows("links", lambda links: links[0].update(source=url_hash(OTHERS[0]))),
    ),
    "a link to nowhere": ("links_lead_to_urls", rows("links", lambda links: links[0].update(target=7))),
    "a link to an undiscovered page": (
        "links_lead_to_urls",
        rows("links", lambda links: links[0].update(target=url_hash(OTHER))),
    ),
    "a fetched page in the frontier": (
        "frontier_is_the_rest",
        rows("frontier", lambda queue: queue[0].update(hash=url_hash(HOME)), epoch=3),
    ),
    "another rank's page in the frontier": (
        "frontier_is_the_rest",
        rows("frontier", lambda queue: queue[0].update(hash=url_hash(OTHERS[7])), epoch=3),
    ),
    "a URL missing from the frontier": (
        "frontier_is_the_rest",
        elsewhere(
            rows("frontier", lambda queue: queue.pop(), epoch=3),
            "rank-0000/urls-000002-20260102T030405-abcdef.parquet",
        ),
    ),
    # what was lost without a trace shows in the books
    "a page dropped": ("reports_equal_tables", elsewhere(rows("pages", lambda pages: pages.pop()), LAST_RECORD)),
    "a link dropped": ("reports_equal_tables", elsewhere(rows("links", lambda links: links.pop()), LAST_RECORD)),
    "a URL dropped": ("reports_equal_tables", elsewhere(rows("urls", lambda urls: urls.pop()), LAST_RECORD)),
    "an outcome dropped": ("reports_equal_tables", elsewhere(rows("outcomes", lambda rest: rest.pop()), LAST_RECORD)),
    "a reason changed": (
        "reports_equal_tables",
        elsewhere(rows("outcomes", lambda found: found[0].update(reason="timeout")), LAST_RECORD),
    ),
    "a reason to be queued changed": (
        "reports_equal_tables",
        elsewhere(rows("frontier", lambda queue: queue[0].update(reason="max-seconds"), epoch=3), LAST_RECORD),
    ),
    **{
        f"a message with other {name}": (
            "reports_equal_exchanges",
            elsewhere(
                rows("exchanges", lambda sent, name=name: sent[0].update({name: sent[0][name] + 1})),  # type: ignore[misc]
                LAST_RECORD,
            ),
        )
        for name in ("urls", "numbers", "bytes", "wire_bytes")
    },
    "a message to nobody": (
        "nobody_is_sent_more_than_there_is",
        elsewhere(rows("exchanges", lambda sent: sent[0].update(receiver=2)), LAST_RECORD),
    ),
    "a message twice": (
        "reports_equal_exchanges",
        elsewhere(rows("exchanges", lambda sent: sent.append(sent[0])), LAST_RECORD),
    ),
    "a message in two parts": ("exchanges_are_unique", rows("exchanges", lambda sent: sent.append(sent[0]))),
    "a message after the last superstep": (
        "exchanges_are_of_supersteps",
        rows("exchanges", lambda sent: sent[0].update(superstep=2)),
    ),
    "a pair of sites without a link": (
        "some_links",
        rows("external_sites", lambda found: found[0].update(links=0), epoch=1),
    ),
    "a link out of scope miscounted": (
        "external_links_are_counted",
        elsewhere(
            rows("external_sites", lambda found: found[0].update(links=found[0]["links"] + 1), epoch=1), LAST_RECORD
        ),
    ),
    "a link out of scope lost": (
        "external_links_are_counted",
        elsewhere(rows("external_urls", lambda found: found.pop(), epoch=1), LAST_RECORD),
    ),
    # reports
    **{
        f"{counter} miscounted": ("reports_equal_tables", miscounted(counter))
        for counter in ("discovered", "fetched", "failed", "filtered", "queued", "links", "bytes", "decoded_bytes")
    },
    "a status miscounted": ("reports_equal_tables", reported(lambda report: report.update(statuses={"200": 9}))),
    "a reason miscounted": (
        "reports_equal_tables",
        reported(lambda report: report["reasons"]["failed"].update(dns=2)),
    ),
    **{
        f"{counter} miscounted": (
            "reports_equal_exchanges",
            reported(lambda report, counter=counter: report.update({counter: report[counter] + 1})),  # type: ignore[misc]
        )
        for counter in ("sent_urls", "sent_numbers", "sent_bytes", "wire_bytes", "messages")
    },
    "books that do not balance": ("books_balance", reported(lambda report: report.update(queued=5))),
    "a complete crawl with a queue": ("books_balance", complete_with_a_queue),
    "more URLs sent than there are": (
        "nobody_is_sent_more_than_there_is",
        elsewhere(rows("exchanges", lambda sent: sent[0].update(urls=9)), LAST_RECORD),
    ),
    "URLs sent in no bytes": ("exchange_is_plausible", reported(lambda report: report.update(sent_bytes=0))),
    "more numbers sent than URLs": (
        "exchange_is_plausible",
        reported(lambda report: report.update(sent_numbers=9)),
    ),
    "a page without a HEAD where links were verified": ("verified_links_are_counted", says_links_were_verified),
    "a URL filtered by a HEAD that nobody sent": (
        "verified_links_are_counted",
        reported(lambda report: report["reasons"]["filtered"].update({"head-404": 1})),
    ),
    "more resent than sent": ("exchange_is_plausible", reported(lambda report: report.update(resent=9))),
}


@pytest.mark.parametrize(("kind", "breakage"), BREAKAGES.values(), ids=BREAKAGES.keys())
def test_finds(session_copy: Path, kind: str, breakage: Breakage) -> None:
    file = breakage(session_copy)
    findings = check_session(session_copy)
    assert file in {problem.file for problem in findings.problems.get(kind, [])}, findings.problems


def test_names_the_row(session_copy: Path) -> None:
    name = edit_rows(session_copy, "links", lambda found: found.append(found[1]), rank=1)
    (problem,) = check_session(session_copy).problems["links_are_distinct"]
    assert (problem.file, problem.row) == (name, 12)


def test_a_miscounted_zero_is_found(session_copy: Path) -> None:
    edit_report(session_copy, lambda report: report.update(filtered=1, discovered=10), rank=1)
    texts = [problem.text for problem in check_session(session_copy).problems["reports_equal_tables"]]
    assert texts == ["rank 1: discovered is 10; the tables say 8", "rank 1: filtered is 1; the tables say 0"]


def test_lost_urls_are_spelt_out_as_such(session_copy: Path) -> None:
    edit_rows(session_copy, "outcomes", lambda found: found.pop())
    problems = check_session(session_copy).problems["frontier_is_the_rest"]
    assert [problem.text for problem in problems] == [
        f"page {url_hash(LOST[1])} has no page, no outcome, and is not in the frontier"
    ]
