"""What partitions made from one session of some sites promise, and what came of them in a later one.

    .venv/bin/python -m scripts.foresight.sites sites-2020-01-01.warc.gz sites-2022-01-01.warc.gz
    .venv/bin/python -m scripts.foresight.sites --save FILE FILE            the same, into docs/foresight.md

Either may be a WARC file or a session's folder.  Told are what stands out, imbalance, bytes on the wire and overlap as
predicted and as they are, and how well the imbalance is foreseen by the earlier session alone when pages of it are held
out from its partitions: whole directories, as `cutweb advise` does it, or one by one.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crawler.replay.foresight.figures import BY_NAME, OVERLAP, scale_of
from crawler.replay.foresight.findings import sentences
from crawler.replay.foresight.foresight import Foresight, foresee
from crawler.replay.foresight.partitions import Cuts
from crawler.replay.foresight.request import Candidate, ForesightRequest
from crawler.replay.foresight.view import View
from crawler.replay.recording import Recording, recording_of
from crawler.replay.source import recorded_session
from partition.graphs.holdout import HELD_OUT, held_out, without
from partition.graphs.link_graph import LinkGraph, link_graph
from partition.measures.imbalance import imbalance
from partition.models.settings import Settings
from scripts.shared.doc_tables import keep, table
from sessions.session import Session

DOCUMENT = "foresight.md"
Pages = npt.NDArray[np.bool_]


def main() -> None:
    """Print the tables, or keep them in the docs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs=2, type=Path, metavar="FILE", help="two sessions or WARC files, the older first")
    parser.add_argument("--parts", default="4,8,16,32,64", metavar="K,...")
    parser.add_argument("--save", action="store_true", help="write the tables into docs/foresight.md")
    options = parser.parse_args()
    request = ForesightRequest(parts=tuple(map(int, options.parts.split(","))), cutting=Settings(seed=1))
    with tempfile.TemporaryDirectory() as folder:
        texts = _texts(options.files, request, Path(folder))
    for name, text in texts.items():
        print(text)
        if options.save:
            keep(DOCUMENT, name, text)


def _texts(files: Sequence[Path], request: ForesightRequest, folder: Path) -> dict[str, str]:
    with recorded_session(files[0], folder) as previous, recorded_session(files[1], folder) as later:
        foresight = foresee(previous, [later], request, made="", progress=_say, scratch=folder)
        held = _held_out(previous, View(foresight), request, folder)
    told = "".join(f"- {sentence}\n" for sentence in sentences(foresight))
    return {"stands-out": told, "outlooks": _outlooks(foresight), "held-out": held}


def _outlooks(foresight: Foresight) -> str:
    """Predicted and actual figures of every candidate."""
    view = View(foresight)
    names = ("storage_imbalance", "requests_imbalance", "wire_bytes_per_page", OVERLAP)
    scales = {name: scale_of(BY_NAME[name], view.values(name, (0, 1))) for name in names}
    heads = [f"{BY_NAME[name].title.lower()}, {scales[name].unit}" for name in names]

    def cell(name: str, candidate: Candidate) -> str:
        was, now = (scales[name].text(view.known(name, candidate, session)) for session in (0, 1))
        return f"{was} → {now}"

    rows = (
        [str(candidate.k), candidate.model, candidate.rule or "-", *(cell(name, candidate) for name in names)]
        for candidate in sorted(view.candidates, key=lambda candidate: candidate.k)
    )
    return table(["K", "model", "unknown URLs", *heads], rows)


def _held_out(previous: Path, view: View, request: ForesightRequest, folder: Path) -> str:
    """The imbalance expected from the earlier session alone, by what is held out, beside what came."""
    graph, recording = link_graph(Session.open(previous)), recording_of(previous)
    ways: dict[str, Callable[[LinkGraph], Pages]] = {"directories": held_out, "pages": _pages_held_out}
    expected = {}
    for name, chosen in ways.items():
        (folder / name).mkdir()
        cuts = Cuts(without(graph, chosen(graph)), request.cutting, folder / name, _say)
        expected[name] = dict(_imbalances(view, cuts, recording))
    rows = (
        [
            str(candidate.k),
            candidate.model,
            str(candidate.rule),
            f"{view.imbalance(candidate, 0):.0%}",
            f"{expected['pages'][candidate]:.0%}",
            f"{expected['directories'][candidate]:.0%}",
            f"{view.imbalance(candidate, 1):.0%}",
        ]
        for candidate in sorted(expected["pages"], key=lambda candidate: candidate.k)
        if candidate in expected["directories"]
    )
    head = ["K", "model", "unknown URLs", "nothing held out", "pages held out", "directories held out", "actual"]
    return table(head, rows)


def _pages_held_out(graph: LinkGraph) -> Pages:
    """As many pages, each by its own hash."""
    order = np.argsort(graph.hashes * np.uint64(0x9E3779B97F4A7C15))
    held = np.zeros(len(graph), bool)
    held[order[: round(HELD_OUT * len(graph))]] = True
    return held


def _imbalances(view: View, cuts: Cuts, recording: Recording) -> Iterator[tuple[Candidate, float]]:
    """The larger imbalance of each candidate with a map and without overlap, if every page is fetched once."""
    count = recording.page_count
    weights = (recording.bytes, np.ones(count, np.int64))
    for candidate in view.candidates:
        if candidate.needs_map and candidate.rule != "discoverer" and cuts.problem(candidate) is None:
            owners = cuts.ownership(recording, candidate).owners[:count]
            yield candidate, max(imbalance(weight, owners, candidate.k) for weight in weights)


def _say(what: str) -> None:
    print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
