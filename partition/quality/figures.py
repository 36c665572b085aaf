"""The figures of a report: name, title, unit and meaning of each, in one place.

Files name them by ``name``, tables and plots by ``title``.  A ratio is stored as such and shown in percent.
"""

from collections.abc import Iterable

from partition.measures.measures import Measures
from partition.report.figure import BYTES, BYTES_PER_URL, COUNT, LINKS, RATE, RATIO, SECONDS, Figure
from partition.report.results import Value

BALANCE, VOLUME, ONCE = "Balance", "Volume", "Volume if each URL is sent once"
RANKS, SITES, COST, MOVES = "Messages and single ranks", "Sites", "What the partition costs", "Moves"


FIGURES = (
    Figure(
        "storage_imbalance",
        BALANCE,
        "Imbalance of storage",
        RATIO,
        "How many percent more bytes of pages the most loaded rank has than the mean (or than its target share).",
    ),
    Figure(
        "requests_imbalance",
        BALANCE,
        "Imbalance of requests",
        RATIO,
        "How many percent more pages the most loaded rank has than the mean (or than its target share).",
    ),
    Figure(
        "links_imbalance",
        BALANCE,
        "Imbalance of links to parse",
        RATIO,
        "How many percent more links the pages of the most loaded rank have than the mean (or than its target share), "
        "those to URLs never downloaded too.",
    ),
    Figure(
        "seconds_imbalance",
        BALANCE,
        "Imbalance of seconds",
        RATIO,
        "How many percent more seconds the pages of the most loaded rank take than the mean (or than its target "
        "share), as measured or by the table of --seconds.",
    ),
    Figure(
        "empty_parts",
        BALANCE,
        "Ranks without pages",
        COUNT,
        "Ranks that own none of the pages; only a hash may leave some.",
    ),
    Figure(
        "volume_bytes",
        VOLUME,
        "Volume",
        BYTES,
        "Bytes of the URLs of all links between downloaded pages that cross ranks: each link sends its target's URL.",
        of_urls=True,
    ),
    Figure(
        "volume_links",
        VOLUME,
        "Volume, every link = 1",
        LINKS,
        "Number of the links between downloaded pages that cross ranks.",
    ),
    Figure(
        "edge_cut",
        VOLUME,
        "Edge cut",
        RATIO,
        "Share of the links between downloaded pages that cross ranks, in percent.",
    ),
    Figure(
        "live_volume_bytes",
        VOLUME,
        "Volume with URLs never downloaded",
        BYTES,
        "Volume over the links to downloaded pages and to URLs that were seen but never downloaded; those are owned "
        "by the rule for unknown URLs.  This is what a live crawl of the same pages sends.",
        of_urls=True,
    ),
    Figure(
        "live_volume_links",
        VOLUME,
        "Volume with URLs never downloaded, every link = 1",
        LINKS,
        "Number of the links that cross ranks, to downloaded pages and to URLs never downloaded.",
        of_urls=True,
    ),
    Figure(
        "sent_bytes",
        ONCE,
        "Volume, each URL once",
        BYTES,
        "Volume if a rank sends each URL once, however many of its pages link there; between downloaded pages.",
        of_urls=True,
    ),
    Figure(
        "sent_links",
        ONCE,
        "URLs sent, each once",
        LINKS,
        "URLs sent if a rank sends each once: pairs of a rank and a downloaded page of another that it links to.",
    ),
    Figure(
        "live_sent_bytes",
        ONCE,
        "Volume, each URL once, with URLs never downloaded",
        BYTES,
        "Volume if a rank sends each URL once, over the links to URLs never downloaded too.",
        of_urls=True,
    ),
    Figure(
        "live_sent_links",
        ONCE,
        "URLs sent, each once, with URLs never downloaded",
        LINKS,
        "Number of URLs sent if a rank sends each once, those never downloaded too.",
        of_urls=True,
    ),
    Figure(
        "overlap",
        ONCE,
        "Overlap",
        COUNT,
        "Fetches too many, because ranks that find a URL never downloaded each take it for their own; only where "
        "unknown URLs belong to who discovers them.",
        of_urls=True,
    ),
    Figure(
        "numbered_bytes",
        ONCE,
        "On the wire as numbers",
        BYTES,
        "Bytes on the wire if a rank sends each URL once and all are known: as compressed numbers of the URL table of "
        "the partition map, one batch for each pair of ranks.  (A hash has no table; it is counted as if it had.)",
        of_urls=True,
    ),
    Figure(
        "messages",
        RANKS,
        "Messages",
        COUNT,
        "Pairs of ranks (from, to) of which the one has a link to a downloaded page of the other.",
    ),
    Figure(
        "live_messages",
        RANKS,
        "Messages with URLs never downloaded",
        COUNT,
        "Pairs of ranks (from, to) of which the one has a link to a URL that the other owns, downloaded or not.",
        of_urls=True,
    ),
    Figure(
        "most_sent_bytes",
        RANKS,
        "Largest volume sent by one rank",
        BYTES,
        "Volume that the rank which sends most sends.",
        of_urls=True,
    ),
    Figure(
        "most_received_bytes",
        RANKS,
        "Largest volume received by one rank",
        BYTES,
        "Volume that the rank which receives most receives.",
        of_urls=True,
    ),
    Figure(
        "most_sent_links",
        RANKS,
        "Most links sent by one rank",
        LINKS,
        "Links that the rank which sends most sends.",
    ),
    Figure(
        "most_received_links",
        RANKS,
        "Most links received by one rank",
        LINKS,
        "Links that the rank which receives most receives.",
    ),
    Figure(
        "ranks_per_site",
        SITES,
        "Ranks per site, mean",
        COUNT,
        "Number of ranks that hold pages of one site, over all sites.",
        of_urls=True,
    ),
    Figure(
        "most_ranks_per_site",
        SITES,
        "Ranks per site, largest",
        COUNT,
        "Number of ranks that hold pages of the most scattered site.",
        of_urls=True,
    ),
    Figure(
        "whole_sites",
        SITES,
        "Sites whole on one rank",
        RATIO,
        "Share of the sites of which one rank holds all pages, in percent.",
        of_urls=True,
        more_is_better=True,
    ),
    Figure(
        "map_bytes_per_url",
        COST,
        "Size of the map",
        BYTES_PER_URL,
        "Bytes of the partition map that ranks map into memory, for each URL in it; a hash needs none.",
        of_urls=True,
    ),
    Figure(
        "lookups_per_second",
        COST,
        "Lookups",
        RATE,
        "Owners of known URLs that one rank looks up in a second, in random order, 10,000 at a time.",
        of_urls=True,
        of_machine=True,
        more_is_better=True,
    ),
    Figure(
        "seconds",
        COST,
        "Time to partition",
        SECONDS,
        "Seconds from the graph in memory to the part of every page.",
        of_machine=True,
    ),
    Figure(
        "peak_bytes",
        COST,
        "Peak memory",
        BYTES,
        "Largest resident set of the process while it partitions, the graph included.",
        of_machine=True,
    ),
)
FIGURES_OF_MOVES = (
    Figure(
        "moved_pages",
        MOVES,
        "Moved pages",
        RATIO,
        "Share of the previous map's pages whose owner has changed, in percent.",
    ),
    Figure(
        "moved_bytes",
        MOVES,
        "Moved bytes",
        RATIO,
        "Share of the bytes of the previous map's pages whose owner has changed, in percent.",
    ),
)
"""Figures of two maps, which only trials with a memory of the previous one have."""
BY_NAME = {figure.name: figure for figure in (*FIGURES, *FIGURES_OF_MOVES)}


def imbalance_of(weight: str) -> str:
    """The name of the figure that is a weight's imbalance."""
    return f"{weight}_imbalance"


def imbalances_told(found: Measures) -> dict[str, Value]:
    """The imbalances of all weights that are known, by the names of their figures."""
    return {imbalance_of(weight): imbalance for weight, imbalance in found.imbalances.items()}


def figures_told(names: Iterable[str]) -> list[Figure]:
    """Those of `FIGURES`, in order, whose names are among these."""
    wanted = set(names)
    return [figure for figure in FIGURES if figure.name in wanted]
