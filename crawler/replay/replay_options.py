"""Every option of a replay: its name, type, default, unit and meaning, in one place."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from crawler.config.crawl_options import DEFAULT_ASSIGNMENT, CrawlOptions
from crawler.config.option_declaration import option
from crawler.config.option_groups import (
    CUTTING,
    DOCUMENTS,
    ENDING,
    MODELLING,
    OWNERS,
    POLITENESS,
    REQUESTS,
    RESOURCES,
    SESSION,
)
from crawler.config.option_types import NameList, Number, NumberList
from crawler.config.order_options import OrderOptions
from crawler.config.partition_options import EFFORTS
from crawler.config.suggestions import OneOf
from crawler.exchange.parallel_modes import EXCHANGE, MODES
from crawler.frontier.orderings import ORDERINGS
from crawler.replay.virtualtime.latency import RECORDED, LatencyModel
from partition.choices import ASSIGNMENTS, MOST_PARTS, OBJECTIVES, UNKNOWN_RULES, all_models

_MOST = 10**12
"""More than any web has, and no more than numbers of 64 bits leave room for in sums and products."""
_COUNT = click.IntRange(1, _MOST)
ESTIMATED_ORDERS = ("bfs", "priority", "random")
"""Those in which the place of a URL follows from the URL itself, or from when it was found."""
_session = partial(option, group=SESSION)
_owners = partial(option, group=OWNERS)
_ending = partial(option, group=ENDING)
_documents = partial(option, group=DOCUMENTS)
_modelling = partial(option, group=MODELLING)
_requests = partial(option, group=REQUESTS)
_politeness = partial(option, group=POLITENESS)
_cutting = partial(option, group=CUTTING)
_resources = partial(option, group=RESOURCES)

_SECONDS = Number(min=0)
_MIB = Number(min=0, min_open=True)

REPLAY_MODELS = all_models()


@dataclass(frozen=True)
class ReplayOptions(OrderOptions):
    """The options of ``cutweb replay``; defaults as a user meets them."""

    sessions: tuple[Path, ...] = option(
        (), "The session to be replayed, or a WARC file; with --from several.", click.Path(path_type=Path)
    )
    out: Path | None = _session(
        None,
        "Folder for the session that the replay makes, or for the report; must be new or empty.",
        click.Path(path_type=Path),
        metavar="DIR",
    )
    ranks: int | None = _owners(
        None,
        "Number of ranks: start K under mpiexec, or check that a launcher started K.",
        click.IntRange(1, MOST_PARTS),
    )
    assign: str | None = _owners(
        None,
        "What names a URL's owner, as in cutweb crawl; as the recorded crawl had it, else "
        f"{DEFAULT_ASSIGNMENT}, if --partition does not say it.",
        OneOf(ASSIGNMENTS),
    )
    partition: Path | None = _owners(
        None,
        "Who owns a URL, as cutweb partition has worked it out into this folder, for as many parts as there are ranks.",
        click.Path(path_type=Path),
        metavar="DIR",
    )
    unknown: tuple[str, ...] | None = _owners(
        None,
        "Who owns a URL that the map does not know; as the map says unless given. With --from a list, or all.",
        NameList(tuple(UNKNOWN_RULES)),
        metavar="RULE",
    )
    mode: str = _owners(
        EXCHANGE,
        "What becomes of links to URLs that others own: handed to their owners (exchange), dropped (firewall), or "
        "followed by who finds them when it has nothing else to fetch (cross-over).",
        OneOf(MODES),
    )
    replicate: int = _owners(
        0,
        "Tell all ranks the N most linked URLs at the start; those are never sent.",
        click.IntRange(0, _MOST),
    )
    order: str = _ending(
        CrawlOptions.order,
        f"In what order URLs are fetched; --estimate without --latency takes {', '.join(ESTIMATED_ORDERS)}. "
        f"{ORDERINGS.told()}.",
        OneOf(ORDERINGS),
    )
    max_pages: int | None = _ending(
        None,
        "End after N pages, counted over all ranks; in cross-over, by default, after as many as were recorded.",
        _COUNT,
    )
    pages_per_superstep: int = _ending(
        1000, "Length of a superstep (the time between two exchanges), in pages a rank; not with --latency.", _COUNT
    )
    bodies: bool = _documents(
        False, "Read the links from the bodies again instead of trusting the table of links.", bool
    )
    lenient: bool = _documents(
        False,
        "With --bodies: do not fail if more than 1% of the bodies cannot be read; the table has their links.",
        bool,
    )
    latency: str | None = _modelling(
        None,
        "Replay in virtual time, with delays: a request takes as long as it was recorded, or SECONDS, or "
        "SECONDS+BYTES/s for one whose body comes at that rate, or as the lines RANK SITE MODEL of a file say, with * "
        "for any, of which the last that fits holds.",
        LatencyModel(),
        metavar=f"{RECORDED}|MODEL|@FILE",
    )
    superstep: float = _ending(1.0, "With --latency: length of a superstep, in virtual seconds.", Number(min=0.01))
    connections: int = _requests(64, "With --latency: transfers at once on each rank.", click.IntRange(1, 4096))
    delay: float = _politeness(
        1.0, "With --latency: rest between two requests to one site, in virtual seconds.", _SECONDS
    )
    server_delay: float = _politeness(
        0.5, "With --latency: rest between two requests to one server, in virtual seconds.", _SECONDS
    )
    delay_factor: float = _politeness(
        CrawlOptions.delay_factor,
        "With --latency, as in a crawl: a site rests at least N times the seconds that its last answer took.",
        Number(min=0),
    )
    estimate: bool = _modelling(
        False,
        "Compute what the replay would show, in this process, without MPI, for any number of ranks; with --latency in "
        "virtual time.",
        bool,
    )
    previous: Path | None = _session(
        None,
        "Cut this earlier session (or WARC file) by each model and estimate the replay of SESSION under each.",
        click.Path(path_type=Path),
        metavar="SESSION",
        flag="from",
    )
    parts: tuple[int, ...] = _modelling(
        (), "With --estimate or --from: the Ks, as in 8,16,32.", NumberList(MOST_PARTS), metavar="K,..."
    )
    models: tuple[str, ...] = _modelling(
        (),
        f"With --estimate or --from: {', '.join(REPLAY_MODELS)} or all, with commas between them; without --from the "
        "models cut SESSION itself.",
        NameList(REPLAY_MODELS),
        metavar="MODEL,...",
    )
    objective: str = _cutting(OBJECTIVES[0], "What the models keep small, as in cutweb partition.", OneOf(OBJECTIVES))
    tolerance: float = _cutting(
        0.05, "How much heavier than its share a part may be: 0.05 is 5%.", Number(min=0, max=10)
    )
    effort: str = _cutting("normal", "How long the models look for a better partition.", OneOf(EFFORTS))
    seed: int = _cutting(1, "Seed of the models: the same gives the same partitions.", click.IntRange(min=0))
    epoch_seconds: float = _resources(
        60.0, "Commit the session to disk at least so often, in seconds.", Number(min=0, min_open=True)
    )
    frontier_memory: float = _resources(256.0, "Memory for queued URLs on each rank, in MiB; more wait on disk.", _MIB)
    sent_memory: float = _resources(256.0, "Memory for what a rank has sent to others, in MiB.", _MIB)
    scratch: Path | None = _resources(
        None,
        "Put what need not stay, queues and DRUM files (URL tables in batches), on this local disk; into the session "
        "unless given.",
        click.Path(path_type=Path),
        metavar="DIR",
    )
