"""METIS with several balance constraints, through the C functions that pymetis carries inside.

`pymetis.part_graph` fixes the number of constraints at one and has no tolerance per constraint, but its extension
module exports the library's own entry points.  METIS answers wrong input with a crash or with nonsense, so a
`MetisGraph` checks everything before it can be cut.

The methods: Karypis and Kumar, "Multilevel Algorithms for Multi-Constraint Graph Partitioning" (SC 1998); the
parameters: METIS 5.1 manual, section 5.
"""

import ctypes
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import pymetis._internal as binding

from partition.assignment.assignment import Owners
from partition.cut.silence_c_output import silenced
from partition.graphs.link_graph import GraphError, Numbers, too_many_parts_error
from partition.graphs.weighted_graph import WeightedGraph

_MOST_OPTIONS = 64
_METIS_OK = 1
_ERRORS = {-2: "input that it takes for wrong", -3: "too little memory", -4: "an error of its own, or a signal"}
_LARGEST_SUM = 1 << 53  # METIS sums in 64-bit integers and balances in floating point
_POINTER = ctypes.c_void_p

# METIS keeps the state of its random numbers for the whole process: calls from two threads would mix theirs.
_one_at_a_time = Lock()


class MetisError(Exception):
    """METIS cannot be used here, or gave up; the message says why."""


