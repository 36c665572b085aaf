"""docs/performance.md, from the figures that scripts/bench/page_cost.py measured."""

from typing import Any

from crawler.monitoring.stage_clock import STAGES

_PREFACE = """\
# What a page costs

Written by `make docs` (scripts/bench/page_cost.py --save); no number here was typed.

Machine: {machine}.  Commit {commit}.  Web: {pages:,.0f} pages of {decoded:.1f} kB ({received:.1f} kB compressed), \
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
            "## With the rules of the open web\n",
            _ruled(figures),
            _beside(figures),
            "## Choices\n",
            _choices(figures["choices"]),
            _NOT_MEASURED,
        ]
    )


def _preface(figures: dict[str, Any], alone: dict[str, Any]) -> str:
    return _PREFACE.format(
        machine=figures["machine"],
        commit=figures["commit"],
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


def _ruled(figures: dict[str, Any]) -> str:
    """What the rules against traps and the caps cost that hold unless a crawl says otherwise."""
    without = {(crawl["ranks"], crawl["assignment"]): crawl for crawl in figures["crawls"]}
    rows = []
    for crawl in figures["ruled"]:
        plain = without[crawl["ranks"], crawl["assignment"]]
        ratio = f"{crawl['cpu_ms'] / plain['cpu_ms']:.2f}"
        rows.append(
            [str(crawl["ranks"]), crawl["assignment"], f"{plain['cpu_ms']:.3f}", f"{crawl['cpu_ms']:.3f}", ratio]
        )
    return f"""\
All crawls above and below are without them (`--no-traps`, caps `none`), as they were when they were first measured.
With the defaults (`--traps`, 100,000 pages a site, 1,000,000 a domain):

{_table(["K", "assignment", "ms without", "ms with", "with / without"], rows)}"""


def _beside(figures: dict[str, Any]) -> str:
    """The same crawls by another commit's code, which took turns with these."""
    commit, before = figures["beside"]["commit"], figures["beside"]["crawls"]
    stages = [stage for stage in STAGES if f"stage_{stage}" in before[0]]
    head = ["K", "assignment", "ms then", "ms now", "now / then", *stages]
    rows = [
        [
            str(now["ranks"]),
            now["assignment"],
            f"{then['cpu_ms']:.3f}",
            f"{now['cpu_ms']:.3f}",
            f"{now['cpu_ms'] / then['cpu_ms']:.2f}",
            *(f"{then[f'stage_{stage}']:.3f} {now[f'stage_{stage}']:.3f}" for stage in stages),
        ]
        for then, now in zip(before, figures["crawls"], strict=True)
    ]
    return f"""\
## Beside commit {commit}

The crawler of commit {commit} (then) and that of {figures["commit"]} (now) took turns with the same crawls.
CPU ms/page, in all and by stage, then and now:

{_table(head, rows)}"""


def _choices(choices: list[dict[str, Any]]) -> str:
    return _table(
        ["what", "way", "ms/page"], [[choice["what"], choice["way"], f"{choice['ms']:.3f}"] for choice in choices]
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
