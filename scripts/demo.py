"""A small web, crawled by site hash, partitioned, and crawled by the partition: what `make demo` shows.

python -m scripts.demo [--out FOLDER]
"""

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from sessions.analysis.summary import Figures, Summary, summarise
from sessions.localweb.serve.server import LocalWeb
from sessions.session import Session

RANKS = 4
# 25 pages a site and 10 links a page; web-Google, the crawl of the paper, has 58 and 6.  With the 30 links that
# invented webs have if nothing is said, cutting takes three times as long.
WEB = ("--sites", 200, "--pages", 5000, "--links", 10, "--seed", 1)
MARK = "demo.warc.gz"
SEEDS = "demo.seeds.txt"
_STOPPED = 130

_SENT: dict[str, Callable[[Figures], int]] = {
    "URLs sent between ranks": lambda total: total["sent_urls"],
    "bytes of these URLs": lambda total: total["sent_bytes"],
    "bytes on the wire": lambda total: total["wire_bytes"],
}
_BALANCED: dict[str, Callable[[Figures], int]] = {
    "imbalance of bytes": lambda rank: rank["bytes"],
    "imbalance of requests": lambda rank: rank["fetched"],
}


def main() -> None:
    """Show it all; any step that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the web, the sessions and the rest")
    out = parser.parse_args().out
    try:
        _make_room(out)
        _show(out)
    except KeyboardInterrupt:
        print("\ndemo: stopped", file=sys.stderr)
        sys.exit(_STOPPED)


def _make_room(out: Path) -> None:
    """Have an empty folder ``out``, in place of an earlier demo's if there is one."""
    if out.exists() and not (out / MARK).exists() and not (out.is_dir() and not any(out.iterdir())):
        sys.exit(f"demo: {out} exists and is no earlier demo; name another folder with --out")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)


def _show(out: Path) -> None:
    """Every step, and what came of it."""
    first, second, parts, report = out / "crawl-1", out / "crawl-2", out / "map", out / "quality"
    _say("Invent a web.")
    _cutweb("web", "make", *WEB, "--out", out / MARK)
    with LocalWeb([out / MARK], keep_log=False) as web:
        _say(f"Crawl it with {RANKS} ranks; a hash of its site says whose a page is.  (This script serves the web.)")
        _crawl(web, out / SEEDS, first, "--assign", "site-hash")
        _say(f"Cut the links of that session into {RANKS} parts of equal weight.")
        _cutweb("partition", first, "--parts", RANKS, "--effort", "low", "--out", parts)
        _say("Crawl again; now the partition says whose a page is.")
        _crawl(web, out / SEEDS, second, "--partition", parts)
    _say("Compare with other ways to divide the web, among 2, 4 and 8 ranks.")
    quickly = ("--seeds", 1, "--effort", "low", "--jobs", 2)
    _cutweb("quality", first, "--parts", "2,4,8", *quickly, "--out", report)
    _compare(summarise(Session.open(first)), summarise(Session.open(second)))
    _say_what_next(second, report)


def _crawl(web: LocalWeb, seeds: Path, session: Path, *assignment: str | Path) -> None:
    """Crawl the local web as fast as it goes, and check what was written."""
    what = ("--ranks", RANKS, "--seeds", seeds, *assignment, "--out", session)
    how = ("--delay", 0, "--server-delay", 0, "--superstep", 0.5, "--connect-to", web.connect_to)
    _cutweb("crawl", *what, *how)
    _cutweb("check", session)


def _cutweb(*words: object) -> None:
    """Show a command and run it; if it fails the demo ends."""
    arguments = [str(word) for word in words]
    command = f"cutweb {shlex.join(arguments)}"
    print(f"$ {command}", flush=True)
    code = subprocess.run([sys.executable, "-m", "crawler", *arguments], check=False).returncode
    if code:
        sys.exit(f"\ndemo: stopped, since this command failed (exit code {code}): {command}")


def _say(what: str) -> None:
    print(f"\n{what}", flush=True)


def _compare(first: Summary, second: Summary) -> None:
    """Print the table of both sessions."""
    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="bold")
    table.add_column(f"{RANKS} ranks, the same web")
    for column in ("by site hash", "by partition", "change"):
        table.add_column(column, justify="right")
    for name, figure in _SENT.items():
        before, after = figure(first.total), figure(second.total)
        table.add_row(name, f"{before:,}", f"{after:,}", _change(before, after))
    for name, weight in _BALANCED.items():
        table.add_row(name, *(f"{_imbalance([weight(rank) for rank in one.ranks]):.1%}" for one in (first, second)))
    table.add_row("seconds of crawling", *(f"{one.total['seconds']:.1f}" for one in (first, second)))
    print()
    console.print(table)


def _imbalance(loads: Sequence[int]) -> float:
    """How much more the most loaded rank has than the mean."""
    total = sum(loads)
    return max(loads) * len(loads) / total - 1 if total else 0.0


def _change(before: int, after: int) -> str:
    return f"{after / before - 1:+.0%}" if before else "-"


def _say_what_next(session: Path, report: Path) -> None:
    _say(
        "URLs that the partition's map holds travel as numbers, hence the bytes on the wire.  The seconds say little\n"
        "here, where all ranks and the web share one machine; on a cluster a crawl waits for its most loaded rank."
    )
    _say(
        f"The report, to open in a browser: {report / 'report.html'}\n"
        "It compares all models: balance, traffic, time and memory, in tables and plots.\n"
        f"Then look at a session (cutweb info {session}) or read its tables (docs/formats.md)."
    )


if __name__ == "__main__":
    main()