class MetisGraph:
    """A graph in METIS's terms, checked once, to be cut any number of times.

    Constraints that say nothing are left out: weights that are all zero, and those that are a multiple of others.
    Raises GraphError if the graph is not symmetric, has a loop, a cost or weight out of range, or sums that overflow.
    """

    def __init__(self, graph: WeightedGraph) -> None:
        _check(graph)
        self._starts = np.ascontiguousarray(graph.edges.indptr, np.int64)
        self._neighbours = np.ascontiguousarray(graph.edges.indices, np.int64)
        self._costs = np.ascontiguousarray(graph.edges.data, np.int64)
        self._columns = graph.weights.shape[1:]
        self._alike = _telling(graph.weights)
        columns = [graph.weights[:, alike[0]] for alike in self._alike]
        self._weights = np.stack(columns or [np.ones(len(graph), np.int64)], axis=1)
        self._weighty = int(np.count_nonzero(graph.weights.any(axis=1)))

    def __len__(self) -> int:
        return len(self._weights)

    def kway(
        self, k: int, tolerance: npt.ArrayLike, seed: int, *, cuts: int = 1, iterations: int = 10, shares: Any = None
    ) -> Owners:
        """`METIS_PartGraphKway`: the best of ``cuts`` partitions, each refined ``iterations`` times on every level."""
        return self._cut("METIS_PartGraphKway", k, tolerance, shares, SEED=seed, NCUTS=cuts, NITER=iterations)

    def recursive(self, k: int, tolerance: npt.ArrayLike, seed: int, *, shares: Any = None) -> Owners:
        """`METIS_PartGraphRecursive`: k - 1 bisections, which keep a tight tolerance better."""
        return self._cut("METIS_PartGraphRecursive", k, tolerance, shares, SEED=seed)

    def _cut(self, function: str, k: int, tolerance: npt.ArrayLike, shares: Any, **options: int) -> Owners:
        """Part of each vertex, int32[v]; ``tolerance`` 0.05, one or float64[w], lets a part weigh 1.05 of its share."""
        if k > self._weighty:
            raise too_many_parts_error(k, self._weighty, "vertices with weight")
        parts = np.zeros(len(self), np.int64)
        if k == 1:
            return parts.astype(np.int32)
        constraints = self._weights.shape[1]
        weights = _at_most_a_part(self._weights, k)
        allowed = (1 + self._tolerances(tolerance)).astype(np.float32)
        wanted = None if shares is None else np.repeat(np.asarray(shares, np.float32), constraints)
        with _one_at_a_time, silenced():
            status = getattr(_library(), function)(
                _pointer(np.array([len(self)])),
                _pointer(np.array([constraints])),
                _pointer(self._starts),
                _pointer(self._neighbours),
                _pointer(weights),
                None,
                _pointer(self._costs),
                _pointer(np.array([k])),
                _pointer(wanted),
                _pointer(allowed),
                _pointer(_options(options)),
                _pointer(np.zeros(1, np.int64)),
                _pointer(parts),
            )
        if status != _METIS_OK:
            raise MetisError(f"METIS stopped because of {_ERRORS.get(status, f'status {status}')}")
        return parts.astype(np.int32)

    def _tolerances(self, given: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The tolerance of each constraint: of weights that are alike, the least."""
        of_weights = np.broadcast_to(np.asarray(given, np.float64), self._columns)
        return np.array([of_weights[alike].min() for alike in self._alike] or [of_weights.min()])


def _check(graph: WeightedGraph) -> None:
    edges, weights = graph.edges, graph.weights
    if edges.indptr.dtype != np.int64 or edges.indices.dtype != np.int32 or edges.data.dtype != np.int64:
        raise GraphError("the graph's arrays are not of the types that compiled functions take")
    if edges.diagonal().any():
        raise GraphError(f"vertex {int(np.flatnonzero(edges.diagonal())[0])} has an edge to itself")
    if edges.nnz and edges.data.min() <= 0:
        raise GraphError(f"an edge costs {int(edges.data.min())}; costs must be positive")
    if (edges != edges.T).nnz:
        raise GraphError("the graph is not symmetric: an edge is missing, or costs something else, one way")
    if weights.size and weights.min() < 0:
        raise GraphError(f"vertex {int(np.argmin(weights.min(axis=1)))} has a negative weight")
    # Sums in floating point on purpose: in integers an overflow would go unseen.
    if max(edges.data.sum(dtype=np.float64), *weights.sum(axis=0, dtype=np.float64), 0) > _LARGEST_SUM:
        raise GraphError("the costs or weights add up to more than 2^53")


def _telling(weights: Numbers) -> list[list[int]]:
    """The columns of ``weights`` that constrain anything; those that are a multiple of each other in one list."""
    kept: list[list[int]] = []
    shares = weights / np.maximum(weights.sum(axis=0), 1)
    for column in np.flatnonzero(weights.any(axis=0)).tolist():
        # No absolute tolerance: of a hundred million vertices every share is next to nothing.
        alike = (group for group in kept if np.allclose(shares[:, column], shares[:, group[0]], rtol=1e-12, atol=0))
        found = next(alike, None)
        if found is None:
            kept.append([column])
        else:
            found.append(column)
    return kept


def _at_most_a_part(weights: Numbers, k: int) -> Numbers:
    """The weights, none larger than what one of k equal parts would then weigh.

    A vertex heavier than a part makes METIS bisect what is empty, and complain on standard output.
    """
    while (weights > (limits := np.maximum(1, weights.sum(axis=0) // k))).any():
        weights = np.minimum(weights, limits)
    return np.ascontiguousarray(weights)


def _pointer(array: npt.NDArray[Any] | None) -> Any:
    return None if array is None else array.ctypes.data_as(_POINTER)


def _options(settings: dict[str, int]) -> npt.NDArray[np.int64]:
    options = np.zeros(_MOST_OPTIONS, np.int64)
    _library().METIS_SetDefaultOptions(_pointer(options))
    for name, value in settings.items():
        options[int(getattr(binding.OptionKey, name))] = value  # type: ignore[attr-defined]
    return options


@cache
def _library() -> ctypes.CDLL:
    """The shared library inside pymetis, once it has proved that it takes the types that are used here."""
    library = ctypes.CDLL(binding.__file__)
    missing = [
        name
        for name in ("METIS_PartGraphKway", "METIS_PartGraphRecursive", "METIS_SetDefaultOptions")
        if not hasattr(library, name)
    ]
    if missing:
        raise MetisError(f"this pymetis does not export {missing[0]}; install pymetis 2025.2.2")
    if binding._idx_type_width() != 64:
        raise MetisError(f"this pymetis has {binding._idx_type_width()}-bit indices; 64 are needed")
    if not _takes_single_precision(library):
        raise MetisError("this pymetis does not take 32-bit real numbers; install pymetis 2025.2.2")
    return library


def _takes_single_precision(library: ctypes.CDLL) -> bool:
    """Cut a path of eight vertices one to three: doubles would read the shares wrong and refuse, or cut elsewhere."""
    starts = np.array([0, 1, 3, 5, 7, 9, 11, 13, 14])
    neighbours = np.array([1, 0, 2, 1, 3, 2, 4, 3, 5, 4, 6, 5, 7, 6])
    options, parts = np.zeros(_MOST_OPTIONS, np.int64), np.zeros(8, np.int64)
    library.METIS_SetDefaultOptions(_pointer(options))
    status = library.METIS_PartGraphRecursive(
        _pointer(np.array([8])),
        _pointer(np.array([1])),
        _pointer(starts),
        _pointer(neighbours),
        None,
        None,
        None,
        _pointer(np.array([2])),
        _pointer(np.array([0.25, 0.75], np.float32)),
        _pointer(np.array([1.001], np.float32)),
        _pointer(options),
        _pointer(np.zeros(1, np.int64)),
        _pointer(parts),
    )
    return bool(status == _METIS_OK and np.bincount(parts, minlength=2).tolist() == [2, 6])
