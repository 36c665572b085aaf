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
- fetch: libcurl, sockets, the workbench; parse: gunzip, character set, finding links;
- links: join, canonical form, hash; seen: URL-seen, owners, sent, the frontier;
- record: WARC, digests, tables; exchange: encoding and MPI.
"""
_FINDINGS = """\
What profiles of a rank alone showed (perf by library, cProfile by function, and each function timed alone on the pages
of this web; under load, so only shares count):

- More than half of a page's time is the Python interpreter's: some nine hundred calls a page, few of which stand out.
  The kernel, libc, inflating, SHA-1, libcurl and compiled code share the rest.
- Of *record*, most went into putting the two WARC records together: two dates, two draws of random digits, three
  SHA-1 in base 32, of which each is made digit by digit in Python.  They have one date and one draw now, and the digits
  are spread by shifts of one large number.  SHA-1 itself is taken of each document, each body and each record: what is
  left there is what the format promises.  The pages table is no cost: a batch of rows turned to columns takes a
  microsecond or two a page.
- Of *parse*, inflating is the largest part, then the scan, then SHA-1 of the document.  Links that ada has to join (one
  on every third page here) cost as much Python as all others together; they are put among the others in compiled code.
- Of *fetch*, answers that wait were counted anew for each request, and each request's IP address was parsed anew.
- A reading of the thread's CPU clock is a system call, half a microsecond: a page enters four stages in place of five.
- Collecting garbage took a hundredth of the loop, most of it in one look at all that was made at the start; that is
  left out now.
- The head of a response is gone through three times (for its end, for fields, for the record), which all together takes
  a hundredth of a page.  A rank alone at a site exchanges no message for a visit: its lease stands.
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
            "## Where the time goes\n",
            _FINDINGS,
            "## K ranks on the same cores\n",
            _together(crawls),
            "## With the rules of the open web\n",
            _ruled(figures),
            _beside(figures),
            "## Choices\n",
            _choices(figures["choices"]),
            *(["## Start and end\n", ends_table(figures["ends"])] if "ends" in figures else []),
            *(["## Memory\n", memory_table(figures["memory"])] if "memory" in figures else []),
            *([growth_table(figures["growth"])] if "growth" in figures else []),
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


def ends_table(ends: dict[str, Any]) -> str:
    """How long crawls took to begin and to end, from the figures of scripts/bench/start_and_end.py."""
    rows = [
        [str(crawl["ranks"]), *(f"{crawl[field]:.2f}" for field in ("first_request", "last_answer_to_exit", "cpu"))]
        for crawl in ends["crawls"]
    ]
    told = (
        f"Seconds, the least of {ends['runs']} crawls of {ends['pages']:,} small pages "
        f"(scripts/bench/start_and_end.py; {ends['machine']}).  `cutweb --help` takes {ends['help']:.2f} s.\n"
    )
    return f"{told}\n{_table(['K', 'command to first request', 'last answer to exit', 'CPU of the command'], rows)}"


def memory_table(memory: list[dict[str, Any]]) -> str:
    """What a rank holds before it has crawled, from the figures of scripts/bench/rank_memory.py."""
    told = (
        "What a rank holds before it has crawled anything, MiB after each step of its start "
        "(scripts/bench/rank_memory.py).\nWhat is not its own is shared by the ranks of a machine.  "
        "The scanner is loaded once a rank has read a\nthousand pages.\n"
    )
    rows = [[step["what"], f"{step['resident']:.0f}", f"{step['own']:.0f}"] for step in memory]
    return f"{told}\n{_table(['after', 'resident', 'own'], rows)}"


def growth_table(growth: dict[str, Any]) -> str:
    """How a rank's memory grows while it crawls, from the figures of scripts/bench/crawl_memory.py."""
    told = (
        f"While a rank crawls, its own MiB (scripts/bench/crawl_memory.py; {growth['machine']}):\n"
        f"*pages* of {growth['links']} links that nobody has linked to, on a thousand sites; *sites* of one page each, "
        "with a robots.txt.\nBudgets are taken as full: with many sites `--site-memory` is one of them.  A rank that "
        "is alone leaves\n`--sent-memory` empty.\n"
    )
    head = ["", "pages", "at 1/4", "at 1/2", "at 3/4", "at the end", "most", "budgets", "most beyond the budgets"]
    rows = []
    for crawl in growth["crawls"]:
        samples = crawl["samples"]
        pages, own = samples[-1]["pages"], [sample["own"] for sample in samples]
        quarters = [
            next(sample["own"] for sample in samples if sample["pages"] >= quarter * pages / 4)
            for quarter in (1, 2, 3, 4)
        ]
        numbers = [*quarters, max(own), crawl["budgets"], max(own) - crawl["budgets"]]
        rows.append([crawl["web"], f"{pages:,}", *(f"{number:.0f}" for number in numbers)])
    return f"{told}\n{_table(head, rows)}"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
