"""A signal leaves nothing of a replay behind but what is whole, wherever it comes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from crawler.launch.start_ranks import find_mpiexec
from crawler.pages.warc_import import import_warcs
from crawler.process.mpi_environment import RANK_VARIABLES
from sessions.checking.check import check_session
from sessions.session import Session
from tests.crawler.replay.support.series import write_warc

ROOT = Path(__file__).parents[3]
PATIENCE_SECONDS = 20.0


@contextmanager
def started(arguments: Sequence[object], temporary: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process of its own that keeps temporary files in a folder of its own."""
    environment = {name: value for name, value in os.environ.items() if name not in RANK_VARIABLES}
    temporary.mkdir(exist_ok=True)
    with subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env=environment | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


COMMANDS = {
    "replay": ["--out", "{folder}/out"],
    "foresight": ["--from", "{folder}/pipe.warc", "--parts", "2", "--out", "{folder}/new/out"],
    "ranks": ["--ranks", "2", "--out", "{folder}/out"],
}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("replay", signal.SIGTERM),
        ("replay", signal.SIGINT),
        ("foresight", signal.SIGTERM),
        ("ranks", signal.SIGTERM),
    ],
)
def test_while_a_warc_file_is_imported(tmp_path: Path, name: str, number: int) -> None:
    if name == "ranks" and find_mpiexec() is None:
        pytest.skip("no mpiexec")
    warc, pipe = write_warc(tmp_path / "web.warc", 3), tmp_path / "pipe.warc"
    os.mkfifo(pipe)
    arguments = [word.format(folder=tmp_path) for word in COMMANDS[name]]
    with (
        started(["-m", "crawler", "replay", pipe, *arguments], tmp_path / "temporary") as process,
        open(pipe, "wb") as writer,  # opens when the import reads, which is after it has made its folders
    ):
        writer.write(warc.read_bytes())
        writer.flush()
        assert list(tmp_path.rglob(".replay-*"))
        process.send_signal(number)
        told, error = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, told) == (128 + number, "")
    assert "Traceback" not in error
    assert sorted(tmp_path.rglob("*")) == [pipe, tmp_path / "temporary", warc]


LOADING = """
import sys
from crawler.process import stop_signals
from crawler.replay import replay_rank
from crawler.replay.command import replay

load = replay_rank.recording_of

def load_slowly(path):
    print("there", flush=True)
    while not stop_signals._held:
        pass
    return load(path)

replay_rank.recording_of = load_slowly
sys.exit(replay(sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_while_a_rank_loads_the_recording(tmp_path: Path, number: int) -> None:
    """It is a replay already: it stops at the first exchange, and what it leaves is whole, but cannot be resumed."""
    warc, out = write_warc(tmp_path / "web.warc", 24), tmp_path / "out"
    arguments = ["-c", LOADING, warc, "--pages-per-superstep", "1", "--out", out]
    with started(arguments, tmp_path / "temporary") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(number)
        told, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 128 + number
    assert "replay ended: signal" in told
    assert "a replay cannot be resumed" in told
    assert check_session(out).problems == {}
    assert Session.open(out).read("pages").num_rows == 1
    assert sorted(tmp_path.iterdir()) == [out, tmp_path / "temporary", warc]
    assert not any((tmp_path / "temporary").iterdir())


CUTTING = """
import sys
from contextlib import contextmanager
from threading import Event
from crawler.process import exit_on_signal

def stop(*_, **__):
    sys.stdout.write("there\\n")  # in one piece: threads do this at the same time
    sys.stdout.flush()
    Event().wait()

@contextmanager
def leaving_soon(leaving_on_signals=exit_on_signal.leaving_on_signals):
    with leaving_on_signals(grace=0.5):
        from partition.cut import multilevel  # not before: what is loaded must have the signals blocked
        multilevel._descent = stop
        yield

exit_on_signal.leaving_on_signals = leaving_soon
from crawler.main import main
main()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["advise", "{session}", "--ranks", "2"],
        ["replay", "{session}", "--from", "{warc}", "--models", "page", "--parts", "2", "--out", "{folder}/new/out"],
    ],
    ids=["advise", "foresight"],
)
def test_while_threads_cut_that_cannot_be_told_to_end(tmp_path: Path, arguments: list[str]) -> None:
    warc, session = write_warc(tmp_path / "web.warc", 24), tmp_path / "session"
    import_warcs([warc], session)
    before = sorted(tmp_path.rglob("*"))
    command = [word.format(session=session, warc=warc, folder=tmp_path) for word in arguments]
    with started(["-c", CUTTING, *command], tmp_path / "temporary") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        assert {*tmp_path.rglob(".foresight-*"), *tmp_path.rglob("cutweb-advise-*")}
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, error) == (128 + signal.SIGTERM, "")
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "temporary"])
