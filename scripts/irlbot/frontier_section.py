"""What budgets and a long frontier cost: the sections of docs/scale.md that `bench_frontier` measures."""

from typing import Any

from scripts.irlbot.number_format import count, paragraphs, size, table

_TRAFFIC = """\
## Our own budgets

Measured with `scripts/irlbot/bench_frontier.py --save`: a crawl of {domains:,} domains, each with a budget of
{budget} pages,
whose pages bring {unique} unseen URLs each, their own included; {memory:,} KiB of memory for the frontier, so that
nearly everything waits on disk.  *One queue* is the naive method.  *Theorem 4* and *Theorem 5* are
`crawler/feasibility/budget_disk_model.py` for the same numbers: Theorem 4 is of the last pass, so for one queue the
last {pass_pages} pages count; Theorem 5 is of the whole crawl, so for BEAST all do. BEAST begins with one queue, as
in the theorem, and has more in the end: the theorem counts only queues that are full when their round begins, and
here those of the round before are filled meanwhile. What waits is spread over new queues little by little, so that at
the end a part of the last spreading may not have been done, nor be in the figures. {machine}.

"""
_UNIT = """
Between the passes and the queues: URLs read from disk and written to it for each page fetched.  A URL takes
{written:.1f} bytes there (front-coded and compressed; {text} of text).

"""
_MEMORY = """\
## A frontier of {urls} URLs in memory

`scripts/irlbot/bench_frontier.py --urls {number} --frontier-memory {budget} --save`, each ordering in a process of
its own:
URLs of {text} bytes in {domains:,} domains are added, {batch:,} at a time, and of what is added a tenth is taken
meanwhile; then, when so many wait, a twentieth is taken.  *Before* is the same process before the first URL.  Times
are CPU microseconds a URL.  An ordering has half of `--frontier-memory`, the workbench the other half.  {machine}.

"""

_RANK = """\
## A rank with {urls} URLs in its frontier

`scripts/irlbot/long_frontier.py --urls {number} --save`: a rank really crawls pages with {links:,} links each to
pages that
nobody has seen, in {domains:,} domains, without delays and without storing bodies, with {budgets}.  The largest memory
is that of the whole process, from its start to the last table.  CPU is that of the rank's loop; seconds are those of a
machine that has other work, too.  {machine}.

"""


def frontier_sections(figures: dict[str, Any]) -> str:
    """Both sections, as far as they were measured."""
    parts = []
    if "traffic" in figures:
        parts.append(_traffic(figures["traffic"]))
    if "memory" in figures:
        parts.append(_memory(figures["memory"]))
    return "\n".join(parts)


def _traffic(figures: dict[str, Any]) -> str:
    head = ["pages", "passes", "one queue", "Theorem 4", "BEAST", "Theorem 5", "queues", "Theorem 5"]
    rows = []
    for row in figures["rows"]:
        urls = [f"{row[name]:.1f}" for name in ("naive", "theorem_4", "beast", "theorem_5")]
        queues = [f"{row['queues']}", f"{row['theorem_queues']}"]
        rows.append([count(row["pages"]), f"{row['passes']:.0f}", *urls, *queues])
    preface = paragraphs(
        _TRAFFIC,
        **{name: figures[name] for name in ("domains", "budget", "unique", "machine")},
        memory=figures["memory"] // 1024,
        pass_pages=count(figures["domains"] * figures["budget"]),
    )
    unit = paragraphs(_UNIT, written=figures["bytes_written"] / figures["urls_written"], text=size(figures["text"]))
    return preface + table(head, rows, words=0) + unit


def _memory(figures: dict[str, Any]) -> str:
    head = ["ordering", "URLs waiting", "peak", "before", "budget", "add, µs", "place, µs", "take, µs", "queues"]
    head += ["on disk", "of domains"]
    rows = []
    for row in figures["rows"]:
        sizes = [size(row[name]) for name in ("peak", "before", "budget")]
        times = [f"{row[name]:.2f}" for name in ("add", "place", "take")]
        last = [f"{row['queues']}", size(row["on_disk"]), size(row["of_domains"])]
        rows.append([row["ordering"], count(row["waiting"]), *sizes, *times, *last])
    preface = paragraphs(
        _MEMORY,
        urls=count(figures["urls"]),
        number=figures["urls"],
        budget=figures["frontier_memory"],
        domains=figures["domains"],
        batch=figures["batch"],
        text=figures["text"],
        machine=figures["machine"],
    )
    return preface + table(head, rows)


def rank_section(figures: dict[str, Any]) -> str:
    """The section of docs/scale.md that scripts/irlbot/long_frontier.py measures."""
    preface = paragraphs(
        _RANK,
        urls=count(max(row["queued"] for row in figures["rows"])),
        number=max(row["queued"] for row in figures["rows"]),
        links=figures["links"],
        domains=figures["domains"],
        budgets=", ".join(f"`--{name}-memory {mebibytes}`" for name, mebibytes in figures["budgets"].items()),
        machine=figures["machine"],
    )
    return preface + rank_table(figures)


def rank_table(figures: dict[str, Any]) -> str:
    """What CPU and memory a rank took, a row for each order."""
    head = ["order", "URLs in the frontier", "pages", "seconds", "CPU s", "CPU µs a URL"]
    head += ["largest memory, MiB", "budgets, MiB", "beyond, MiB"]
    given = sum(figures["budgets"].values())
    rows = []
    for row in figures["rows"]:
        peak = row["peak_rss"] / (1 << 20)
        amounts = [f"{row['queued']:,}", f"{row['fetched']:,}", f"{row['seconds']:.0f}"]
        amounts += [f"{row['cpu']:.0f}", f"{1e6 * row['cpu'] / row['queued']:.1f}"]
        rows.append([row["order"], *amounts, f"{peak:.0f}", str(given), f"{peak - given:+.0f}"])
    return table(head, rows)
