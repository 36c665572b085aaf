"""How well a crawl keeps to `--max-bandwidth`, as the network interface counts it.

The server (nginx) stands behind a pair of virtual Ethernet interfaces, so that the crawl's own counts nothing but what
the crawl receives, without MPI, in frames as they would be on a wire (one segment each).  Two webs: answers of some 24
kB, which come before anybody could slow them down, and of 1 MB, which do not.  Windows slide over what was counted from
5 s after the start to the end.  Needs root.

    python -m scripts.bench.bandwidth             print the table
    python -m scripts.bench.bandwidth --save      and keep it in docs/network.md
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from scripts.shared.doc_tables import ROOT, keep, table
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.nginx_export import export_web
from sessions.session import Session

SPACE, OURS, THEIRS = "bandwidth-web", "bandwidth-our", "bandwidth-web"
OUR_ADDRESS, ADDRESS, PORT = "10.78.0.1", "10.78.0.2", 8382
WEBS = {
    "24 kB": {"sites": 64, "pages": 30_000, "skew": 0.0, "seed": 1, "links": 20.0, "page_kb": 24.0},
    "1 MB": {"sites": 64, "pages": 700, "skew": 0.0, "seed": 2, "links": 20.0, "page_kb": 1000.0},
}
_BITS = {"100M": 100e6, "40M": 40e6, "10M": 10e6, "2M": 2e6}
KINDS = [
    *((ranks, "24 kB", "--max-bandwidth", rate) for rate in ("100M", "40M", "10M") for ranks in (1, 2, 4)),
    (1, "24 kB", "--max-bandwidth", "2M"),
    (4, "24 kB", "--max-host-bandwidth", "10M"),
    (4, "24 kB", "--bandwidth-hours", "10M"),
    *((ranks, "1 MB", "--max-bandwidth", rate) for rate in ("100M", "40M", "10M") for ranks in (1, 2, 4)),
]
"""By webs: serving one takes longer than a crawl of it."""
CRAWL_SECONDS, WINDOW_SECONDS, FIRST_SECONDS = 45, 30, 5
_SAMPLES_PER_SECOND = 10


class Kept(NamedTuple):
    """How a limit was kept: bits per second over that, for the least and most of a window, and of one second.

    ``cpu`` is the processors that a rank kept busy.
    """

    least: float
    most: float
    most_of_second: float
    counted: float
    cpu: float
    pages: int


def main() -> None:
    options = _options()
    folder = ROOT / "build" / "bench_bandwidth"
    for name, web in WEBS.items():
        if not (path := _web(folder, name)).exists():
            print("inventing the web to crawl ...", file=sys.stderr)
            path.parent.mkdir(parents=True, exist_ok=True)
            make_web(path, **web)  # type: ignore[arg-type]
    rows = []
    for web, kinds in groupby(KINDS[: options.kinds], key=itemgetter(1)):
        with _served(_web(folder, web)):
            for kind in kinds:
                kept = _crawl(folder, *kind)
                print(kind, kept, file=sys.stderr)
                rows.append([str(kind[0]), kind[1], f"`{kind[2]} {kind[3]}`", *_told(kept)])
    told = table(
        ["K", "answers", "limit", "30 s, least", "30 s, most", "1 s, most", "counted by us", "CPU a rank", "pages"],
        rows,
    )
    print(told)
    if options.save:
        keep("network.md", "bench_bandwidth", told)


def _told(kept: Kept) -> list[str]:
    return [*(f"{figure:.1%}" for figure in kept[:-1]), f"{kept.pages:,}"]


def _web(folder: Path, name: str) -> Path:
    return folder / f"{name.replace(' ', '')}.warc.gz"


@contextmanager
def _served(web: Path) -> Iterator[None]:
    """The web at `ADDRESS`, in a network of its own."""
    for left in (["link", "del", OURS], ["netns", "del", SPACE]):  # by a run that was killed
        subprocess.run(["ip", *left], check=False, capture_output=True)
    for words in (
        f"netns add {SPACE}",
        f"link add {OURS} type veth peer name {THEIRS} netns {SPACE}",
        f"addr add {OUR_ADDRESS}/24 dev {OURS}",
        f"link set {OURS} up",
        f"-n {SPACE} addr add {ADDRESS}/24 dev {THEIRS}",
        f"-n {SPACE} link set {THEIRS} gso_max_segs 1 up",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    with tempfile.TemporaryDirectory() as folder:
        exported = export_web([web], Path(folder) / "nginx", port=PORT, addresses=(ADDRESS,))
        inside = f"ip netns exec {SPACE} "
        subprocess.run(inside + exported.start_command, shell=True, check=True, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            subprocess.run(inside + exported.stop_command, shell=True, check=True, stderr=subprocess.DEVNULL)
            subprocess.run(["ip", "netns", "del", SPACE], check=True)


def _crawl(folder: Path, ranks: int, web: str, option: str, rate: str) -> Kept:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "session"
        words = ["--seeds", str(_web(folder, web)).replace(".warc.gz", ".seeds.txt"), "--ranks", str(ranks)]
        words += ["--out", str(out), "--connect-to", f"::{ADDRESS}:{PORT}", "--contact", "http://example.org/"]
        words += ["--delay", "0", "--server-delay", "0", "--scope", "all", "--max-seconds", str(CRAWL_SECONDS)]
        words += [option, f"Mon-Sun 00:00-24:00 {rate}" if option == "--bandwidth-hours" else rate]
        crawl = subprocess.Popen([sys.executable, "-m", "crawler", "crawl", *words], stderr=subprocess.PIPE)
        counts = list(_counts(crawl))
        _, said = crawl.communicate()
        assert crawl.returncode == 0, said.decode()
        reports = Session.open(out).rank_reports()
    received = counts[-1] - counts[0]
    first = next(number for number, count in enumerate(counts) if count > counts[0])
    steady = counts[first + FIRST_SECONDS * _SAMPLES_PER_SECOND : first + (CRAWL_SECONDS - 1) * _SAMPLES_PER_SECOND]
    windows, seconds = (_rates(steady, span, _BITS[rate]) for span in (WINDOW_SECONDS, 1))
    all_seconds = _rates(counts, 1, _BITS[rate])
    counted = sum(report["network_bytes"] for report in reports) / received
    cpu = sum(sum(report["cpu"].values()) for report in reports) / sum(report["seconds"] for report in reports)
    pages = sum(report["fetched"] for report in reports)
    return Kept(min(windows), max(windows), max(*seconds, *all_seconds), counted, cpu, pages)


def _counts(crawl: "subprocess.Popen[bytes]") -> Iterator[int]:
    """What the interface has received, ten times a second, while the crawl runs."""
    path = Path(f"/sys/class/net/{OURS}/statistics/rx_bytes")
    due = monotonic()
    while crawl.poll() is None:
        yield int(path.read_text())
        due += 1 / _SAMPLES_PER_SECOND
        sleep(max(0.0, due - monotonic()))


def _rates(counts: list[int], seconds: int, limit: float) -> list[float]:
    span = seconds * _SAMPLES_PER_SECOND
    return [8 * (after - before) / seconds / limit for before, after in zip(counts, counts[span:], strict=False)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", type=int, default=len(KINDS), help="only the first of the kinds")
    parser.add_argument("--save", action="store_true", help="keep the table in docs/network.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
