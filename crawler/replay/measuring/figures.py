"""The figures of a replay's report: name, title, unit and meaning of each; docs/measures.md defines them.

Those of `crawler.replay.measuring.measures.Measures` and what it took to compute the course, and those of each rank.
"""

from collections.abc import Iterator

from partition.quality.figures import MOVES
from partition.report.figure import BYTES, COUNT, RATIO, SECONDS, Figure

FETCHING, QUALITY, COMMUNICATION = "Coverage and overlap", "Quality", "Communication"
BALANCE, OWNERSHIP, COST = "Balance", "URLs not in the map, and wrong owners", "What the replay costs"
VIRTUAL = "Virtual time"
PER_PAGE, BYTES_PER_PAGE = "per page", "B per page"
MILLISECONDS = "ms"

QUALITY_PERCENT = (1, 5, 10, 25, 50)
"""After how much of all pages quality is told."""
IMPORTANCES = {"back_link": "back-links", "page_rank": "PageRank"}


def quality_name(importance: str, percent: int) -> str:
    """The name of a figure of quality, by one of `IMPORTANCES`."""
    return f"{importance}_quality_{percent}"


def _qualities() -> Iterator[Figure]:
    for name, title in IMPORTANCES.items():
        for percent in QUALITY_PERCENT:
            yield Figure(
                quality_name(name, percent),
                QUALITY,
                f"Quality by {title}, first {percent}%",
                RATIO,
                f"Share of the {percent}% of pages most important by {title} among the {percent}% fetched first.",
                more_is_better=True,
            )


