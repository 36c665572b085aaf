"""What a replay asks for, as the options of the crawl that it is, and as the latencies of its ranks."""

from dataclasses import asdict
from pathlib import Path

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import CrawlOptions
from crawler.network.product_token import recorded_token
from crawler.replay.recording import Recording
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.settings import ReplaySettings
from crawler.replay.virtualtime.latency import FILE, RECORDED, Latencies, latency_of
from crawler.replay.virtualtime.latency_file import LatencyFileError, read_latencies
from sessions.records import Configuration
from sessions.session import Session

_MOST_REDIRECTS = 254
_READING = ("max_links", "max_decoded", "content_types", "user_agent")
_NO_LIMIT = float("inf")


def crawl_options(options: ReplayOptions, settings: ReplaySettings, session: Session) -> CrawlOptions:
    """The replay as a crawl."""
    return CrawlOptions(
        out=options.out,
        ranks=options.ranks,
        assign=options.assign,
        partition=options.partition,
        unknown=options.unknown[0] if options.unknown else None,
        order=settings.order,
        **asdict(settings.order_settings),
        max_pages=settings.max_pages,
        max_redirects=_MOST_REDIRECTS,
        traps=False,
        max_pages_per_site=None,
        max_pages_per_domain=None,
        honour_nofollow=session.honours_nofollow,
        **_reading_options(session),
        superstep=options.superstep,
        connections=options.connections,
        delay=options.delay,
        server_delay=options.server_delay,
        delay_factor=options.delay_factor,
        retries=0,
        parse_seconds=_NO_LIMIT,
        max_wait=_NO_LIMIT,
        store_bodies=False,
        duplicates=False,
        epoch_seconds=options.epoch_seconds,
        frontier_memory=options.frontier_memory,
        sent_memory=options.sent_memory,
        scratch=options.scratch,
    )


def _reading_options(session: Session) -> Configuration:
    """The options by which the recorded crawl read its pages."""
    configuration = session.header["configuration"]
    values = {name: configuration[name] for name in _READING if name in configuration}
    if "user_agent" in values:
        values["robots_token"] = recorded_token(configuration)
    return values


def latencies_of(options: ReplayOptions, ranks: int, recording: Recording) -> list[Latencies] | None:
    """How long the requests of each rank take; None without a clock.  Raises UsageError if one does not know."""
    model = options.latency
    if model is None:
        return None
    has_times = bool(recording.milliseconds.any())
    if model.startswith(FILE):
        sites = set(recording.pages["site"].unique().to_pylist())
        try:
            return read_latencies(Path(model.removeprefix(FILE)), ranks, sites, has_times=has_times)
        except LatencyFileError as error:
            raise UsageError(f"--latency {FILE}{error}") from error
    if model == RECORDED and not has_times:
        raise UsageError(
            f"--latency {RECORDED}: {options.sessions[0]} has no times of requests; name a model, as in "
            "--latency 0.1+1e6/s"
        )
    return [Latencies(None if model == RECORDED else latency_of(model))] * ranks
