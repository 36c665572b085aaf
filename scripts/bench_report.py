"""docs/performance.md, from the figures that scripts/bench.py measured."""

from typing import Any

from crawler.stages import STAGES

_PREFACE = """\
# What a page costs

Written by `make docs` (scripts/bench.py --save); no number here was typed.

Machine: {machine}.  Web: {pages:,.0f} pages of {decoded:.1f} kB ({received:.1f} kB compressed), \
{links:.0f} links a page, served by {server} on loopback; delays off, robots.txt asked, WARC and tables written.  \
Medians of {runs} runs.

CPU is user and system time of the ranks' loops; *process* is that of the whole processes, their start,
MPI and the launcher included.  The server runs on the same cores, as a batch process, so that it does
not cut in on the ranks at every request.
"""
_STAGE_NOTES = """\
- fetch: libcurl, sockets, the workbench; parse: gunzip, character set, lxml;
- links: join, canonical form, hash; seen: URL-seen, owners, sent, the frontier;
- record: WARC, digests, tables; exchange: encoding and MPI.
"""
_NOT_MEASURED = "Not measured: TLS, DNS, a network that is not loopback, more than two cores.\n"


def as_markdown(figures: dict[str, Any]) -> str:
    """The page, from the figures in docs/performance.json."""
    crawls = figures["crawls"]
    return "\n".join(
        [
            _preface(figures, crawls[0]),
            "## One rank alone\n",
            _alone(crawls[0]),
            "CPU by stage, ms per page:\n",
            _table(list(STAGES), [[f"{crawls[0][f'stage_{stage}']:.3f}" for stage in STAGES]]),
            _STAGE_NOTES,
            "## K ranks on the same cores\n",
            _together(crawls),
            "## Choices\n",
            _choices(figures["choices"]),
            _NOT_MEASURED,
        ]
    )


def _preface(figures: dict[str, Any], alone: dict[str, Any]) -> str:
    return _PREFACE.format(
        machine=figures["machine"],
        server=figures["server"],
        runs=figures["runs"],
        pages=alone["pages"],
        links=alone["links"],
        decoded=alone["decoded_bytes"] / 1000,
        received=alone["received_bytes"] / 1000,
    )


def _alone(crawl: dict[str, Any]) -> str:
    head = ["pages/s", "CPU ms/page", "process ms/page", "received B/page", "peak MB"]
    row = [
        f"{crawl['pages_per_second']:,.0f}",
        f"{crawl['cpu_ms']:.3f}",
        f"{crawl['process_cpu_ms']:.3f}",
        f"{crawl['received_bytes']:,.0f}",
        f"{crawl['peak_rss'] / 1e6:.0f}",
    ]
    return _table(head, [row])


def _together(crawls: list[dict[str, Any]]) -> str:
    head = [
        "K",
        "assignment",
        "pages/s",
        "CPU ms/page",
        "against K=1",
        "process ms/page",
        "URLs sent/page",
        "wire B/page",
    ]
    rows = [
        [
            str(crawl["ranks"]),
            crawl["assignment"],
            f"{crawl['pages_per_second']:,.0f}",
            f"{crawl['cpu_ms']:.3f}",
            f"{crawl['cpu_ms'] / crawls[0]['cpu_ms']:.2f}",
            f"{crawl['process_cpu_ms']:.3f}",
            f"{crawl['sent_urls']:.2f}",
            f"{crawl['wire_bytes']:,.1f}",
        ]
        for crawl in crawls
    ]
    return _table(head, rows)


def _choices(choices: list[dict[str, Any]]) -> str:
    return _table(
        ["what", "way", "ms/page"], [[choice["what"], choice["way"], f"{choice['ms']:.3f}"] for choice in choices]
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
