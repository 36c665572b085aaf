"""When to kill a crawl whose URLs, documents and pairs of domains are on disk: around their merges in pieces.

A merge in pieces is begun, goes on between pages, and is finished when an epoch closes.  A kill before any operation on
its files, or of the commits among them, leaves what the last commit said.
"""

from collections import Counter

from scripts.crash.journal import Operation
from scripts.crash.points import COMMIT, Point, Scene

ALONE = ("seen", "content-seen", "pairs")
"""What a single rank merges in pieces: the URLs that it owns, documents, and which domains link to which."""
TOGETHER = (*ALONE, "sent")
"""What one of several ranks does."""
_ENOUGH = 3
"""Sorted files: the first one has what was in memory."""
_SCRATCH = "/.scratch-"


def merging_name(operation: Operation) -> str:
    """Whose file is changed, of those that lie beside the session: the name of a DRUM, or a queue's; "" for others."""
    _, _, path = operation.path.partition(_SCRATCH)
    return path.partition("/")[2].partition(".")[0]


def around_merges(scene: Scene, names: tuple[str, ...]) -> list[Point]:
    """The points at files beside the session, and of the commits among them, until each of ``names`` has merged twice.

    Raises ValueError if the crawl ends before.
    """
    merges, points = Counter[str](), []
    for point in scene.points()[:-1]:
        operation = scene.operations[point.number]
        if all(merges[one] >= _ENOUGH for one in names) and point.phase != COMMIT and points[-1].phase == COMMIT:
            return points
        name = merging_name(operation)
        if name or point.phase == COMMIT:
            points.append(point)
        merges[name] += operation.kind == "create" and operation.path.endswith(".sorted")
    raise ValueError(f"{scene.name} has too few merges: {dict(merges)}")
