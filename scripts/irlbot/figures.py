"""What docs/scale.md reproduces of the paper, and what it takes from other measurements.

The paper: H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6 Billion Pages and Beyond", WWW 2008.
"""

import json
from dataclasses import replace
from typing import Any

from crawler.feasibility.budget_disk_model import (
    Crawl,
    beast_disk_limit,
    beast_disk_rate,
    beast_queues,
    naive_disk_rate,
    passes,
)
from crawler.feasibility.drum_overhead_model import (
    Load,
    Store,
    best_disk,
    drum_overhead,
    growing_disk,
    mercator_overhead,
    pages_per_second,
    polybot_overhead,
)
from scripts.shared.doc_tables import ROOT

PAPER, BUDGETS = Load(), Crawl()
PAGES = (8e8, 8e9, 8e10, 8e11, 8e12)
METHODS = {"Mercator-B": mercator_overhead, "Polybot": polybot_overhead, "DRUM": drum_overhead}
TABLE_2 = Store(memory=1e9, disk=4.39e12)
TABLE_3_MEMORY = (4e9, 8e9)
DISK_RATE = 101.25e6
BUDGET_PAGES = (1e8, 8e9, 8e10)

# What the paper prints; None where only our figure is known.
_TABLE_2 = {
    "Mercator-B": ("11.6", "93", "917", "9,156", "91,541"),
    "Polybot": ("69", "663", "6,610", "66,082", "660,802"),
    "DRUM": ("2.26", "2.35", "3.3", "12.5", "104"),
}
_EXAMPLE = {"overhead": "3.72", "rate": "4,192"}
_BEST_DISK = "4.39"
_NAIVE = ("3.8", "83", "826")
_QUEUES = (None, "16", "128")
_LIMIT = "8.2"


def paper_figures() -> dict[str, Any]:
    """All that is reproduced: each figure as computed (``ours``) and as the paper prints it (``printed``)."""
    return {
        "table_2": [
            {"method": name, "pages": pages, **_beside(method(PAPER, TABLE_2, pages), printed)}
            for name, method in METHODS.items()
            for pages, printed in zip(PAGES, _TABLE_2[name], strict=True)
        ],
        "table_3": [
            {"method": name, "memory": memory, "pages": pages, **_beside(_of_table_3(name, memory, pages))}
            for name in ("Mercator-B", "DRUM")
            for memory in TABLE_3_MEMORY
            for pages in PAGES
        ],
        "example": _example(),
        "readings": _readings(),
        "budgets": [
            {
                "pages": pages,
                "passes": passes(BUDGETS, pages),
                "naive": _beside(naive_disk_rate(BUDGETS, pages) / 1e6, naive),
                "beast": _beside(beast_disk_rate(BUDGETS, pages) / 1e6),
                "queues": _beside(beast_queues(BUDGETS, pages), queues),
            }
            for pages, naive, queues in zip(BUDGET_PAGES, _NAIVE, _QUEUES, strict=True)
        ],
        "limit": _beside(beast_disk_limit(BUDGETS) / 1e6, _LIMIT),
    }


def _beside(ours: float, printed: str | None = None) -> dict[str, Any]:
    return {"ours": ours, "printed": printed}


def _of_table_3(method: str, memory: float, pages: float) -> float:
    return METHODS[method](PAPER, Store(memory, growing_disk(PAPER, pages)), pages)


def _example() -> dict[str, Any]:
    overhead = _of_table_3("DRUM", 8e9, 8e12)
    return {
        "disk_rate": DISK_RATE,
        "overhead": _beside(overhead, _EXAMPLE["overhead"]),
        "rate": _beside(pages_per_second(PAPER, overhead, DISK_RATE), _EXAMPLE["rate"]),
    }


def _readings() -> list[dict[str, Any]]:
    """Where the constants that the text gives do not lead to what is printed, and which do."""
    as_text = replace(PAPER, packed_url_bytes=5.0)
    shorter = replace(PAPER, url_bytes=100.0)
    last, printed = PAGES[-1], _TABLE_2["Polybot"][-1]
    return [
        {
            "what": "Polybot, 8 T pages",
            "constant": "bq = 5, as in the text",
            **_beside(polybot_overhead(as_text, TABLE_2, last), printed),
        },
        {
            "what": "Polybot, 8 T pages",
            "constant": "bq = 5.5",
            **_beside(polybot_overhead(PAPER, TABLE_2, last), printed),
        },
        {
            "what": "D_opt at R = 1 GB, TB",
            "constant": "b = 110, as in the text",
            **_beside(best_disk(PAPER, 1e9) / 1e12, _BEST_DISK),
        },
        {"what": "D_opt at R = 1 GB, TB", "constant": "b = 100", **_beside(best_disk(shorter, 1e9) / 1e12, _BEST_DISK)},
    ]


def page_figures() -> dict[str, Any]:
    """What a page costs, from docs/performance.json: the ranks of one machine with pages spread by their hash."""
    performance = json.loads((ROOT / "docs" / "performance.json").read_text())
    crawls = [crawl for crawl in performance["crawls"] if crawl["assignment"] == "page-hash"]
    most = max(crawls, key=lambda crawl: crawl["ranks"])
    names = ("ranks", "process_cpu_ms", "received_bytes", "links", "sent_urls", "wire_bytes", "peak_rss")
    return {"machine": performance["machine"], **{name: most[name] for name in names}}
