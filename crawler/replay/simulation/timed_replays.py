"""Replays of one recording in virtual time, in this process, under one assignment after the other."""

from dataclasses import asdict, replace
from pathlib import Path

from crawler.replay.as_crawl import crawl_options, latencies_of
from crawler.replay.ownership import Ownership
from crawler.replay.recording import Recording
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.reporting.clock import clock_of
from crawler.replay.settings import ReplaySettings
from crawler.replay.simulation.simulate import Simulated, simulate
from sessions.progress import Share
from sessions.storage.temporary_folder import scratch_folder


class TimedReplays:
    """Replays of a recording as ``options`` ask for; files that do not stay are in ``scratch`` meanwhile.

    Raises UsageError if nobody knows how long a request takes.
    """

    def __init__(self, recording: Recording, options: ReplayOptions, scratch: Path) -> None:
        self._recording = recording
        self._options = options
        self._scratch = scratch
        self.clock = clock_of(asdict(options))
        """What they go by."""
        for ranks in options.parts:
            latencies_of(options, ranks, recording)

    def replay(
        self, ownership: Ownership, partition: Path | None, rule: str | None, settings: ReplaySettings, told: Share
    ) -> Simulated:
        """One replay: by the map in a folder, with a ``rule`` for unknown URLs, None for its own; else by a hash."""
        options = replace(
            self._options,
            assign=ownership.name if partition is None else None,
            partition=partition,
            unknown=(rule,) if rule is not None else None,
        )
        crawl = crawl_options(options, settings, self._recording.session)
        latencies = latencies_of(options, ownership.ranks, self._recording)
        assert latencies is not None, "a replay in virtual time has a model of latency"
        with scratch_folder(".ranks-", self._scratch) as folder:
            return simulate(self._recording, ownership, crawl, settings, latencies, folder, told)
