"""Cuts by programs of others, in an environment of their own: run by `scripts.bench.effort_curve`, never imported.

    PYTHON scripts/bench/foreign_cut.py mtkahypar|kaminpar ARRAYS.npz K TOLERANCE SEED PARTS.npy

PYTHON has the packages mtkahypar and kaminpar (pip install mtkahypar kaminpar).  ARRAYS has a hypergraph (starts, pins,
costs), its guide (graph_starts, neighbours, edge_costs), and one weight for each vertex.  Prints the CPU seconds of the
cut alone, and writes the part of each vertex.
"""

import itertools
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np

_THREADS = 2


def main() -> None:
    """Cut, say how long it took, and keep the parts."""
    program, arrays, k, tolerance, seed, out = sys.argv[1:]
    cut = {"mtkahypar": _by_mtkahypar, "kaminpar": _by_kaminpar}[program]
    seconds, parts = cut(np.load(arrays), int(k), float(tolerance), int(seed))
    np.save(out, np.array(parts, np.int32))
    print(seconds)


def _by_mtkahypar(arrays, k, tolerance, seed):
    import mtkahypar

    library = mtkahypar.initialize(_THREADS)
    mtkahypar.set_seed(seed)
    context = library.context_from_preset(mtkahypar.PresetType.DEFAULT)
    context.set_partitioning_parameters(k, tolerance, mtkahypar.Objective.KM1)
    context.logging = False
    ends, pins = arrays["starts"].tolist(), arrays["pins"].tolist()
    nets = [pins[begin:end] for begin, end in itertools.pairwise(ends)]
    weights = arrays["weight"].tolist()
    whole = library.create_hypergraph(context, len(weights), len(nets), nets, weights, arrays["costs"].tolist())
    began = _cpu()
    parts = whole.partition(context).get_partition()
    return _cpu() - began, parts


def _by_kaminpar(arrays, k, tolerance, seed):
    import kaminpar

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "graph"
        _write_metis(file, arrays)
        graph = kaminpar.load_graph(str(file), kaminpar.GraphFileFormat.METIS)
    kaminpar.reseed(seed)
    solver = kaminpar.KaMinPar(_THREADS, kaminpar.default_context())
    began = _cpu()
    parts = solver.compute_partition(graph, k, tolerance)
    return _cpu() - began, parts


def _write_metis(file, arrays):
    starts, neighbours, costs = (arrays[name].tolist() for name in ("graph_starts", "neighbours", "edge_costs"))
    with file.open("w") as lines:
        lines.write(f"{len(starts) - 1} {len(neighbours) // 2} 11\n")
        for vertex, weight in enumerate(arrays["weight"].tolist()):
            edges = range(starts[vertex], starts[vertex + 1])
            lines.write(" ".join([str(weight), *(f"{neighbours[place] + 1} {costs[place]}" for place in edges)]) + "\n")


def _cpu():
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