FIGURES = (
    Figure("fetches", FETCHING, "Fetches", COUNT, "Pages fetched, one fetched by two ranks twice."),
    Figure("pages", FETCHING, "Pages", COUNT, "Distinct pages fetched.", more_is_better=True),
    Figure("supersteps", FETCHING, "Supersteps", COUNT, "Supersteps from the seeds to the end."),
    Figure(
        "coverage",
        FETCHING,
        "Coverage",
        RATIO,
        "Distinct pages fetched, of those that one process fetches from the same seeds, and of the URLs left queued by "
        "a recorded crawl that ended early.",
        more_is_better=True,
    ),
    Figure("overlap", FETCHING, "Overlap", RATIO, "Fetches beyond the first of each page, per distinct page."),
    Figure("shared_pages", FETCHING, "Pages fetched twice", COUNT, "Pages that more than one rank fetched."),
    *_qualities(),
    Figure("urls_per_page", COMMUNICATION, "URLs sent", PER_PAGE, "URLs that ranks sent each other, per fetch."),
    Figure(
        "bytes_per_page",
        COMMUNICATION,
        "Bytes sent",
        BYTES_PER_PAGE,
        "Bytes of the URLs sent, however they travel, per fetch.",
    ),
    Figure("wire_bytes_per_page", COMMUNICATION, "Wire bytes", BYTES_PER_PAGE, "Bytes that travelled, per fetch."),
    Figure("messages_per_page", COMMUNICATION, "Messages", PER_PAGE, "Messages between ranks, per fetch."),
    Figure("urls_sent", COMMUNICATION, "URLs sent in total", COUNT, "URLs that ranks sent each other."),
    Figure("bytes_sent", COMMUNICATION, "Bytes sent in total", BYTES, "Bytes of the URLs sent, however they travel."),
    Figure(
        "wire_bytes_sent",
        COMMUNICATION,
        "Wire bytes in total",
        BYTES,
        "Bytes that travelled: numbers of the map's URL table for URLs in it, compressed text for others.",
    ),
    Figure(
        "messages_sent", COMMUNICATION, "Messages in total", COUNT, "Messages: the URLs for one rank after a superstep."
    ),
    Figure(
        "most_sent_bytes", COMMUNICATION, "Largest sender", BYTES, "Bytes of URLs that the rank which sends most sends."
    ),
    Figure(
        "most_received_bytes",
        COMMUNICATION,
        "Largest receiver",
        BYTES,
        "Bytes of URLs that the rank which receives most receives.",
    ),
    Figure(
        "most_pair_bytes",
        COMMUNICATION,
        "Largest pair",
        BYTES,
        "Bytes of URLs that one rank sends to one other, at most.",
    ),
    Figure(
        "storage_imbalance",
        BALANCE,
        "Imbalance of storage",
        RATIO,
        "How many percent more bytes of pages than the mean the most loaded rank fetched.",
    ),
    Figure(
        "requests_imbalance",
        BALANCE,
        "Imbalance of requests",
        RATIO,
        "How many percent more pages than the mean the most loaded rank fetched.",
    ),
    Figure(
        "links_imbalance",
        BALANCE,
        "Imbalance of links",
        RATIO,
        "How many percent more links than the mean the most loaded rank found on its pages.",
    ),
    Figure(
        "time_imbalance",
        BALANCE,
        "Imbalance of time",
        RATIO,
        "How many percent longer than the mean the most loaded rank waited for servers, by the recorded times.",
    ),
    Figure("empty_parts", BALANCE, "Ranks without pages", COUNT, "Ranks that fetched nothing."),
    Figure(
        "idle_share",
        BALANCE,
        "Idle",
        RATIO,
        "Share of the ranks' time spent waiting for the slowest in each superstep, if every page takes equally long.",
    ),
    Figure(
        "unknown_discovered",
        OWNERSHIP,
        "URLs not in the map",
        RATIO,
        "Of the distinct URLs that ranks accepted, those that the partition map does not hold.",
    ),
    Figure(
        "unknown_sent",
        OWNERSHIP,
        "URLs sent that are not in the map",
        RATIO,
        "Of the URLs sent, those that travelled as text because the partition map does not hold them.",
    ),
    Figure(
        "wrong_owner_urls",
        OWNERSHIP,
        "URLs with a wrong owner",
        COUNT,
        "URLs that a rank accepted only because it found them; as a seed each would belong to another rank.",
    ),
    Figure(
        "wrong_owner_pages",
        OWNERSHIP,
        "Pages fetched by a wrong owner",
        COUNT,
        "Fetches by a rank that got the page only because it found it; as a seed it would belong to another rank.",
    ),
    Figure(
        "moved_pages",
        MOVES,
        "Moved pages",
        RATIO,
        "Share of the recorded pages that this assignment gives to another rank than the one that fetched them.",
    ),
    Figure(
        "moved_bytes",
        MOVES,
        "Moved bytes",
        RATIO,
        "Share of the bytes of the recorded pages that it gives to another rank than the one that fetched them.",
    ),
    Figure(
        "virtual_seconds",
        VIRTUAL,
        "Virtual duration",
        SECONDS,
        "Virtual seconds from the beginning to the end of a replay with --latency; 0 without.",
    ),
    Figure("seconds", COST, "Time", SECONDS, "Seconds from the recording to the end of the course.", of_machine=True),
    Figure("peak_bytes", COST, "Peak memory", BYTES, "Largest resident set of the process.", of_machine=True),
)
BY_NAME = {figure.name: figure for figure in FIGURES}

OF_RANKS = (
    Figure("fetches", BALANCE, "Fetches", COUNT, "Pages that the rank fetched."),
    Figure("bytes", BALANCE, "Bytes", BYTES, "Bytes of the pages that it fetched, as received."),
    Figure("links", BALANCE, "Links", COUNT, "Links on the pages that it fetched."),
    Figure("milliseconds", BALANCE, "Time", MILLISECONDS, "Milliseconds it waited for servers, by the recorded times."),
    Figure("urls_sent", COMMUNICATION, "URLs sent", COUNT, "URLs that it sent to other ranks."),
    Figure("bytes_sent", COMMUNICATION, "Bytes sent", BYTES, "Bytes of these URLs, however they travel."),
    Figure("urls_received", COMMUNICATION, "URLs received", COUNT, "URLs that other ranks sent it."),
    Figure("bytes_received", COMMUNICATION, "Bytes received", BYTES, "Bytes of these URLs, however they travel."),
    Figure("discovered", FETCHING, "Discovered", COUNT, "Distinct URLs that it accepted."),
)
"""What is told of each rank, by the names in `crawler.replay.measuring.rank_totals.RankTotals`."""
