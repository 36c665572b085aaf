"""docs/performance.md, from the figures that scripts/bench.py measured."""

from typing import Any

from crawler.stages import STAGES


def as_markdown(figures: dict[str, Any]) -> str:
    """The page, from the figures in docs/performance.json."""
    alone, *others = figures["crawls"]
    return "\n".join(
        [
            "# What a page costs",
            "",
            "Written by `make bench` (scripts/bench.py --save); no number here was typed.",
            "",
            f"Machine: {figures['machine']}.  Web: {alone['pages']:,.0f} pages of "
            f"{alone['decoded_bytes'] / 1000:.1f} kB ({alone['received_bytes'] / 1000:.1f} kB compressed), "
            f"{alone['links']:.0f} links a page, served by "
            f"{figures['server']} on loopback; delays off, robots.txt asked, WARC and tables written.  Medians of "
            f"{figures['runs']} runs.",
            "",
            "CPU is user and system time of the ranks' loops; *process* is that of the whole processes, their start,",
            "MPI and the launcher included.  The server runs on the same cores, as a batch process, so that it does",
            "not cut in on the ranks at every request.",
            "",
            "## One rank alone",
            "",
            _table(
                ["pages/s", "CPU ms/page", "process ms/page", "received B/page", "peak MB"],
                [_row(alone, "pages_per_second", "cpu_ms", "process_cpu_ms", "received_bytes", "peak_rss")],
            ),
            "",
            "CPU by stage, ms per page:",
            "",
            _table(list(STAGES), [[f"{alone[f'stage_{stage}']:.3f}" for stage in STAGES]]),
            "",
            "- fetch: libcurl, sockets, the workbench; parse: gunzip, character set, lxml;",
            "- links: join, canonical form, hash; seen: URL-seen, owners, sent, the frontier;",
            "- record: WARC, digests, tables; exchange: encoding and MPI.",
            "",
            "## K ranks on the same cores",
            "",
            _table(
                [
                    "K",
                    "assignment",
                    "pages/s",
                    "CPU ms/page",
                    "against K=1",
                    "process ms/page",
                    "URLs sent/page",
                    "wire B/page",
                ],
                [
                    [
                        str(crawl["ranks"]),
                        crawl["assignment"],
                        f"{crawl['pages_per_second']:,.0f}",
                        f"{crawl['cpu_ms']:.3f}",
                        f"{crawl['cpu_ms'] / alone['cpu_ms']:.2f}",
                        f"{crawl['process_cpu_ms']:.3f}",
                        f"{crawl['sent_urls']:.2f}",
                        f"{crawl['wire_bytes']:,.1f}",
                    ]
                    for crawl in [alone, *others]
                ],
            ),
            "",
            "## Choices",
            "",
            _table(
                ["what", "way", "ms/page"],
                [[choice["what"], choice["way"], f"{choice['ms']:.3f}"] for choice in figures["choices"]],
            ),
            "",
            "Not measured: TLS, DNS, a network that is not loopback, more than two cores.",
            "",
        ]
    )


def _row(crawl: dict[str, Any], *names: str) -> list[str]:
    forms = {"peak_rss": lambda value: f"{value / 1e6:.0f}", "pages_per_second": lambda value: f"{value:,.0f}"}
    forms["received_bytes"] = forms["pages_per_second"]
    return [forms.get(name, lambda value: f"{value:.3f}")(crawl[name]) for name in names]


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
