"""A guarded load of replays: one in virtual time, all ranks in one process.

python -m tests.guard.replay_load FOLDER       makes the session to be replayed, where nobody weighs it
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from crawler.launch.plan import with_assignment
from crawler.replay.as_crawl import crawl_options, latencies_of
from crawler.replay.command_line import parsed, settings_of
from crawler.replay.ownership import ownership_by_hash
from crawler.replay.recording import recording_of
from crawler.replay.replay_options import ReplayOptions
from crawler.replay.simulation.simulate import simulate

PAGES = 60
_SITES, _SEED, _RANKS = 6, 1, 8
_SESSION = "session"


def virtual_time(folder: Path) -> Callable[[], None]:
    """Replay a web of `PAGES` pages by page hash, with delays."""
    folder.mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "tests.guard.replay_load", str(folder)], check=True)
    recording = recording_of(folder / _SESSION)
    asked = parsed([str(folder / _SESSION), *("--latency", "0.1+1e6/s", "--assign", "page-hash", "--out", "none")])
    assert isinstance(asked, ReplayOptions)
    settings = settings_of(asked).with_end(recording.page_count)
    options = with_assignment(crawl_options(asked, settings, recording.session), _RANKS, ()).options
    ownership = ownership_by_hash(recording, "page-hash", _RANKS)
    latencies = latencies_of(asked, _RANKS, recording)
    assert latencies is not None

    def run() -> None:
        with TemporaryDirectory(dir=folder) as scratch:
            simulate(recording, ownership, options, settings, latencies, Path(scratch))

    return run


def main() -> None:
    """Make a web, and import it as a session."""
    from crawler.replay.source import recorded_session
    from sessions.localweb.generate.make import make_web

    folder = Path(sys.argv[1])
    made = make_web(folder / "web.warc.gz", sites=_SITES, pages=PAGES, seed=_SEED)
    with recorded_session(made.path, folder) as session:
        session.rename(folder / _SESSION)


if __name__ == "__main__":
    main()
